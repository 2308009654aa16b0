import Download from 'lucide-react/icons/download'
import EllipsisVertical from 'lucide-react/icons/ellipsis-vertical'
import LinkIcon from 'lucide-react/icons/link'
import Maximize from 'lucide-react/icons/maximize'
import PanelTop from 'lucide-react/icons/panel-top'
import Printer from 'lucide-react/icons/printer'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import type { ComponentProps, ReactNode } from 'react'
import { describeExport } from '#contract/messages.ts'
import type { ReportExport } from '#contract/report-exports.ts'
import { classNames } from '#web/ui/class-names.ts'
import { FrameSlot } from '#web/ui/frame-slot.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { Popover } from '#web/ui/popover.tsx'
import { TabList } from '#web/ui/tabs.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'
import { useIsPhone } from '#web/ui/use-device.ts'
import { ChangedDot } from './changed-dot.tsx'
import { DataAge, useDataAge } from './data-age.tsx'
import type { ReportCommands } from './embed/report-frame.ts'
import type { SharePanelProps } from './share-panel.tsx'

interface ReportBarProps {
  tabs: ComponentProps<typeof TabList>['tabs']
  selected: string
  /** The report whose data age is shown; undefined for a shared link, whose age is unknown. */
  reportId: string | undefined
  /** Whether the selected report is shown. */
  isShown: boolean
  /** The button of the saved views. */
  views: ReactNode
  /** The button of the area's other reports; false without any. */
  choice: ReactNode
  share: Omit<SharePanelProps, 'close'>
  actions: readonly ReportAction[]
  /** The export under way that is furthest. */
  running: ReportExport | undefined
}

/**
 * The tabs of the reports and the actions of the open one, on a narrow window in a menu. On a phone
 * the header shows its name and freshness, and the thumb bar has its views.
 */
export function ReportBar(props: ReportBarProps) {
  const { tabs, selected, reportId, isShown, views, choice, share, actions, running } = props
  const isOnPhone = useIsPhone()
  const age = useDataAge(reportId, isShown)
  // Reserves the menu's place, so that nothing moves under a press when the report is there.
  const menu =
    actions.length > 0 ? (
      <ActionMenu {...{ actions, share, running }} />
    ) : (
      <div className="w-12 shrink-0 lg:hidden" />
    )
  const { title } = share.tab
  return (
    <div
      className={classNames(
        'report-bar flex shrink-0 print:hidden items-center border-line border-b bg-surface lg:grid lg:grid-cols-[minmax(7.5rem,1fr)_minmax(0,auto)_minmax(max-content,1fr)] in-data-[whole-height=always]:hidden! sideways:in-data-whole-height:hidden',
        Boolean(choice) &&
          'xl:grid-cols-[minmax(18rem,1fr)_minmax(0,auto)_minmax(max-content,1fr)] min-[90rem]:grid-cols-[minmax(21rem,1fr)_minmax(0,auto)_minmax(max-content,1fr)]',
      )}
    >
      {isOnPhone ? (
        <FrameSlot slot="views">{views}</FrameSlot>
      ) : (
        <div
          data-both={choice ? '' : undefined}
          className="group/views flex min-w-0 shrink-0 pl-1 *:min-w-0 lg:gap-1 lg:px-3 xl:*:nth-2:min-w-28 xl:*:first:min-w-28 min-[90rem]:*:nth-2:max-w-48 min-[90rem]:*:nth-2:shrink-0"
        >
          {views}
          {choice}
        </div>
      )}
      {isOnPhone && (
        <FrameSlot slot="header">
          <div data-report-title className="flex min-w-0 flex-1 flex-col items-start pl-1 *:max-w-full">
            {choice || (
              <div className="flex items-center gap-1.5 font-semibold text-[0.9375rem] leading-5">
                <p className="truncate">{share.view?.name ?? title}</p>
                {share.view && share.isChanged && <ChangedDot />}
              </div>
            )}
            <div className="flex min-w-0 gap-1 text-muted text-xs">
              {share.view && (
                <span className="truncate">
                  {share.isChanged && 'alterada ·'} {title} ·
                </span>
              )}
              {age && (
                <DataAge
                  age={share.view || age.end ? { ...age, text: age.short } : age}
                  className="shrink-0"
                />
              )}
            </div>
          </div>
          {menu}
        </FrameSlot>
      )}
      <TabList label="Relatórios" tabs={tabs} selectedId={selected} className="min-w-0 flex-1" />
      {!isOnPhone && (
        <div className="flex shrink-0 items-center justify-end gap-0.5 px-2">
          {/* Reserves the place of the age, so that the tabs do not move. */}
          <div className="mr-2 flex min-w-25 shrink-0 justify-end min-[90rem]:min-w-52">
            {age && <DataAge age={age} />}
          </div>
          <div className="flex shrink-0 items-center gap-0.5 max-lg:hidden">
            <Popover label="Compartilhar" trigger={SHARE_TRIGGER} load={loadSharePanel}>
              {(close, { SharePanel }) => <SharePanel {...share} close={close} />}
            </Popover>
            {/* Reserves the place of four actions, so that 'Compartilhar' does not move. */}
            <div className="flex min-w-[10.375rem] justify-end gap-0.5">
              {actions.map(({ label, icon: Icon, run }) => {
                // The button shows how far its export is, so that nothing moves.
                const shown = label === 'Exportar' ? running : undefined
                return (
                  <span key={label} className="relative inline-flex">
                    <Tooltip text={label}>
                      <button type="button" aria-label={label} onClick={run} className={buttonClasses}>
                        {!shown && <Icon aria-hidden="true" className="size-[1.125rem]" />}
                      </button>
                    </Tooltip>
                    {shown && (
                      <ExportProgress
                        item={shown}
                        className="pointer-events-none absolute inset-0 flex items-center justify-center text-brand-strong"
                      />
                    )}
                  </span>
                )
              })}
            </div>
          </div>
          {menu}
        </div>
      )}
    </div>
  )
}

