import ChevronDown from 'lucide-react/icons/chevron-down'
import Star from 'lucide-react/icons/star'
import { classNames } from '#web/ui/class-names.ts'
import { Popover } from '#web/ui/popover.tsx'
import { ThumbLabel, thumbItemClasses } from '#web/ui/thumb-item.tsx'
import { useIsPhone } from '#web/ui/use-device.ts'
import { ChangedDot } from './changed-dot.tsx'
import type { ViewsPanelProps } from './views-panel.tsx'

const loadPanel = () => import('./views-panel.tsx')

/** 'Visões': the name of the open view, and the saved views in a popover; on a phone in the thumb bar. */
export function ViewsButton(props: Omit<ViewsPanelProps, 'close'>) {
  const { view, isChanged } = props
  const isOnPhone = useIsPhone()
  const mark = view && isChanged && <ChangedDot className="absolute -top-1 -right-1" />
  const trigger = {
    'aria-label': view ? `Visões: ${view.name}${isChanged ? ', alterada' : ''}` : 'Visões',
    className: isOnPhone
      ? thumbItemClasses
      : 'inline-flex h-9 min-w-0 max-w-full items-center gap-2 rounded-lg border border-transparent px-2.5 text-sm transition-colors hover:bg-subtle aria-expanded:bg-subtle lg:border-line',
    children: isOnPhone ? (
      <ThumbLabel icon={Star} mark={mark}>
        Visões
      </ThumbLabel>
    ) : (
      <>
        <span className="relative shrink-0">
          <Star aria-hidden="true" className="size-[1.125rem] text-muted lg:size-4" />
          {mark}
        </span>
        <span className="max-w-20 truncate font-medium md:max-w-36 lg:max-w-none">
          {view?.name ?? 'Visões'}
        </span>
        {view && (
          <span
            className={classNames(
              'hidden shrink-0 text-xs xl:inline group-data-both/views:hidden',
              isChanged ? 'text-warning' : 'text-muted',
            )}
          >
            {isChanged ? 'alterada' : view.owner === null ? 'minha visão' : 'compartilhada'}
          </span>
        )}
        <ChevronDown aria-hidden="true" className="hidden size-4 shrink-0 text-muted xl:block" />
      </>
    ),
  }
  return (
    <Popover label="Visões" trigger={trigger} align="start" load={loadPanel}>
      {(close, { ViewsPanel }) => <ViewsPanel {...props} close={close} />}
    </Popover>
  )
}
