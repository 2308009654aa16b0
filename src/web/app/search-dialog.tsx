import { Autocomplete } from '@base-ui/react/autocomplete'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { foldText } from '#contract/entitlement-lists.ts'
import { callApi } from '#web/http/api.ts'
import { USERS_QUERY } from '#web/http/query-client.ts'
import { readKnownAge } from '#web/reports/data-age.tsx'
import {
  type OpenReport,
  openSharePanel,
  readRecent,
  rememberOpened,
  useOpenReport,
} from '#web/reports/open-report.ts'
import { reportViewsQuery } from '#web/reports/open-views.ts'
import { ownReportsQuery, type ReportTab, toReportSearch, toTabs } from '#web/reports/own-reports.ts'
import { useSession } from '#web/session/session.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { useDebouncedValue } from '#web/ui/use-debounced-value.ts'
import { keyClasses } from './keys-dialog.tsx'
import { useRole } from './use-role.ts'

interface Item {
  /** Remembered when opened; empty for people and acts, which are not. */
  id: string
  group: string
  label: string
  note?: string | undefined
  /** The key that opens it too. */
  hint?: string | false | undefined
  run: () => unknown
}

interface Group {
  value: string
  items: Item[]
}

const MAX_RECENT = 5
/** Of the tabs, in order. */
const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
const RECENT = 'Abertas há pouco'

interface SearchDialogProps {
  q: string
  onType: (q: string) => void
  onClose: () => void
  onKeys: () => void
}

