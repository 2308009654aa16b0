import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { groupByCause, reportMessages } from '#contract/messages.ts'
import type { OwnReports } from '#contract/reports.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { textLinkClasses } from '#web/ui/button.tsx'
import { setDocumentTitle } from '#web/ui/document-title.ts'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { LazyPart } from '#web/ui/lazy-part.tsx'
import { TabPanel, Tabs, useVisited } from '#web/ui/tabs.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { EmbeddedReport, type EmbeddedReportProps } from './embed/embedded-report.tsx'
import type { ReportCommands } from './embed/report-frame.ts'
import { ReportLoading } from './embed/report-loading.tsx'
import { AreaLabel, ReportNotice } from './embed/report-overlay.tsx'
import { useOpenViews } from './open-views.ts'
import { type ReportTab, toTabs } from './own-reports.ts'
import { ReportBar, WholeHeightButton } from './report-bar.tsx'
import { useReportExports } from './report-exports.ts'
import { useOwnEmbedTokens, useTokenSync } from './use-embed-tokens.ts'
import { ViewsButton } from './views-button.tsx'

const loadExportDialog = async () => (await import('./export-dialog.tsx')).ExportDialog

/**
 * One tab per area, each with its report; a visited tab stays mounted, so that returning is instant.
 * Use the `userId` as the React key too.
 */
export function ReportTabs({ userId, reports }: { userId: string; reports: OwnReports }) {
  const { tabs, incomplete } = useMemo(() => toTabs(reports), [reports])
  const { store, tokens } = useOwnEmbedTokens(userId)
  const shown = tabs.filter(({ key }) => tokens.get(key)?.kind !== 'refused')
  const refused = tabs.filter((tab) => !shown.includes(tab))
  const { selected, select, missing, closeMissing } = useSelectedArea(shown.map(({ area }) => area))
  const selectedTab = shown.find(({ area }) => area === selected)
  useTokenSync(store, tabs, selectedTab?.key)
  useIncompleteToasts(incomplete)
  useAreaInTitle(selectedTab?.area)
  const views = useOpenViews(userId, selectedTab)
  const exports = useReportExports(userId)
  const exportDialog = useLazyDialog(loadExportDialog)
  const visited = useVisited(selectedTab?.key)
  const [commands, setCommands] = useState<ReadonlyMap<string, ReportCommands | undefined>>(new Map())
  const [isWhole, setIsWhole] = useState(true)
  if (!selectedTab) {
    const failures = refused.flatMap(({ key, area }) => {
      const token = tokens.get(key)
      return token?.kind === 'refused' && token.detail ? [{ area, message: token.detail }] : []
    })
    return <NoReports failures={failures} onRetry={refused.length > 0 ? store.retryRefused : undefined} />
  }

  const reportId = selectedTab.kind === 'embedded' ? selectedTab.request.reportId : undefined
  const given = commands.get(selectedTab.key)
  const { restoreFilters, captureView } = given ?? {}
  const isPaginated = given !== undefined && !captureView
  const canExport = reports.areas.some(({ type, canExport }) => type === selectedTab.area && canExport)
  return (
    <Tabs
      selectedId={selectedTab.area}
      onSelect={(area) => {
        select(area)
        setIsWhole(true)
      }}
      className="flex min-h-0 flex-1 flex-col"
      data-whole-height={isWhole || undefined}
    >
      {missing !== undefined && (
        <LazyPart
          name="missing-area"
          load={loadMissingArea}
          loading={null}
          failed={`A área ${missing} não está entre os seus relatórios.`}
        >
          {({ MissingArea }) => <MissingArea area={missing} onClose={closeMissing} />}
        </LazyPart>
      )}
      <ReportBar
        tabs={shown.map((tab) => ({
          id: tab.area,
          label: <AreaLabel area={tab.area} token={tokens.get(tab.key)} isOpen={tab === selectedTab} />,
        }))}
        selected={selectedTab.area}
        reportId={reportId}
        commands={
          given && restoreFilters ? { ...given, restoreFilters: () => views.choose(undefined) } : given
        }
        share={{ userId, area: selectedTab.area, view: views.view, onChange: views.name }}
        onExport={canExport ? exportDialog.open : undefined}
        running={exports.running}
        views={
          <ViewsButton
            {...{ userId, reportId, captureView, views }}
            area={selectedTab.area}
            view={views.view}
            isPaginated={isPaginated}
          />
        }
      />
      {exportDialog.Dialog && (
        <exportDialog.Dialog
          {...{ userId, reportId, captureView, isPaginated }}
          area={selectedTab.area}
          onStarted={exports.add}
          onClose={exportDialog.close}
        />
      )}
      <div className="relative min-h-0 flex-1 overflow-hidden">
        <WholeHeightButton isWhole={isWhole} onToggle={() => setIsWhole(!isWhole)} />
        {shown
          .filter(({ key }) => visited.includes(key))
          .map((tab) => (
            <TabPanel key={tab.key} id={tab.area} isLaidOut className="absolute inset-0">
              <Panel
                tab={tab}
                marcas={reports.marcas}
                token={tokens.get(tab.key)}
                store={store}
                view={views.getOpened(tab.key)}
                onViewRefused={(opened) => views.refuse(tab, opened)}
                isSelected={tab === selectedTab}
                onCommands={(given) => setCommands((all) => new Map(all).set(tab.key, given))}
              />
            </TabPanel>
          ))}
      </div>
    </Tabs>
  )
}

