import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { formatList } from '#contract/format-list.ts'
import { reportMessages } from '#contract/messages.ts'
import type { ReportSetting } from '#contract/report-settings.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { lampsQuery } from '#web/http/lamps-query.ts'
import { useLeaveGuard } from '#web/session/leave-guard.tsx'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import { TabList, TabPanel, Tabs, useVisited } from '#web/ui/tabs.tsx'
import { reportSettingsQuery } from './save-setting.ts'
import { toForm, useSettingsDrafts } from './setting-form.ts'
import { SettingPanel } from './setting-panel.tsx'

export function ReportSettingsCard() {
  const settings = useQuery(reportSettingsQuery)
  const catalogue = useQuery(catalogueQuery)
  const failed = [settings, catalogue].find(({ data, errorUpdateCount }) => !data && errorUpdateCount > 0)
  const known = settings.data && catalogue.data && { settings: settings.data, areas: catalogue.data.types }
  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h2 className="font-semibold text-lg">Configuração Global do Power BI</h2>
        <AreaLegend />
        {known ? (
          <TestAll {...known} />
        ) : (
          <Button variant="secondary" disabled>
            Testar tudo
          </Button>
        )}
      </div>
      {known ? (
        <AreaTabs {...known} />
      ) : failed ? (
        <FailedLoad className="mt-4" isRetrying={failed.isFetching} onRetry={() => void failed.refetch()}>
          {reportMessages.settingsFailed}
        </FailedLoad>
      ) : (
        <SettingsLoading />
      )}
    </Card>
  )
}

const loadTests = async () => (await import('./test-all-dialog.tsx')).TestAllDialog

function TestAll({ settings, areas }: AreaTabsProps) {
  const { Dialog, open, close } = useLazyDialog(loadTests)
  const { select } = useSelectedArea(areas)
  return (
    <>
      <Button variant="secondary" onClick={open}>
        Testar tudo
      </Button>
      {Dialog && (
        <Dialog
          settings={settings}
          areas={areas.filter(({ archived }) => !archived)}
          onClose={close}
          onOpen={(slug) => {
            close()
            select(slug)
          }}
        />
      )}
    </>
  )
}

interface AreaTabsProps {
  settings: readonly ReportSetting[]
  areas: readonly CatalogueItem[]
}

function AreaTabs({ settings, areas }: AreaTabsProps) {
  const { shown, getCurrent, getView, changed, setDraft, commit, drop } = useSettingsDrafts(settings, areas)
  const { selected, select } = useSelectedArea(shown)
  useReturnTo((setting) => {
    const area = shown.find(({ label }) => label === setting.type)
    if (area) setDraft(area, { form: toForm(setting), seen: getCurrent(area) })
  })
  const areasChanged = formatList(changed.map(({ label }) => label))
  const { dialog } = useLeaveGuard(changed.length > 0, {
    title: 'Sair sem salvar?',
    description: `As alterações em ${areasChanged} ainda não foram salvas e serão perdidas.`,
    confirmLabel: 'Sair sem salvar',
    cancelLabel: 'Continuar editando',
  })
  // Visited panels stay mounted, to keep their errors and test results.
  const visited = useVisited(selected?.code)
  const faults = useQuery(lampsQuery).data?.reports ?? []
  const getState = (area: CatalogueItem): AreaState => {
    if (changed.includes(area)) return 'changed'
    if (!getCurrent(area)) return 'empty'
    return faults.some((fault) => fault.area === area.code) ? 'faulty' : 'configured'
  }
  return (
    <Tabs selectedId={selected?.code} onSelect={select}>
      <TabList
        label="Áreas"
        tabs={shown.map((area) => ({
          id: area.code,
          label: <AreaLabel name={area.label} state={getState(area)} />,
        }))}
        selectedId={selected?.code}
        className="-mx-6 mt-2 border-line border-b [&>div]:mx-0"
      />
      {shown
        .filter(({ code }) => visited.includes(code))
        .map((area) => (
          <TabPanel key={area.code} id={area.code} className="pt-5">
            <SettingPanel
              type={area.label}
              slug={area.code}
              area={getView(area)}
              current={getCurrent(area)}
              faults={faults.filter((fault) => fault.area === area.code)}
              onDraft={(draft) => setDraft(area, draft)}
              onSaved={(form, setting) => commit(area, form, setting)}
              onDrop={() => drop(area)}
            />
          </TabPanel>
        ))}
      {dialog}
    </Tabs>
  )
}

