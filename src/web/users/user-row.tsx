import { memo, type ReactNode } from 'react'
import { adminMessages } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { Checkbox } from '#web/ui/choices.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import type { Row } from './row-actions.tsx'
import { COLUMNS, type UserColumn } from './user-columns.tsx'

/** Including the checkbox column. */
export const COLUMN_COUNT = COLUMNS.length + 1
/** Shared by head and rows; the table sets the tracks. */
export const gridClasses = 'xl:grid xl:grid-cols-(--tracks) xl:gap-x-2 xl:pr-4 xl:pl-3'
/** First line the columns, second line the entitlements; a card has a checkbox and three columns. */
const rowClasses = `grid break-inside-avoid grid-cols-[2.25rem_8.5rem_minmax(0,1fr)_auto] gap-x-1 border-line border-b py-2 pr-2 pl-1 xl:h-12 xl:items-center xl:gap-y-0 xl:py-0 ${gridClasses}`
const FIRST_LINE = 'xl:self-start xl:pt-1.5 xl:leading-5'
const cellClasses: Record<UserColumn['card'], string> = {
  top: `col-span-2 col-start-2 self-center ${FIRST_LINE}`,
  line: `col-span-3 col-start-2 ${FIRST_LINE}`,
  left: `col-start-2 text-xs leading-5 xl:text-sm ${FIRST_LINE}`,
  right: `col-span-2 text-xs leading-5 xl:text-sm ${FIRST_LINE}`,
  corner: 'col-start-4 row-start-1',
}

/** Explicit roles: some browsers drop the table semantics of elements with `display: grid`. */
export function getRole(role: 'table' | 'rowgroup' | 'row' | 'cell' | 'columnheader') {
  return { role }
}

interface UserRowProps extends Row {
  index: number
  onToggle: (profile: ManagedProfile, isOn: boolean, isRange: boolean) => void
  /** The rows belong to the previous list and cannot be ticked. */
  isOutdated: boolean
  /** Pixels from the top of the table's body; undefined to follow the previous row. */
  top: number | undefined
  /** Measures the height of a card; table rows have a fixed height. */
  measure: ((row: HTMLElement | null) => void) | undefined
  /** Values carry a label where no head is visible: on a card and on paper. */
  isLabelled: boolean
}

/** One person: a table row, or a card on a narrow window. */
export const UserRow = memo(function UserRow(props: UserRowProps) {
  const { profile, catalogue, index, isSelected, isOutdated, top, measure, onToggle, onAction } = props
  return (
    <tr
      ref={measure}
      {...getRole('row')}
      aria-rowindex={index + 2}
      data-index={index}
      // The link is for the keyboard; the whole row answers to a press.
      onClick={({ target, currentTarget, shiftKey }) => {
        const isControl = (target as Element).closest('a, button, label, input')
        if (!isControl && !shiftKey && !getSelection()?.toString())
          currentTarget.querySelector<HTMLElement>('a[data-control="person"]')?.click()
      }}
      style={top === undefined ? undefined : { top }}
      className={classNames(
        rowClasses,
        top === undefined ? 'relative' : 'absolute inset-x-0',
        isSelected
          ? 'bg-[color-mix(in_oklab,var(--color-brand)_13%,var(--color-surface))] before:absolute before:inset-y-0 before:left-0 before:w-0.75 before:bg-brand-strong'
          : 'hover:bg-canvas',
      )}
    >
      <Cell className="row-span-2 xl:row-auto">
        <Checkbox
          aria-label={`Selecionar ${profile.email}`}
          data-control="select"
          // `disabled` would drop the focus.
          aria-disabled={isOutdated}
          checked={isSelected}
          onChange={({ nativeEvent, target }) =>
            onToggle(profile, target.checked, (nativeEvent as MouseEvent).shiftKey)
          }
          className="size-9 justify-center xl:size-10"
        />
      </Cell>
      {COLUMNS.map(({ head, card, cardHead = head, cell }) => (
        <Cell key={head} className={classNames(cellClasses[card], 'xl:col-auto xl:row-auto')}>
          {props.isLabelled && (card === 'left' || card === 'right') && (
            <span aria-hidden="true" className="mr-1.5 text-muted xl:hidden">
              {cardHead}
            </span>
          )}
          {cell({ profile, catalogue, isSelected, onAction })}
        </Cell>
      ))}
    </tr>
  )
})

function Cell({ className, children }: { className: string; children: ReactNode }) {
  return (
    <td {...getRole('cell')} className={classNames('min-w-0 xl:whitespace-nowrap', className)}>
      {children}
    </td>
  )
}

/** The placeholder of a row not loaded yet. */
export function SkeletonRow({ top }: Pick<UserRowProps, 'top'>) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused
    <tr
      aria-hidden="true"
      data-skeleton
      style={top === undefined ? undefined : { top }}
      className={classNames('block h-36 px-4 py-2 xl:h-12', top !== undefined && 'absolute inset-x-0')}
    >
      <td className="block">
        <Skeleton className="h-8 w-4/5" />
      </td>
    </tr>
  )
}

/** The empty state of the list. */
export function EmptyRow() {
  return (
    <tr {...getRole('row')} className="block">
      <td {...getRole('cell')} colSpan={COLUMN_COUNT} className="block px-4 py-16 text-center text-muted">
        {adminMessages.none}
        <p className="pt-1 text-xs">Mude a busca ou limpe os filtros para ver outras pessoas.</p>
      </td>
    </tr>
  )
}
