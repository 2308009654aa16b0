import ChevronDown from 'lucide-react/icons/chevron-down'
import Files from 'lucide-react/icons/files'
import { classNames } from '#web/ui/class-names.ts'
import { Popover } from '#web/ui/popover.tsx'
import { useIsPhone } from '#web/ui/use-device.ts'
import { ChangedDot } from './changed-dot.tsx'
import type { ReportListProps } from './report-list.tsx'

/** In the phone's header the age of the data stands below the name. */
const LINE_BELOW = 20

const loadList = () => import('./report-list.tsx')

interface ReportChoiceProps extends Omit<ReportListProps, 'close'> {
  /** What a phone's header names as open; the whole of it can be pressed there. */
  heading?: string
  /** Whether that is a view that no longer is what the report shows. */
  isChanged?: boolean
}

/** The reports of an area that has several: the name of the open one, the others in a popover. */
export function ReportChoice({ heading, isChanged = false, ...props }: ReportChoiceProps) {
  const name = props.reports.find(({ id }) => id === props.selectedId)?.name
  const label = `Relatório: ${name}`
  const isHeading = useIsPhone() && heading !== undefined
  const trigger = {
    'aria-label':
      isHeading && heading !== name ? `${heading}${isChanged ? ', alterada' : ''}. ${label}` : label,
    className: isHeading
      ? 'flex min-w-0 items-center gap-1 font-semibold text-[0.9375rem] leading-5 after:absolute after:inset-x-0 after:-top-1 after:-bottom-5'
      : 'inline-flex h-9 min-w-0 items-center gap-2 rounded-lg border border-transparent px-2.5 text-sm transition-colors hover:bg-subtle aria-expanded:bg-subtle lg:border-line',
    children: (
      <>
        {!isHeading && <Files aria-hidden="true" className="size-[1.125rem] shrink-0 text-muted lg:size-4" />}
        <span className={isHeading ? 'truncate' : 'max-w-20 truncate font-medium md:max-w-36 lg:max-w-none'}>
          {isHeading ? heading : name}
        </span>
        {isHeading && isChanged && <ChangedDot />}
        <ChevronDown
          aria-hidden="true"
          className={classNames('size-4 shrink-0 text-muted', !isHeading && 'hidden lg:block')}
        />
      </>
    ),
  }
  return (
    <Popover
      label="Relatórios da área"
      trigger={trigger}
      align="start"
      offset={isHeading ? LINE_BELOW : 0}
      load={loadList}
    >
      {(close, { ReportList }) => <ReportList {...props} close={close} />}
    </Popover>
  )
}
