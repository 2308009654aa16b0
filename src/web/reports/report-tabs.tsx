import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import ChartColumn from 'lucide-react/icons/chart-column'
import { useEffect, useMemo, useRef, useState } from 'react'
import { foldText } from '#contract/entitlement-lists.ts'
import { groupByCause, reportMessages } from '#contract/messages.ts'
import type { OwnReports } from '#contract/reports.ts'
import { Button, buttonClasses, textLinkClasses } from '#web/ui/button.tsx'
import { setDocumentTitle } from '#web/ui/document-title.ts'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { LazyPart } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { TabPanel, Tabs, useVisited } from '#web/ui/tabs.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { RefreshDot } from './data-age.tsx'
import { EmbeddedReport, type EmbeddedReportProps } from './embed/embedded-report.tsx'
import type { ReportCommands } from './embed/report-frame.ts'
import { ReportLoading } from './embed/report-loading.tsx'
import { AreaLabel, ReportNotice, ReportOffline } from './embed/report-overlay.tsx'
import { rememberOpened, usePublishedReport } from './open-report.ts'
import { useOpenViews } from './open-views.ts'
import { findTab, type ReportSearch, type ReportTab, toReportSearch, toTabs } from './own-reports.ts'
import { useOpeningRecorder } from './record-opening.ts'
import { listActions, type ReportAction, ReportBar, WholeHeightButton } from './report-bar.tsx'
import { ReportChoice } from './report-choice.tsx'
import { followExport, useRunningExport } from './report-exports.ts'
import { useOwnEmbedTokens, useTokenSync } from './use-embed-tokens.ts'
import { ViewsButton } from './views-button.tsx'

const loadExportDialog = async () => (await import('./export-dialog.tsx')).ExportDialog

const loadSaveDialog = async () => (await import('./views-panel.tsx')).SaveViewDialog

/**
 * One tab per area, each with its reports; a visited one stays mounted, so that returning is instant.
 * Use the `userId` as the React key too.
 */
