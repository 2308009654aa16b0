import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import type { Report } from 'powerbi-client'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ReportView } from '#contract/report-views.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
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

/** What became of a view, which `view-lines.tsx` says above the report. */
export type ViewNotice =
  | { kind: 'refused' | 'ended'; view: ReportView }
  | { kind: 'overwritten' | 'renamed'; view: ReportView; next: ReportView }
  | { kind: 'failed'; error: unknown }

/** What a tab shows: a saved view, or without `view` the report as published or changed since. */
interface OpenView {
  opened: OpenedView
  view?: ReportView | undefined
  /** Hash of the state that is on the screen, '' as published; undefined since the person filtered. */
  shows?: string | undefined
  ownerSeesMore?: boolean
  /** Values of its filters of which the person has none; undefined until known. */
  lacking?: readonly string[]
  notice?: ViewNotice | undefined
}
const AS_PUBLISHED = ''

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
  const update = (key: string, change: (now: OpenView) => OpenView) =>
    setOpen((all) => {
      const now = all.get(key)
      return now ? new Map(all).set(key, change(now)) : all
    })

  /** What was asked for last in each tab: the answer to an older question may come later. */
  const asked = useRef(new Map<string, object>())
  function ask(key: string): () => boolean {
    const question = {}
    asked.current.set(key, question)
    return () => asked.current.get(key) === question
  }

  /** @param shown where the view is, if not in the tab in which it was asked for */
  function showInUrl(target: ReportTab, id: string | undefined, shown = target): void {
    const { pathname, search: now } = router.latestLocation
    // Meanwhile the person may have gone elsewhere.
    if (pathname !== '/power-bi' || findTab(tabs, now)?.key !== target.key) return
    if (id !== now.visao || shown !== target)
      void navigate({ to: '/power-bi', search: toReportSearch(shown, id), replace: true })
  }

  /** @returns whether the view is open now */
  async function openView(
    target: ReportTab,
    id: string | undefined,
    published: OpenedView = {},
  ): Promise<boolean> {
    const { key, area } = target
    const isLast = ask(key)
    let notice: ViewNotice
    const show = (next: OpenView) => {
      set(key, next)
      return true
    }
    const isIn = ({ area, reportId }: ReportView, each: ReportTab) =>
      each.kind === 'embedded' && each.area === area && each.request.reportId === reportId
    if (id === undefined) return show({ opened: published, shows: AS_PUBLISHED })
    try {
      const { state, ownerSeesMore, ...view } = await callApi('GET /api/report-views/{id}', {
        params: { id },
      })
      if (view.owner !== null) void queryClient.invalidateQueries(reportViewsQuery(userId))
      if (!isLast()) return false
      if (isIn(view, target)) return show({ view, opened: { state }, shows: view.stateHash, ownerSeesMore })
      const other = view.area === area && tabs.find((each) => isIn(view, each))
      if (other) {
        // A link without the report's id.
        showInUrl(target, id, other)
        return false
      }
      notice = { kind: 'refused', view }
    } catch (error) {
      if (!isLast()) return false
      notice = { kind: 'failed', error }
      // Who pressed its row sees that it is gone.
      void queryClient.invalidateQueries(reportViewsQuery(userId))
    }
    // A report that waits for its first view opens all the same.
    const now = open.get(key) ?? { opened: {}, shows: AS_PUBLISHED }
    set(key, { ...now, notice })
    if (id === visao) showInUrl(target, now.view?.id)
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
  /** Follows what is renamed, overwritten or deleted on another page, or no longer shared. */
  const followList = useEffectEvent((items: readonly ReportView[]) => {
    const before = listed.current
    listed.current = items
    const find = (list: readonly ReportView[], { view }: OpenView) => list.find(({ id }) => id === view?.id)
    const isGone = (shown: OpenView) => find(before, shown) && !find(items, shown)
    const shown = tab && open.get(tab.key)
    if (shown && isGone(shown)) showInUrl(tab, undefined)
    const follow = (each: OpenView): OpenView => {
      const { view, notice, shows } = each
      const next = find(items, each)
      if (!view) return each
      if (next) {
        const isOverwritten = next.stateHash !== view.stateHash && next.stateHash !== shows
        const kind = isOverwritten ? 'overwritten' : next.name !== view.name && 'renamed'
        // What one does oneself one knows.
        return { ...each, view: next, notice: kind && next.owner ? { kind, view, next } : notice }
      }
      if (!isGone(each)) return each
      // One's own was deleted by oneself: its filters stay on the screen.
      if (view.owner === null) return { ...each, view: undefined }
      return { opened: {}, shows: AS_PUBLISHED, notice: { kind: 'ended', view } }
    }
    setOpen((all) => new Map([...all].map(([each, view]) => [each, follow(view)])))
  })
  useEffect(() => {
    if (data) followList(data.items)
  }, [data])

  const current = key === undefined ? undefined : open.get(key)

  /** Finds out whether the filters of an open view name what the person lacks. */
  async function explain({ key }: ReportTab, report: Report): Promise<void> {
    const opened = open.get(key)?.opened
    if (opened?.state === undefined) return
    const { listLacking } = await import('./lacking-scope.ts')
    const lacking = await listLacking(report, scope).catch(() => [])
    update(key, (now) => (now.opened === opened ? { ...now, lacking } : now))
  }

  return {
    getOpened: (tabKey: string) => open.get(tabKey)?.opened,
    view: current?.view,
    isChanged: current !== undefined && current.shows !== (current.view?.stateHash ?? AS_PUBLISHED),
    notice: current?.notice,
    lacking: current?.lacking ?? [],
    ownerSeesMore: current?.lacking !== undefined && current.ownerSeesMore === true,
    closeNotices(): void {
      if (tab) update(tab.key, (now) => ({ ...now, notice: undefined, ownerSeesMore: false }))
    },
    /** Opens a view in the selected tab; without an id the report as published. */
    async choose(id: string | undefined, published?: OpenedView): Promise<void> {
      if (!tab) return
      if (await openView(tab, id, published)) showInUrl(tab, id)
    },
    explain,
    markChanged(changed: ReportTab, report: Report): void {
      update(changed.key, (now) => ({ ...now, shows: undefined }))
      void explain(changed, report)
    },
    /**
     * Names what the selected tab shows already: a view just saved or overwritten, or without one that
     * just deleted.
     * @returns names it as before, with the view as it is then, unless something else was opened since
     */
    name(view: ReportView | undefined): (restored: ReportView) => void {
      if (!tab || !current) return () => {}
      const { key } = tab
      const isLast = ask(key)
      update(key, ({ notice, ...now }) => ({ ...now, view, ...(view && { shows: view.stateHash }) }))
      showInUrl(tab, view?.id)
      return (restored) => {
        if (!isLast()) return
        const back = current.view?.id === restored.id ? restored : current.view
        update(key, (now) => ({ ...now, view: back, shows: now.shows && current.shows }))
        showInUrl(tab, back?.id)
      }
    },
    /** For a report that did not understand its view and is now open as published. */
    refuse(refused: ReportTab, opened: OpenedView): void {
      const view = open.get(refused.key)?.view
      set(refused.key, { opened, shows: AS_PUBLISHED, notice: view && { kind: 'refused', view } })
      showInUrl(refused, undefined)
    },
  }
}