interface NoReportsProps {
  /** Set where a retry may help. */
  onRetry?: (() => void) | undefined
  isRetrying?: boolean
  /** Why each area failed to open. */
  failures?: readonly { area: string; message: string }[]
}

/** The empty state: explains why there are no reports, and links to the administrators. */
export function NoReports({ onRetry, isRetrying = false, failures = [] }: NoReportsProps) {
  const causes = groupByCause(failures).map(
    (group) => `${group.map(({ area }) => area).join(', ')}: ${group[0].message}`,
  )
  const [explanation, question] = causes.length
    ? [reportMessages.allFailed, `O portal não abre nenhum dos meus relatórios.\n\n${causes.join('\n\n')}`]
    : [
        reportMessages.askForReports,
        'Entrei no portal e não vejo nenhum relatório. Podem conferir as áreas da minha conta?',
      ]
  return (
    <div className="p-4">
      <FailedLoad kind="info" onRetry={onRetry} isRetrying={isRetrying} className="mx-auto mt-4 max-w-2xl">
        <p>{reportMessages.none}</p>
        <p className="pt-1">
          {explanation} <AskAdministrator message={`Olá! ${question}`} />
        </p>
        {causes.map((cause) => (
          <p key={cause} className="pt-1 text-muted">
            {cause}
          </p>
        ))}
      </FailedLoad>
    </div>
  )
}

/** Links to /contato with a prefilled message. */
export function AskAdministrator({ message }: { message: string }) {
  return (
    <Link to="/contato" state={{ contactMessage: message }} className={textLinkClasses}>
      Escrever ao administrador
    </Link>
  )
}

/** Loaded only for a link to an area that the person lacks. */
const loadMissingArea = () => import('./missing-area.tsx')

/** Loaded only for reports in SSO mode. */
const loadSharedReport = () => import('./embed/shared-report.tsx')

function Panel({ tab, ...props }: Omit<EmbeddedReportProps, 'request'> & { tab: ReportTab }) {
  const { marcas, token, onCommands } = props
  if (tab.kind === 'no-scope' || token?.kind === 'no-scope')
    return (
      <ReportNotice>
        {reportMessages.noScope}{' '}
        <AskAdministrator message="Olá! Minha conta ainda não tem marcas ou estados liberados no portal. Preciso ver as marcas e os estados: " />
      </ReportNotice>
    )
  if (tab.kind === 'shared')
    return (
      <LazyPart
        name="shared-report"
        load={loadSharedReport}
        loading={<ReportLoading area={tab.area} />}
        failed="O relatório não pôde ser aberto agora."
        className="mx-auto mt-4 max-w-2xl"
      >
        {({ SharedReport }) => <SharedReport {...tab} marcas={marcas} onCommands={onCommands} />}
      </LazyPart>
    )
  return <EmbeddedReport {...props} request={tab.request} />
}

function useAreaInTitle(area: string | undefined): void {
  useEffect(() => {
    setDocumentTitle({ part: area ?? '' })
    return () => setDocumentTitle({ part: '' })
  }, [area])
}

/** Shows one toast per area that gets no tab because its setting is incomplete. */
function useIncompleteToasts(incomplete: readonly string[]): void {
  const names = incomplete.join('\n')
  useEffect(() => {
    for (const area of names.split('\n').filter(Boolean))
      showToast({
        kind: 'error',
        title: reportMessages.incomplete(area),
        // The same cause for all, so that they stand on one card.
        description: 'Peça a um administrador que a complete.',
      })
  }, [names])
}

/** Changes of tab within this time are one step of the history. */
const QUICK_CHANGE_MS = 10_000

/**
 * Keeps the selected area in the URL, /power-bi?area=Oficina, so that links and reloads select it, and
 * the back button returns to the tab before. A missing or unknown area selects the first one.
 * @returns also the unknown area, until another tab is selected
 */
export function useSelectedArea(areas: readonly string[]) {
  const { area } = useSearch({ strict: false }) as { area?: string }
  const navigate = useNavigate()
  const { history } = useRouter()
  const step = useRef({ from: '', to: '', at: 0 })
  const isKnown = area !== undefined && areas.includes(area)
  const selected = isKnown ? area : areas[0]
  const isUnknownArea = area !== undefined && !isKnown && areas.length > 0

  const [missing, setMissing] = useState<string>()
  const closeMissing = () => setMissing(undefined)

  useEffect(() => {
    if (!isUnknownArea) return
    setMissing(area)
    void navigate({ to: '/power-bi', search: {}, replace: true })
  }, [isUnknownArea, area, navigate])

  function select(next: string): void {
    closeMissing()
    if (next === selected || selected === undefined) return
    const { from, to, at } = step.current
    const now = Date.now()
    // Back or forward in between, and the next change is a step of its own.
    const isQuick = to === selected && now - at < QUICK_CHANGE_MS
    step.current = { from: isQuick ? from : selected, to: next, at: now }
    if (isQuick && next === from) history.back()
    else void navigate({ to: '/power-bi', search: { area: next }, replace: isQuick })
  }
  return { selected, select, missing, closeMissing }
}
