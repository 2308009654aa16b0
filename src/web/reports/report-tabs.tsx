import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { reportMessages } from '#contract/messages.ts'
import type { OwnReports } from '#contract/reports.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { TabList, tabPanelProps, useVisited } from '#web/ui/tabs.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { EmbeddedReport } from './embed/embedded-report.tsx'
import { SharedReport } from './embed/shared-report.tsx'
import type { TokenBook, TokenState } from './embed/token-book.ts'
import { type ReportTab, tabsOf } from './own-reports.ts'
import { useTokenBook, useTokensOf } from './use-token-book.ts'

const ID_PREFIX = 'reports'

interface ReportTabsProps {
  /** Whose reports these are; give the component this as its key too. */
  userId: string
  reports: OwnReports
}

/** One tab per area, each with its report; a tab that was visited stays mounted, so that coming back is instant. */
export function ReportTabs({ userId, reports }: ReportTabsProps) {
  const { tabs, incomplete } = useMemo(() => tabsOf(reports), [reports])
  const { book, tokens } = useTokenBook(userId)
  const shown = tabs.filter(({ key }) => tokens.get(key)?.kind !== 'refused')
  const { selected, select } = useSelectedArea(shown.map(({ area }) => area))
  const selectedTab = shown.find(({ area }) => area === selected)
  useTokensOf(book, tabs, selectedTab?.key)
  useIncompleteToasts(incomplete)
  const visited = useVisited(selectedTab?.key)
  const isRefused = shown.length < tabs.length
  if (!selectedTab) return <NoReports {...(isRefused && { onRetry: book.retryRefused })} />

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <TabList
        label="Relatórios"
        idPrefix={ID_PREFIX}
        tabs={shown.map(({ area }) => ({ id: area, label: area }))}
        selectedId={selectedTab.area}
        onSelect={select}
        className="shrink-0 border-line border-b bg-surface"
      />
      <div className="relative min-h-0 flex-1 overflow-hidden">
        {shown
          .filter(({ key }) => visited.includes(key))
          .map((tab) => (
            // Hidden by visibility, never by display: a report without a size does not render.
            <div
              key={tab.key}
              {...tabPanelProps(ID_PREFIX, tab.area)}
              className={`absolute inset-0 ${tab === selectedTab ? '' : 'invisible'}`}
            >
              <Panel
                tab={tab}
                marcas={reports.marcas}
                token={tokens.get(tab.key)}
                book={book}
                isSelected={tab === selectedTab}
              />
            </div>
          ))}
      </div>
    </div>
  )
}

/** There is nothing to show; `onRetry` is given where trying again may help. */
export function NoReports({ onRetry, isRetrying = false }: { onRetry?: () => void; isRetrying?: boolean }) {
  const className = 'mx-auto mt-4 max-w-2xl'
  return (
    <div className="p-4">
      {onRetry ? (
        <FailedLoad kind="info" onRetry={onRetry} isRetrying={isRetrying} className={className}>
          {reportMessages.none}
        </FailedLoad>
      ) : (
        <Alert kind="info" className={className}>
          {reportMessages.none}
        </Alert>
      )}
    </div>
  )
}

interface PanelProps {
  tab: ReportTab
  marcas: readonly string[]
  token: TokenState | undefined
  book: TokenBook
  isSelected: boolean
}

function Panel({ tab, marcas, token, book, isSelected }: PanelProps) {
  if (tab.kind === 'no-scope' || token?.kind === 'no-scope')
    return (
      <div className="p-4">
        <Alert kind="warning" className="mx-auto max-w-2xl">
          {reportMessages.noScope}
        </Alert>
      </div>
    )
  if (tab.kind === 'shared') return <SharedReport area={tab.area} reportUrl={tab.reportUrl} marcas={marcas} />
  return (
    <EmbeddedReport request={tab.request} marcas={marcas} token={token} book={book} isSelected={isSelected} />
  )
}

/** Tells once of each area that gets no tab because its setting is incomplete. */
function useIncompleteToasts(incomplete: readonly string[]): void {
  const names = incomplete.join('\n')
  useEffect(() => {
    for (const area of names.split('\n').filter(Boolean))
      showToast({ kind: 'error', title: reportMessages.incomplete(area) })
  }, [names])
}

/**
 * The selected area lives in the URL, /power-bi?area=Oficina, so that it can be linked to and the back
 * button returns to it. Without one, or with one that is not among `areas`, the first is selected.
 */
export function useSelectedArea(areas: readonly string[]) {
  const { area } = useSearch({ strict: false }) as { area?: string }
  const navigate = useNavigate()
  const isKnown = area !== undefined && areas.includes(area)
  const selected = isKnown ? area : areas[0]
  const mustForget = area !== undefined && !isKnown && areas.length > 0

  useEffect(() => {
    if (mustForget) void navigate({ to: '/power-bi', search: {}, replace: true })
  }, [mustForget, navigate])

  function select(next: string): void {
    if (next !== selected) void navigate({ to: '/power-bi', search: { area: next } })
  }
  return { selected, select }
}