/** Takes over the setting that 'Voltar a este' in the trail brings along. */
function useReturnTo(take: (setting: ReportSetting) => void): void {
  const reportSetting = useLocation({ select: ({ state }) => state.reportSetting })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each press
  useEffect(() => {
    if (reportSetting) take(reportSetting as unknown as ReportSetting)
  }, [reportSetting])
}

const noOp = () => {}

/** As large as the tabs, an invisible form of a service principal and the two bars below it. */
function SettingsLoading() {
  const area = { form: { ...toForm(undefined), mode: 'service_principal' as const }, seen: undefined }
  return (
    <div role="status" className="mt-2">
      <span className="sr-only">{reportMessages.loading}</span>
      <div className="-mx-6 flex h-[calc(2.75rem+1px)] items-center justify-center border-line border-b px-6">
        <Skeleton className="h-5 w-full max-w-3xl" />
      </div>
      <div className="relative pt-5">
        <div inert className="invisible">
          <SettingPanel
            type=""
            slug=""
            area={{ ...area, isChanged: false, isStale: false }}
            current={undefined}
            faults={[]}
            onDraft={noOp}
            onSaved={noOp}
            onDrop={noOp}
          />
          <div className="h-[calc(9rem+2px)] max-sm:h-[calc(15.5rem+2px)]" />
        </div>
        <div className="absolute inset-0 flex flex-col gap-5 pt-5">
          <Skeleton className="flex-1" />
          <Skeleton className="flex-1" />
          <Skeleton className="h-14" />
        </div>
      </div>
    </div>
  )
}

type AreaState = 'configured' | 'empty' | 'changed' | 'faulty'

const STATE_STYLES: Record<AreaState, { dot: string; text: string }> = {
  configured: { dot: 'rounded-full bg-success', text: 'com relatório' },
  empty: { dot: 'rounded-full border border-line-strong', text: 'sem relatório' },
  faulty: { dot: 'rounded-full bg-danger', text: 'com problema' },
  changed: { dot: 'rotate-45 rounded-[1px] bg-warning', text: 'com alterações não salvas' },
}

/** An area's name with a status dot; screen readers get the status as text. */
function AreaLabel({ name, state }: { name: string; state: AreaState }) {
  return (
    // Positioned, so that text for screen readers scrolls with the tabs instead of widening the page.
    <span className="relative inline-flex items-center gap-2">
      <StateDot state={state} />
      {name}
      <span className="sr-only"> {STATE_STYLES[state].text}</span>
    </span>
  )
}

/** The legend of the dots; visual only, since every tab has the text. */
function AreaLegend() {
  return (
    <ul aria-hidden="true" className="mr-auto flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
      {(['configured', 'empty', 'changed'] as const).map((state) => (
        <li key={state} className="inline-flex items-center gap-1.5">
          <StateDot state={state} />
          {STATE_STYLES[state].text}
        </li>
      ))}
    </ul>
  )
}

function StateDot({ state }: { state: AreaState }) {
  return <span aria-hidden="true" className={classNames('size-2 shrink-0', STATE_STYLES[state].dot)} />
}

/** Keeps the selected area in the URL, /admin?area=Oficina; the first one by default. */
function useSelectedArea(areas: readonly CatalogueItem[]) {
  const { area } = useSearch({ strict: false }) as { area?: unknown }
  const navigate = useNavigate()
  const selected = areas.find(({ label, code }) => label === area || code === area) ?? areas[0]

  function select(wanted: string): void {
    const label = areas.find(({ code }) => code === wanted)?.label ?? wanted
    void navigate({
      to: '.',
      search: (search: object) => ({ ...search, area: label }),
      replace: true,
      resetScroll: false,
    })
  }
  return { selected, select }
}