export function ReportTabs({ userId, reports }: { userId: string; reports: OwnReports }) {
  const { tabs, incomplete } = useMemo(() => toTabs(reports), [reports])
  const { store, tokens } = useOwnEmbedTokens(userId)
  const shown = tabs.filter(({ key }) => tokens.get(key)?.kind !== 'refused')
  const refused = tabs.filter((tab) => !shown.includes(tab))
  const { selectedTab, select, selectArea, missing, closeMissing, reopen } = useSelectedTab(shown, refused)
  const inArea = shown.filter(({ area }) => area === selectedTab?.area)
  useTokenSync(store, tabs, selectedTab?.key)
  useIncompleteToasts(incomplete)
  useReportInTitle(selectedTab?.title)
  const views = useOpenViews(userId, shown, selectedTab, reports)
  const running = useRunningExport(userId)
  const exportDialog = useLazyDialog(loadExportDialog)
  const saveDialog = useLazyDialog(loadSaveDialog)
  const recordOpening = useOpeningRecorder()
  const visited = useVisited(selectedTab?.key)
  const [commands, setCommands] = useState<ReadonlyMap<string, ReportCommands | undefined>>(new Map())
  const [isWhole, setIsWhole] = useState(true)
  const [isReportOnly, setIsReportOnly] = useState(false)
  const reportId = selectedTab?.kind === 'embedded' ? selectedTab.request.reportId : undefined
  const given = selectedTab && commands.get(selectedTab.key)
  const { restoreFilters, captureView, listPages, openPage } = given ?? {}
  const actions = listActions(
    given && restoreFilters
      ? { ...given, restoreFilters: () => views.choose(undefined, { keepsPage: true }) }
      : given,
    selectedTab?.canExport ? exportDialog.open : undefined,
  )
  usePublishedReport(
    selectedTab && {
      id: selectedTab.id,
      title: selectedTab.title,
      areas: [...new Set(shown.map(({ area }) => area))],
      selectArea,
      isReportOnly,
      toggleReportOnly: () => setIsReportOnly(!isReportOnly),
      saveView: captureView && saveDialog.open,
      actions,
      ...(listPages && openPage && { listPages, openPage }),
    },
  )
  useRecentlyOpened(userId, selectedTab?.id, views.view?.id)
  const getDetail = ({ key }: ReportTab) => {
    const token = tokens.get(key)
    return token?.kind === 'refused' ? token.detail : undefined
  }
  if (!selectedTab) {
    const failures = refused.flatMap((tab) => {
      const message = getDetail(tab)
      return message ? [{ area: tab.title, message }] : []
    })
    return <NoReports failures={failures} onRetry={refused.length > 0 ? store.retryRefused : undefined} />
  }

  const isPaginated = given !== undefined && !captureView
  return (
    <Tabs
      selectedId={selectedTab.area}
      onSelect={(area) => {
        selectArea(area)
        setIsWhole(true)
      }}
      className="flex min-h-0 flex-1 flex-col sideways:min-h-full sideways:flex-none"
      data-whole-height={isReportOnly ? 'always' : isWhole || undefined}
    >
      {missing && !shown.some(({ key }) => key === missing.failing?.key) && (
        <LazyPart
          name="missing-area"
          load={loadMissingArea}
          loading={<div className="min-h-14 shrink-0" />}
          failed={
            missing.failing
              ? `O relatório de ${missing.failing.title} não abre agora.`
              : `A área ${missing.area} não está entre os seus relatórios.`
          }
        >
          {({ MissingArea }) => (
            <MissingArea
              area={missing.area}
              failing={
                missing.failing && { title: missing.failing.title, detail: getDetail(missing.failing) }
              }
              onRetry={() => {
                store.retryRefused()
                reopen()
              }}
              onClose={closeMissing}
            />
          )}
        </LazyPart>
      )}
      {(views.notice || views.lacking.length > 0 || views.ownerSeesMore) && (
        <LazyPart
          name="view-lines"
          load={loadViewLines}
          loading={<div className="min-h-14 shrink-0" />}
          failed="Um aviso sobre a visão não pôde ser mostrado."
        >
          {({ ViewLines }) => <ViewLines views={views} />}
        </LazyPart>
      )}
      <ReportBar
        tabs={[...new Set(shown.map(({ area }) => area))].map((area) => {
          const inTab = shown.filter((tab) => tab.area === area)
          const failed = inTab
            .filter((tab) => tab !== selectedTab)
            .map(({ key }) => tokens.get(key))
            .find((token) => token?.kind === 'failed')
          return {
            id: area,
            label: (
              <AreaLabel area={area} token={failed}>
                {inTab.map(
                  (tab) =>
                    tab.kind === 'embedded' && (
                      <RefreshDot
                        key={tab.id}
                        title={tab.title}
                        reportId={tab.request.reportId}
                        isShown={commands.size > 0}
                      />
                    ),
                )}
              </AreaLabel>
            ),
          }
        })}
        selected={selectedTab.area}
        reportId={reportId}
        isShown={given !== undefined}
        actions={actions}
        share={{ userId, tab: selectedTab, view: views.view, isChanged: views.isChanged, views, captureView }}
        running={running}
        views={
          <ViewsButton
            {...{ userId, reportId, captureView, views }}
            area={selectedTab.area}
            view={views.view}
            isChanged={views.isChanged}
            isPaginated={isPaginated}
          />
        }
        choice={
          inArea.length > 1 && (
            <ReportChoice
              reports={inArea.map(({ id, name, key }) => ({ id, name, token: tokens.get(key) }))}
              selectedId={selectedTab.id}
              heading={views.view?.name ?? selectedTab.name}
              isChanged={views.view !== undefined && views.isChanged}
              onSelect={select}
            />
          )
        }
      />
      {exportDialog.Dialog && (
        <exportDialog.Dialog
          {...{ userId, reportId, captureView, isPaginated }}
          area={selectedTab.area}
          title={selectedTab.title}
          view={views.view}
          isChanged={views.isChanged}
          onViewSaved={views.name}
          onStarted={(item) => followExport(userId, item)}
          onClose={exportDialog.close}
        />
      )}
      {saveDialog.Dialog && reportId !== undefined && (
        <saveDialog.Dialog
          {...{ userId, reportId, captureView, views }}
          area={selectedTab.area}
          close={saveDialog.close}
        />
      )}
      <p className="hidden p-8 text-sm print:block">{describePrinting(actions)}</p>
      <div className="relative min-h-0 flex-1 overflow-hidden print:hidden sideways:min-h-[60dvh]">
        <WholeHeightButton
          isWhole={isWhole || isReportOnly}
          isAlways={isReportOnly}
          onToggle={() => {
            setIsReportOnly(false)
            setIsWhole(!isWhole && !isReportOnly)
          }}
        />
        {shown
          .filter(({ key }) => visited.includes(key))
          .map((tab) => (
            // The tab of an area belongs to its open report.
            <TabPanel
              key={tab.key}
              id={tab === selectedTab ? tab.area : tab.id}
              isLaidOut
              className="absolute inset-0"
            >
              <Panel
                tab={tab}
                marcas={reports.marcas}
                token={tokens.get(tab.key)}
                store={store}
                view={views.getOpened(tab.key)}
                onViewOpened={(report) => void views.explain(tab, report)}
                onViewRefused={(opened) => views.refuse(tab, opened)}
                onChanged={(report) => views.markChanged(tab, report)}
                isSelected={tab === selectedTab}
                onCommands={(given) => {
                  setCommands((all) => new Map(all).set(tab.key, given))
                  if (given) recordOpening(tab.id, 'shown')
                }}
                onFailed={() => recordOpening(tab.id, 'failed')}
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
  const { area } = useSearch({ strict: false }) as { area?: string }
  const causes = groupByCause(failures).map(
    (group) => `${group.map(({ area }) => area).join(', ')}: ${group[0].message}`,
  )
  const canAsk = !causes.length && !onRetry
  const [explanation, question] = causes.length
    ? [reportMessages.allFailed, `O portal não abre nenhum dos meus relatórios.\n\n${causes.join('\n\n')}`]
    : [
        onRetry ? reportMessages.notLoaded : reportMessages.askForReports,
        'Entrei no portal e não vejo nenhum relatório. Podem conferir as áreas da minha conta?',
      ]
  return (
    <div role="status" className="m-auto max-w-lg space-y-5 px-6 py-8 text-center">
      <span className="inline-flex rounded-full bg-subtle p-4 text-muted">
        <ChartColumn aria-hidden="true" className="size-7" />
      </span>
      <p className="text-balance font-semibold text-lg leading-7">{reportMessages.none}</p>
      <p className="text-muted text-sm leading-relaxed">
        {explanation} {canAsk && 'Assim que um for liberado, ele aparece aqui.'}
      </p>
      {causes.map((cause) => (
        <p key={cause} className="rounded-lg border border-line bg-surface p-4 text-left text-sm">
          {cause}
        </p>
      ))}
      <div className="flex flex-wrap items-center justify-center gap-3 text-sm max-sm:*:w-full">
        {onRetry && (
          <Button size="large" isBusy={isRetrying} onClick={onRetry}>
            Tentar novamente
          </Button>
        )}
        {canAsk && (
          <LazyPart
            name="missing-area"
            load={loadMissingArea}
            loading={<Skeleton className="h-11 w-34 rounded-lg" />}
            failed="Recarregue a página para pedir acesso."
          >
            {({ RequestLink }) => <RequestLink area={area} className={buttonClasses('primary', 'large')} />}
          </LazyPart>
        )}
        <AskAdministrator message={`Olá! ${question}`} className={buttonClasses('secondary', 'large')} />
      </div>
    </div>
  )
}

interface AskAdministratorProps {
  message: string
  className?: string
}

/** Links to /contato with a prefilled message. */
export function AskAdministrator({ message, className = textLinkClasses }: AskAdministratorProps) {
  return (
    <Link to="/contato" state={{ contactMessage: message }} className={className}>
      Escrever ao administrador
    </Link>
  )
}

/** Loaded only for a link to an area that the person lacks. */
const loadMissingArea = () => import('./missing-area.tsx')

const loadViewLines = () => import('./view-lines.tsx')

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
        loading={<ReportLoading area={tab.title} />}
        offline={<ReportOffline />}
        failed="O relatório não pôde ser aberto agora."
        className="mx-auto mt-4 max-w-2xl"
      >
        {({ SharedReport }) => <SharedReport {...tab} marcas={marcas} onCommands={onCommands} />}
      </LazyPart>
    )
  return <EmbeddedReport {...props} request={tab.request} />
}

/** Stands on paper, where the browser would print an empty frame. */
function describePrinting(actions: readonly ReportAction[]): string {
  const has = (wanted: string) => actions.some(({ label }) => label === wanted)
  const ways = [has('Imprimir') && '“Imprimir”', has('Exportar') && '“Exportar” em PDF'].filter(Boolean)
  return `Para imprimir este relatório, use ${ways.join(' ou ') || 'a impressão do próprio Power BI'}: o navegador só imprime a moldura.`
}

function useRecentlyOpened(userId: string, id: string | undefined, viewId: string | undefined): void {
  useEffect(() => {
    if (id !== undefined) rememberOpened(userId, `tab ${id}`)
    if (viewId !== undefined) rememberOpened(userId, `view ${viewId}`)
  }, [userId, id, viewId])
}

function useReportInTitle(title: string | undefined): void {
  useEffect(() => {
    setDocumentTitle({ part: title ?? '' })
    return () => setDocumentTitle({ part: '' })
  }, [title])
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
 * Keeps the selected report in the URL, /power-bi?area=Oficina&relatorio=ID, so that links and reloads
 * select it, and the back button returns to the one before. Without a known area or report it selects
 * the first one; another tab opens the report that was open in it.
 * @param refused those that fail just now
 * @returns also what a link names and is not among the tabs, until another tab is selected
 */
function useSelectedTab(tabs: readonly ReportTab[], refused: readonly ReportTab[]) {
  const search: ReportSearch = useSearch({ strict: false })
  const { area, relatorio } = search
  const navigate = useNavigate()
  const router = useRouter()
  const step = useRef({ from: '', to: '', at: 0 })
  const left = useRef(new Map<string, string>())
  const inArea = tabs.filter((tab) => tab.area === area)
  const selectedTab = findTab(tabs, search)
  // A link that was typed, or changed by a mail program.
  const spelt = area && tabs.find((tab) => foldText(tab.area) === foldText(area.trim()))?.area
  const isUnknownArea = area !== undefined && inArea.length === 0 && tabs.length > 0
  const isGone = relatorio !== undefined && inArea.length > 0 && selectedTab?.id !== relatorio

  // Of one report of several that fails, the area is among the tabs.
  const failing = refused.find((tab) =>
    isGone ? tab.id === relatorio : area !== undefined && foldText(tab.area) === foldText(area.trim()),
  )
  const [missing, setMissing] = useState<{ area: string; failing?: ReportTab | undefined }>()
  const closeMissing = () => setMissing(undefined)

  useEffect(() => {
    if (area === undefined || !(isUnknownArea || isGone)) return
    if (!isGone && spelt)
      return void navigate({ to: '/power-bi', search: (all) => ({ ...all, area: spelt }), replace: true })
    if (isGone && !failing) showToast({ kind: 'warning', title: reportMessages.gone(area) })
    else setMissing({ area, failing })
    void navigate({ to: '/power-bi', search: isGone ? { area } : {}, replace: true })
  }, [isUnknownArea, isGone, area, spelt, failing, navigate])

  function select(wanted: string): void {
    closeMissing()
    const next = tabs.find(({ id }) => id === wanted)
    // The last change may not be rendered yet.
    const current = findTab(tabs, router.latestLocation.search)
    if (!next || !current || next === current) return
    left.current.set(current.area, current.id)
    const { from, to, at } = step.current
    const now = Date.now()
    // Back or forward in between, and the next change is a step of its own.
    const isQuick = to === current.key && now - at < QUICK_CHANGE_MS
    step.current = { from: isQuick ? from : current.key, to: next.key, at: now }
    if (isQuick && next.key === from) router.history.back()
    else void navigate({ to: '/power-bi', search: toReportSearch(next), replace: isQuick })
  }
  return {
    selectedTab,
    select,
    selectArea(wanted: string): void {
      const ids = tabs.filter((tab) => tab.area === wanted).map(({ id }) => id)
      const before = left.current.get(wanted)
      select(before !== undefined && ids.includes(before) ? before : (ids[0] ?? ''))
    },
    missing,
    closeMissing,
    /** Returns to what fails, once it is among the tabs again. */
    reopen(): void {
      closeMissing()
      if (missing?.failing)
        void navigate({ to: '/power-bi', search: toReportSearch(missing.failing), replace: true })
    },
  }
}