/** The placeholder until the tabs are known; as tall as the bar. */
export function ReportBarLoading() {
  return (
    <div className="report-bar flex h-[calc(2.75rem+1px)] shrink-0 items-center justify-center gap-6 overflow-hidden border-line border-b bg-surface">
      {[1, 2, 3, 4, 5, 6, 7].map((tab) => (
        <Skeleton key={tab} className="h-4 w-16 shrink-0" />
      ))}
    </div>
  )
}

const buttonClasses =
  'inline-flex size-10 items-center justify-center rounded-lg text-muted transition-colors hover:bg-subtle hover:text-ink'

const loadSharePanel = () => import('./share-panel.tsx')

const SHARE_TRIGGER = {
  'aria-label': 'Compartilhar',
  'data-share': '',
  className:
    'inline-flex h-9 shrink-0 items-center gap-2 rounded-lg border border-line px-2.5 font-medium text-sm transition-colors hover:bg-subtle aria-expanded:bg-subtle',
  children: (
    <>
      <LinkIcon aria-hidden="true" className="size-4" />
      <span className="hidden xl:inline">Compartilhar</span>
    </>
  ),
}

export interface ReportAction {
  label: string
  icon: typeof Maximize
  run: () => void
}

/**
 * Lists the actions that the report and this browser support.
 * @param commands undefined while the report is not shown
 * @param onExport opens the dialog of exports; undefined where they are off
 */
