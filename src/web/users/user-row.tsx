import { memo, type ReactNode } from 'react'
import { adminMessages } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { Checkbox } from '#web/ui/choices.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import type { Row } from './row-actions.tsx'
import { COLUMNS, type UserColumn } from './user-columns.tsx'

/** Including the checkbox column. */
const COLUMN_COUNT = COLUMNS.length + 1
/** Shared by head and rows; the table sets the tracks. */
export const gridClasses = 'rows:grid rows:grid-cols-(--tracks) rows:gap-x-2 rows:pr-4 rows:pl-3'
/** First line the columns, second line the entitlements; a card has a checkbox and three columns. */
const rowClasses = `grid break-inside-avoid grid-cols-[2.75rem_8rem_minmax(0,1fr)_auto] gap-x-1 border-line border-b pb-1.5 pr-2 pl-1 rows:h-12 rows:items-center rows:gap-y-0 rows:py-0 ${gridClasses}`
const FIRST_LINE = 'rows:self-start rows:pt-1.5 rows:leading-5'
const cellClasses: Record<UserColumn['card'], string> = {
  top: `col-span-2 col-start-2 self-center ${FIRST_LINE}`,
  // Below a control of 44 pixels, whose text ends higher.
  line: `col-span-3 col-start-2 cards:-mt-3 ${FIRST_LINE}`,
  left: `col-start-2 text-xs leading-5 rows:text-sm ${FIRST_LINE}`,
  right: `col-span-2 text-xs leading-5 rows:text-sm ${FIRST_LINE}`,
  corner: 'col-start-4 row-start-1',
}

/** Explicit roles: some browsers drop the table semantics of elements with `display: grid`. */
export function getRole(role: 'table' | 'rowgroup' | 'row' | 'cell' | 'columnheader') {
  return { role }
}

interface UserRowProps extends Row {
  columns: readonly UserColumn[]
  index: number
  onToggle: (profile: ManagedProfile, isOn: boolean, isRange: boolean) => void
  onOpen: (userId: string) => void
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
  const { profile, catalogue, index, isSelected, isOutdated, top, measure, onToggle, onOpen, onAction } =
    props
  return (
    <tr
      ref={measure}
      {...getRole('row')}
      aria-rowindex={index + 2}
      data-index={index}
      // The link is for the keyboard; the whole row answers to a press.
      onClick={(event) => {
        const target = event.target as Element
        // React bubbles clicks in the row's menu, which stands elsewhere in the document.
        const isInRow = event.currentTarget.contains(target)
        const isLink = target.closest('a') !== null
        const isControl = target.closest('button, label, input')
        const opensElsewhere = event.shiftKey || event.ctrlKey || event.metaKey
        // The second press of a double click may have been aimed at a dialog that has just closed.
        const isPress = event.detail < 2 && !getSelection()?.toString()
        if (!isInRow || isControl || opensElsewhere || !(isLink || isPress)) return
        event.preventDefault()
        onOpen(profile.user_id)
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
      <Cell className="row-span-2 rows:row-auto">
        <Checkbox
          aria-label={`Selecionar ${profile.email}`}
          data-control="select"
          // `disabled` would drop the focus.
          aria-disabled={isOutdated}
          checked={isSelected}
          onChange={({ nativeEvent, target }) =>
            onToggle(profile, target.checked, (nativeEvent as MouseEvent).shiftKey)
          }
          className="size-11 justify-center rows:size-10"
        />
      </Cell>
      {props.columns.map(({ head, card, cardHead = head, cell }) => (
        <Cell key={head} className={classNames(cellClasses[card], 'rows:col-auto rows:row-auto')}>
          {props.isLabelled && (card === 'left' || card === 'right') && (
            <span aria-hidden="true" className="mr-1.5 text-muted rows:hidden">
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
    <td {...getRole('cell')} className={classNames('min-w-0 rows:whitespace-nowrap', className)}>
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
      className={classNames('block h-36 px-4 py-2 rows:h-12', top !== undefined && 'absolute inset-x-0')}
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
