import { type ComponentProps, type RefObject, useEffect, useRef } from 'react'
import type { ProfileSort } from '#contract/users.ts'
import { classNames } from '#web/ui/class-names.ts'
import { COLUMN_COUNT } from './columns.ts'
import type { ProfileOrder } from './profile-queries.ts'
import { RowTooltip } from './row-tooltip.tsx'
import { type Selection, selectionSize } from './selection.ts'
import { CARD_REM, cell, ROW_REM } from './table-grid.tsx'
import type { useProfileList } from './use-profile-list.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useRows } from './use-rows.ts'
import { EmptyRow, UserRows } from './user-rows.tsx'
import { UserTableHead } from './user-table-head.tsx'

/** Rows that stand in for a list of which nothing is known yet. */
const FIRST_SKELETONS = 12
/** So many rows before the end of what has been read, the next page is asked for. */
const READ_AHEAD = 50

type ProfileList = ReturnType<typeof useProfileList>

interface UserTableProps
  extends Pick<ComponentProps<typeof UserRows>, 'selection' | 'onToggle' | 'onAction'> {
  list: ProfileList
  order: ProfileOrder
  isNarrow: boolean
  /** The bar that sticks above the table. */
  bar: RefObject<HTMLElement | null>
  onSort: (sort: ProfileSort) => void
  onToggleAll: (isOn: boolean) => void
}

/** The table of /admin (SPEC section 2): it draws the rows in sight and reads on as they come near. */
export function UserTable(props: UserTableProps) {
  const { list, order, selection, isNarrow, bar, onSort, onToggle, onToggleAll, onAction } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const count = rowCount(list)
  const rows = useRows({ body, bar, count, rowRem: isNarrow ? CARD_REM : ROW_REM, isMeasured: isNarrow })
  const { virtualizer, start, barHeight, setFocused } = rows
  const items = virtualizer.getVirtualItems()
  const moveFocus = useRowKeys(body, virtualizer)
  useReadingOn(list, items.at(-1)?.index ?? 0)
  const canSelect = (list.total ?? 0) > 0 && !list.isOutdated
  const head = { order, onSort, onToggleAll, isNarrow, canSelect, top: barHeight }
  const measure = isNarrow ? virtualizer.measureElement : undefined
  const drawn = { items, start, measure, profiles: list.profiles, isOutdated: list.isOutdated }
  return (
    <>
      <table
        {...cell('table')}
        aria-label="Usuários"
        aria-rowcount={count + 1}
        aria-colcount={COLUMN_COUNT}
        aria-busy={list.isOutdated || list.isLoading}
        className="block w-full text-sm"
      >
        <UserTableHead {...head} selected={howMany(selection, list.total)} />
        <tbody
          ref={body}
          {...cell('rowgroup')}
          onKeyDown={moveFocus}
          // A press with Shift marks a range of rows, not a range of text.
          onMouseDown={(event) => event.shiftKey && event.preventDefault()}
          onFocus={({ target }) => setFocused(indexOf(target))}
          onBlur={() => setFocused(-1)}
          style={{ height: count === 0 ? undefined : virtualizer.getTotalSize() }}
          className={classNames('relative block', list.isOutdated && 'opacity-55')}
        >
          {count === 0 && <EmptyRow />}
          <UserRows {...drawn} {...{ selection, onToggle, onAction }} />
        </tbody>
      </table>
      <RowTooltip container={body} />
    </>
  )
}

/** Asks for the next page as the end of what has been read comes near. */
function useReadingOn({ profiles, readOn }: ProfileList, lastIndex: number): void {
  const isNearEnd = lastIndex + READ_AHEAD >= profiles.length
  useEffect(() => {
    if (isNearEnd) readOn()
  }, [isNearEnd, readOn])
}

/** All that match have their place from the start, read or not, so that the scroll bar tells the truth. */
function rowCount({ isLoading, hasMore, profiles, total = 0 }: ProfileList): number {
  if (isLoading) return FIRST_SKELETONS
  return hasMore ? Math.max(profiles.length + 1, total) : profiles.length
}

function howMany(selection: Selection, total: number | undefined): 'none' | 'some' | 'all' {
  const size = selectionSize(selection)
  if (size === 0) return 'none'
  return size === total ? 'all' : 'some'
}

function indexOf(target: HTMLElement): number {
  return Number(target.closest<HTMLElement>('[data-index]')?.dataset.index ?? -1)
}