export function listActions(
  commands: ReportCommands | undefined,
  onExport: (() => void) | undefined,
): ReportAction[] {
  const { restoreFilters, print, fullscreen } = commands ?? {}
  const action = (
    label: string,
    icon: ReportAction['icon'],
    run: (() => unknown) | undefined,
    failure: string,
  ) => (run ? [{ label, icon, run: () => void runAction(run, failure) }] : [])
  return [
    ...action(
      'Restaurar filtros',
      RotateCcw,
      restoreFilters,
      'Os filtros não puderam ser restaurados. Recarregue a página.',
    ),
    ...action('Exportar', Download, commands && onExport, ''),
    ...action(
      'Imprimir',
      Printer,
      print,
      `Este relatório não pode ser impresso daqui.${onExport ? ' Exporte-o em PDF.' : ''}`,
    ),
    ...action(
      'Tela cheia',
      Maximize,
      document.fullscreenEnabled ? fullscreen : undefined,
      'O navegador não permitiu a tela cheia.',
    ),
  ]
}

async function runAction(run: () => unknown, failure: string): Promise<void> {
  try {
    await run()
  } catch (error) {
    console.warn(failure, error)
    showToast({ kind: 'warning', title: failure })
  }
}

type ActionMenuProps = Pick<ReportBarProps, 'actions' | 'share' | 'running'>

/** How far an export is. */
function ExportProgress({ item, className }: { item: ReportExport; className?: string }) {
  return (
    <span
      role="progressbar"
      aria-label={`Exportando ${describeExport(item)}`}
      aria-valuenow={item.percent}
      className={classNames('whitespace-nowrap text-xs tabular-nums', className)}
    >
      {item.percent}%
    </span>
  )
}

/** The actions on a narrow window: a button with a popover. */
function ActionMenu({ actions, share, running }: ActionMenuProps) {
  const trigger = {
    'aria-label': 'Ações do relatório',
    'data-share': '',
    className: buttonClasses,
    children: <EllipsisVertical aria-hidden="true" className="size-5" />,
  }
  return (
    <div className="shrink-0 px-1 lg:hidden">
      <Popover label="Ações do relatório" trigger={trigger} load={loadSharePanel}>
        {(close, { SharePanel }) => (
          <>
            {running && (
              <p className="px-3 py-2 text-muted text-xs">
                Exportando {describeExport(running)}: <ExportProgress item={running} />
              </p>
            )}
            <ul>
              {actions.map(({ label, icon: Icon, run }) => (
                <li key={label}>
                  <button
                    type="button"
                    onClick={() => {
                      close()
                      run()
                    }}
                    className="flex h-11 w-full items-center gap-3 rounded-md px-3 text-sm hover:bg-subtle"
                  >
                    <Icon aria-hidden="true" className="size-[1.125rem] text-muted" />
                    {label}
                  </button>
                </li>
              ))}
            </ul>
            <section aria-label="Compartilhar" className="mt-1 border-line border-t pt-1">
              <SharePanel {...share} close={close} />
            </section>
          </>
        )}
      </Popover>
    </div>
  )
}

interface WholeHeightButtonProps {
  isWhole: boolean
  isAlways: boolean
  onToggle: () => void
}

/** On a phone in landscape: hides header and tabs, or shows them again; elsewhere only the latter. */
export function WholeHeightButton({ isWhole, isAlways, onToggle }: WholeHeightButtonProps) {
  const label = isWhole ? 'Mostrar menu e abas' : 'Só o relatório'
  const Icon = isWhole ? PanelTop : Maximize
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isWhole}
      title={isAlways ? `${label} (F)` : undefined}
      onClick={onToggle}
      className={classNames(
        'group absolute top-0 left-1/2 z-10 h-6 w-16 -translate-x-1/2 items-start justify-center forced-colors:border-0!',
        isAlways ? 'inline-flex' : 'hidden sideways:inline-flex',
      )}
    >
      {/* A grip at the edge, which covers nothing of the report until it is reached for. */}
      <span className="inline-flex h-2 w-16 items-center justify-center overflow-hidden rounded-b-lg border border-line-strong border-t-0 bg-surface/90 text-ink shadow-md group-hover:h-9 group-focus-visible:h-9 pointer-coarse:h-6">
        <Icon
          aria-hidden="true"
          className="hidden size-4 group-hover:block group-focus-visible:block pointer-coarse:block"
        />
      </span>
    </button>
  )
}