/** 'Buscar': areas, reports, views, pages and acts of the open report, screens, and people. */
export function SearchDialog({ q, onType, onClose, onKeys }: SearchDialogProps) {
  const userId = useSession()?.user.id ?? ''
  const { items, isLoading } = useItems(userId, q)
  const groups = Map.groupBy(items, ({ group }) => group)
  const open = (item: Item) => {
    if (item.id) rememberOpened(userId, item.id)
    onClose()
    void item.run()
  }
  return (
    <Dialog isOpen title="Buscar" width="wide" onClose={onClose}>
      <Autocomplete.Root
        inline
        open
        items={[...groups].map(([value, members]) => ({ value, items: members }))}
        filter={null}
        itemToStringValue={({ label }: Item) => label}
        value={q}
        // A chosen item is opened instead of completing the text.
        onValueChange={(typed, { reason }) => reason === 'input-change' && onType(typed)}
        autoHighlight="always"
        keepHighlight
      >
        <Autocomplete.Input
          type="search"
          aria-label="Buscar área, visão ou página"
          placeholder="Área, visão ou página"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          className="h-11 w-full rounded-lg border border-line-strong/70 bg-surface px-3 text-base focus-visible:outline-offset-0"
        />
        <Autocomplete.List aria-label="Resultados" className="-mx-3 mt-2 h-96 max-h-[50dvh] overflow-y-auto">
          {({ value, items: members }: Group) => (
            <Autocomplete.Group key={value} items={members}>
              <Autocomplete.GroupLabel className="px-3 pt-3 pb-1 font-semibold text-muted text-xs uppercase tracking-wide">
                {value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: Item) => (
                  <Autocomplete.Item
                    key={item.id || `${item.label} ${item.note}`}
                    value={item}
                    onClick={() => open(item)}
                    className="flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 py-1 text-sm data-highlighted:bg-subtle"
                  >
                    <span className="max-w-[60%] shrink-0 truncate font-medium">{item.label}</span>
                    <span className="ml-auto min-w-0 truncate text-muted text-xs">{item.note}</span>
                    {item.hint && <kbd className={`${keyClasses} max-sm:hidden`}>{item.hint}</kbd>}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
      <div className="flex min-h-9 items-center justify-between gap-3 border-line border-t pt-3 text-muted text-xs">
        <p role="status">{items.length === 0 && (isLoading ? 'Buscando…' : 'Nada encontrado')}</p>
        <button
          type="button"
          onClick={() => {
            onClose()
            onKeys()
          }}
          className="rounded-sm py-1 hover:text-ink hover:underline max-sm:hidden"
        >
          Atalhos de teclado
        </button>
      </div>
    </Dialog>
  )
}

/** Returns what matches, the recently opened first. */
function useItems(userId: string, q: string): { items: readonly Item[]; isLoading: boolean } {
  const navigate = useNavigate()
  const isAdmin = useRole() === 'admin'
  const reports = useQuery(ownReportsQuery(userId))
  const { tabs } = reports.data?.approved ? toTabs(reports.data) : { tabs: [] }
  const views = useQuery({ ...reportViewsQuery(userId), enabled: tabs.length > 0 })
  const open = useOpenReport()
  const pages = useQuery({
    queryKey: ['report-pages', open?.id],
    queryFn: async () => (await open?.listPages?.()) ?? [],
    enabled: open?.listPages !== undefined,
    staleTime: 0,
  })
  const term = useDebouncedValue(q.trim())
  const people = useQuery({
    queryKey: [USERS_QUERY, 'search', term],
    queryFn: ({ signal }) =>
      callApi('GET /api/profiles', { query: { q: term, limit: 5, sort: 'email', order: 'asc' }, signal }),
    enabled: isAdmin && term.length > 1,
    placeholderData: keepPreviousData,
  })
  const screens = useScreens(isAdmin)

  const areas = open?.areas ?? [...new Set(tabs.map(({ area }) => area))]
  const openTab = (tab: ReportTab, visao?: string) =>
    navigate({ to: '/power-bi', search: toReportSearch(tab, visao) })
  const known: Item[] = [
    ...tabs.map((tab) => ({
      id: `tab ${tab.id}`,
      group: tab.isFirst ? 'Suas áreas' : 'Relatórios',
      label: tab.title,
      note:
        tab.kind === 'embedded'
          ? readKnownAge(tab.request.reportId)
          : tab.kind === 'shared'
            ? 'abre com a sua conta Microsoft'
            : undefined,
      hint: tab.isFirst && KEYS[areas.indexOf(tab.area)],
      run: () => openTab(tab),
    })),
    ...(views.data?.items ?? []).flatMap(({ id, name, owner, area, reportId }) => {
      const tab = tabs.find(
        (each) => each.kind === 'embedded' && each.area === area && each.request.reportId === reportId,
      )
      const note = `${tab?.title} · ${owner ?? 'minha visão'}`
      return tab
        ? [{ id: `view ${id}`, group: 'Visões', label: name, note, run: () => openTab(tab, id) }]
        : []
    }),
    ...(pages.data ?? []).map(({ name, displayName }) => ({
      id: `page ${open?.id} ${name}`,
      group: `Páginas de ${open?.title}`,
      label: displayName,
      note: open?.title,
      run: () => open?.openPage?.(name),
    })),
    ...listActs(open),
    ...screens.map(({ path, title }) => ({
      id: `screen ${path}`,
      group: 'Telas',
      label: title,
      note: SCREEN_NOTES[path],
      run: () => navigate({ to: path }),
    })),
  ]
  // 'email' finds 'e-mail'.
  const fold = (text: string) => foldText(text).replaceAll('-', '')
  const words = fold(q.trim()).split(/\s+/)
  const found = known.filter(({ label, note = '' }) => {
    const text = fold(`${label} ${note}`)
    return words.every((word) => text.includes(word))
  })
  const recent = readRecent(userId)
    .flatMap((id) => found.find((item) => item.id === id && id !== `tab ${open?.id}`) ?? [])
    .slice(0, MAX_RECENT)
  const matches = (term && isAdmin && people.data?.items) || []
  const items = [
    ...recent.map((item) => ({ ...item, group: RECENT })),
    ...found.filter((item) => !recent.includes(item)),
    ...matches.map(({ user_id, full_name, email }) => ({
      id: '',
      group: 'Pessoas',
      label: full_name ?? email,
      note: email,
      run: () => navigate({ to: '/admin/pessoas', search: { pessoa: user_id } }),
    })),
  ]
  return { items, isLoading: reports.isPending || people.isFetching || term !== q.trim() }
}

/** What else one may look for, and finds the act or the screen by. */
const ACT_NOTES: Record<string, string> = {
  Exportar: 'PDF, PowerPoint ou por e-mail',
  Compartilhar: 'copia o link',
}
const SCREEN_NOTES: Record<string, string> = {
  '/profile': 'nome e senha',
  '/profile/envios': 'meus envios',
  '/profile/seguranca': 'segunda etapa, aparelhos e entradas',
}

/** Lists what can be done with the open report. */
function listActs(open: OpenReport | undefined): Item[] {
  if (!open) return []
  const acts = [
    { label: 'Compartilhar', run: openSharePanel },
    ...open.actions,
    ...(open.saveView ? [{ label: 'Salvar visão atual', run: open.saveView, hint: 'S' }] : []),
    { label: 'Só o relatório', run: open.toggleReportOnly, hint: 'F' },
  ]
  return acts.map((act) => ({ ...act, id: '', group: `Em ${open.title}`, note: ACT_NOTES[act.label] }))
}

/** Lists the screens that the person may open, by their routes. */
function useScreens(isAdmin: boolean): { path: string; title: string }[] {
  return Object.values(useRouter().routesById).flatMap(({ id, fullPath, options }) => {
    const { title } = (options.staticData ?? {}) as { title?: string }
    const isOpen = id.startsWith('/signed-in/') && (isAdmin || !id.includes('/administrators/'))
    return title && isOpen && !fullPath.includes('$') ? [{ path: fullPath, title }] : []
  })
}
