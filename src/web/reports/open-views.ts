import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import type { Report } from 'powerbi-client'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { reportViewMessages } from '#contract/messages.ts'
import type { ReportView } from '#contract/report-views.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { ApiError } from '#web/http/send-request.ts'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import type { OpenedView } from './embed/report-frame.ts'
import type { Scope } from './lacking-scope.ts'
import { findTab, type ReportSearch, type ReportTab, toReportSearch } from './own-reports.ts'

/** The saved views of a person, and those shared with them, without their states. */
export const reportViewsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['report-views', userId],
    queryFn: ({ signal }) => callApi('GET /api/report-views', { signal }),
    retry: false,
  })

/** What a tab shows: a saved view, or without `view` the report as published or changed since. */
export interface OpenView {
  opened: OpenedView
  view?: ReportView | undefined
  ownerSeesMore?: boolean
  /** Whether the person has filtered or selected since. */
  isChanged?: boolean | undefined
}

/**
 * Keeps the view that each tab shows. A tab opens the view in the URL (`visao`), else the one marked
 * to open first, else the report as published.
 * @param tab the selected one
 */
export function useOpenViews(
  userId: string,
  tabs: readonly ReportTab[],
  tab: ReportTab | undefined,
  scope: Scope,
) {
  const search: ReportSearch = useSearch({ strict: false })
  const { relatorio = tab?.id } = search
  const visao = search.area === tab?.area && relatorio === tab?.id ? search.visao : undefined
  const navigate = useNavigate()
  const router = useRouter()
  const [open, setOpen] = useState<ReadonlyMap<string, OpenView>>(new Map())
  const set = (key: string, next: OpenView) => setOpen((all) => new Map(all).set(key, next))

  /** What was asked for last in each tab: the answer to an older question may come later. */
  const asked = useRef(new Map<string, string | undefined>())

  /** @param shown where the view is, if not in the tab in which it was asked for */
  function showInUrl(target: ReportTab, id: string | undefined, shown = target): void {
    const { pathname, search: now } = router.latestLocation
    // Meanwhile the person may have gone elsewhere.
    if (pathname !== '/power-bi' || findTab(tabs, now)?.key !== target.key) return
    if (id !== now.visao || shown !== target)
      void navigate({ to: '/power-bi', search: toReportSearch(shown, id), replace: true })
  }

  /** @returns whether the view is open now */
  async function openView(target: ReportTab, id: string | undefined): Promise<boolean> {
    const { key, area } = target
    asked.current.set(key, id)
    const isOld = () => asked.current.get(key) !== id
    const show = (next: OpenView) => {
      set(key, next)
      return true
    }
    const isIn = ({ area, reportId }: ReportView, each: ReportTab) =>
      each.kind === 'embedded' && each.area === area && each.request.reportId === reportId
    if (id === undefined) return show({ opened: {} })
    try {
      const { state, ownerSeesMore, ...view } = await callApi('GET /api/report-views/{id}', {
        params: { id },
      })
      if (view.owner !== null) void queryClient.invalidateQueries(reportViewsQuery(userId))
      if (isOld()) return false
      if (isIn(view, target)) return show({ view, opened: { state }, ownerSeesMore })
      const other = view.area === area && tabs.find((each) => isIn(view, each))
      if (other) {
        // A link without the report's id.
        showInUrl(target, id, other)
        return false
      }
      showRefusal(view)
    } catch (error) {
      if (isOld()) return false
      const isCut = error instanceof ApiError && error.problem.code === 'invalid-input'
      const cause = isCut ? new Error('O link está incompleto: peça que seja enviado de novo.') : error
      showToast(toFailureToast('A visão não pôde ser aberta', cause))
    }
    // A report that waits for its first view opens all the same.
    setOpen((all) => (all.has(key) ? all : new Map(all).set(key, { opened: {} })))
    if (id === visao) showInUrl(target, undefined)
    return false
  }

  const openFirst = useEffectEvent(() => {
    if (tab?.kind !== 'embedded') return
    if (visao !== undefined) return open.get(tab.key)?.view?.id === visao ? undefined : openView(tab, visao)
    const shown = open.get(tab.key)
    // Back on a tab, whose view is still open.
    return shown ? showInUrl(tab, shown.view?.id) : openView(tab, tab.firstViewId)
  })
  const key = tab?.key
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab or another link
  useEffect(() => void openFirst(), [key, visao])

  const hasView = [...open.values()].some(({ view }) => view)
  const { data } = useQuery({ ...reportViewsQuery(userId), enabled: hasView })
  const listed = useRef<readonly ReportView[]>([])
  /** Follows what is renamed or deleted on another page. */
  const followList = useEffectEvent((items: readonly ReportView[]) => {
    const before = listed.current
    listed.current = items
    const find = (list: readonly ReportView[], { view }: OpenView) => list.find(({ id }) => id === view?.id)
    const isGone = (shown: OpenView) => find(before, shown) && !find(items, shown)
    const shown = tab && open.get(tab.key)
    if (shown && isGone(shown)) showInUrl(tab, undefined)
    const follow = (each: OpenView) =>
      isGone(each)
        ? { ...each, view: undefined, isChanged: true }
        : { ...each, view: find(items, each) ?? each.view }
    setOpen((all) => new Map([...all].map(([each, view]) => [each, follow(view)])))
  })
  useEffect(() => {
    if (data) followList(data.items)
  }, [data])

  const closeNotice = useRef(() => {})
  const current = key === undefined ? undefined : open.get(key)
  const viewId = current?.view?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: the notice is of the view that was open
  useEffect(() => () => closeNotice.current(), [key, viewId])

  /** Opens a view in the selected tab; without an id the report as published. */
  async function choose(id: string | undefined): Promise<void> {
    if (!tab) return
    if (await openView(tab, id)) showInUrl(tab, id)
  }

  // With the address of the moment of the press.
  const openAsPublished = useEffectEvent(() => void choose(undefined))

  return {
    getOpened: (tabKey: string) => open.get(tabKey)?.opened,
    view: current?.view,
    isChanged: current?.isChanged === true,
    choose,
    markChanged({ key: changed }: ReportTab): void {
      const shown = open.get(changed)
      if (shown && !shown.isChanged) set(changed, { ...shown, isChanged: true })
    },
    /** Says why a view that is now open may show nothing. */
    async explain({ key: openKey }: ReportTab, report: Report): Promise<void> {
      const { view, ownerSeesMore = false } = open.get(openKey) ?? {}
      if (!view || openKey !== key) return
      const { showLackingScope } = await import('./lacking-scope.ts')
      closeNotice.current()
      closeNotice.current = await showLackingScope({ report, scope, ownerSeesMore, openAsPublished })
    },
    /** Names what the selected tab shows already: a view just saved, renamed, shared or deleted. */
    name(view: ReportView | undefined, isChanged = current?.isChanged): void {
      if (!tab || !current) return
      asked.current.set(tab.key, view?.id)
      set(tab.key, { ...current, view, isChanged })
      showInUrl(tab, view?.id)
    },
    /** For a report that did not understand its view and is now open as published. */
    refuse(refused: ReportTab, opened: OpenedView): void {
      const view = open.get(refused.key)?.view
      if (view) showRefusal(view)
      set(refused.key, { opened })
      showInUrl(refused, undefined)
    },
  }
}

function showRefusal({ name }: ReportView): void {
  showToast({
    kind: 'warning',
    title: `A visão “${name}” não abre mais neste relatório`,
    description: reportViewMessages.openedAsPublished,
  })
}
