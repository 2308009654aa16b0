import ChevronDown from 'lucide-react/icons/chevron-down'
import Files from 'lucide-react/icons/files'
import { Popover } from '#web/ui/popover.tsx'
import type { ReportListProps } from './report-list.tsx'

const loadList = () => import('./report-list.tsx')

/** The reports of an area that has several: the name of the open one, the others in a popover. */
export function ReportChoice(props: Omit<ReportListProps, 'close'>) {
  const name = props.reports.find(({ id }) => id === props.selectedId)?.name
  const trigger = {
    'aria-label': `Relatório: ${name}`,
    className:
      'inline-flex h-9 min-w-0 items-center gap-2 rounded-lg border border-transparent px-2.5 text-sm transition-colors hover:bg-subtle aria-expanded:bg-subtle lg:border-line',
    children: (
      <>
        <Files aria-hidden="true" className="size-[1.125rem] shrink-0 text-muted lg:size-4" />
        <span className="hidden truncate font-medium lg:inline">{name}</span>
        <ChevronDown aria-hidden="true" className="hidden size-4 shrink-0 text-muted lg:block" />
      </>
    ),
  }
  return (
    <Popover label="Relatórios da área" trigger={trigger} align="start" load={loadList}>
      {(close, { ReportList }) => <ReportList {...props} close={close} />}
    </Popover>
  )
}
