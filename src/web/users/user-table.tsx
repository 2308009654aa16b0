import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { type CSSProperties, useEffect, useRef } from 'react'
import type { ProfileSort } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { Checkbox } from '#web/ui/choices.tsx'
import { classNames } from '#web/ui/class-names.ts'
import type { Row } from './row-actions.tsx'
import { countSelected, isSelected, type Selection } from './selection.ts'
import { useRowKeyboard, useRows } from './use-rows.ts'
import type { UserColumn } from './user-columns.tsx'
import type { ProfileOrder, UserList } from './user-queries.ts'
import { EmptyRow, getRole, gridClasses, SkeletonRow, UserRow } from './user-row.tsx'

/** Placeholder rows while the list is unknown. */
const FIRST_SKELETONS = 12
/** The next page is fetched this many rows before the end of the loaded ones. */
const PREFETCH_ROWS = 50
const toTracks = (columns: readonly UserColumn[]) =>
  ({ '--tracks': ['2.75rem', ...columns.map(({ width }) => width)].join(' ') }) as CSSProperties
/** Hints that the head scrolls sideways, and keeps its last button clear of the fade. */
const fadingEdge = {
  maskImage: 'linear-gradient(to right, black calc(100% - 3.5rem), transparent)',
  paddingRight: '3.5rem',
  scrollPaddingRight: '3.5rem',
}

interface UserTableProps {
  list: UserList
  order: ProfileOrder
  columns: readonly UserColumn[]
  selection: Selection
  isNarrow: boolean
  /** Height of the sticky bar above the table, in pixels. */
  barHeight: number
  onSort: (sort: ProfileSort) => void
  onToggle: (profile: ManagedProfile, isOn: boolean, isRange: boolean) => void
  onToggleAll: (isOn: boolean) => void
  onOpen: (userId: string) => void
  onAction: Row['onAction']
}

/** The table of /admin: a virtualized infinite list. */
export function UserTable(props: UserTableProps) {
  const { list, selection, columns, isNarrow, barHeight, onToggle, onOpen, onAction } = props
  const { profiles, isOutdated, loadMore } = list
  const catalogue = useCatalogue()
  const body = useRef<HTMLTableSectionElement>(null)
  // Unloaded rows take up space from the start, so that the scroll bar is accurate.
  const wholeCount = list.hasMore ? Math.max(profiles.length + 1, list.totalCount ?? 0) : profiles.length
  const count = list.isLoading ? FIRST_SKELETONS : wholeCount
  const { virtualizer, rows, above, isPrinting, setFocused } = useRows(
    body,
    barHeight,
    count,
    profiles,
    isNarrow,
  )
  const moveFocus = useRowKeyboard(body, virtualizer)
  // Printing renders all loaded rows, which must not load more and more.
  const isNearEnd = !isPrinting && (rows.at(-1)?.index ?? 0) + PREFETCH_ROWS >= profiles.length
  useEffect(() => {
    if (isNearEnd) loadMore?.()
  }, [isNearEnd, loadMore])
  return (
    <table
      {...getRole('table')}
      aria-label="Usuários"
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 1}
      aria-busy={isOutdated || list.isLoading}
      style={toTracks(columns)}
      className="block w-full text-sm"
    >
      <Head {...props} />
      <tbody
        ref={body}
        {...getRole('rowgroup')}
        onKeyDown={moveFocus}
        // Shift+click selects rows, not text.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onFocus={({ target }) =>
          setFocused(Number(target.closest<HTMLElement>('[data-index]')?.dataset.index ?? -1))
        }
        // While the focus moves between rows, neither may be unmounted.
        onBlur={({ currentTarget, relatedTarget }) =>
          !currentTarget.contains(relatedTarget) && setFocused(-1)
        }
        style={count === 0 ? undefined : { height: virtualizer.getTotalSize(), paddingTop: above }}
        className={classNames(
          'relative block [overflow-anchor:none] print:h-auto!',
          isOutdated && 'opacity-55',
        )}
      >
        {count === 0 && <EmptyRow />}
        {rows.map(({ index, top }) => {
          const profile = profiles[index]
          if (!profile) return <SkeletonRow key={index} top={top} />
          return (
            <UserRow
              key={profile.user_id}
              profile={profile}
              catalogue={catalogue}
              columns={columns}
              index={index}
              top={top}
              isSelected={isSelected(selection, profile.user_id)}
              isOutdated={isOutdated}
              measure={isNarrow ? virtualizer.measureElement : undefined}
              isLabelled={isNarrow || isPrinting}
              onToggle={onToggle}
              onOpen={onOpen}
              onAction={onAction}
            />
          )
        })}
      </tbody>
    </table>
  )
}

/** The sticky head of the table; on a narrow window its buttons scroll sideways. */
function Head(props: UserTableProps) {
  const { list, order, selection, columns, isNarrow, barHeight, onSort, onToggleAll } = props
  const size = countSelected(selection)
  const canSelect = (list.totalCount ?? 0) > 0 && !list.isOutdated
  return (
    <thead
      {...getRole('rowgroup')}
      style={{ top: barHeight }}
      className="sticky z-5 block border-line border-y bg-surface"
    >
      <tr
        {...getRole('row')}
        aria-rowindex={1}
        style={isNarrow ? fadingEdge : undefined}
        className={classNames(
          'flex h-11 items-center gap-1 overflow-x-auto pl-1 rows:overflow-visible',
          gridClasses,
        )}
      >
        <th {...getRole('columnheader')} scope="col" className="text-left">
          <Checkbox
            aria-label="Selecionar todos os usuários que correspondem"
            checked={size > 0 && size === list.totalCount}
            isMixed={size > 0 && size !== list.totalCount}
            // `disabled` would drop the focus.
            aria-disabled={!canSelect}
            onChange={({ target }) => onToggleAll(target.checked)}
            className={classNames('size-11 justify-center rows:size-10', !canSelect && 'opacity-55')}
          />
        </th>
        {columns.map((column) => (
          <ColumnHead key={column.head} {...column} order={order} onSort={onSort} />
        ))}
      </tr>
    </thead>
  )
}

function ColumnHead({ head, sort, order, onSort }: UserColumn & Pick<UserTableProps, 'order' | 'onSort'>) {
  const isSorted = order.sort === sort
  const Arrow = isSorted && order.order === 'desc' ? ArrowDown : ArrowUp
  const direction = order.order === 'asc' ? 'ascending' : 'descending'
  return (
    <th
      {...getRole('columnheader')}
      scope="col"
      aria-sort={sort && (isSorted ? direction : 'none')}
      className={sort ? 'shrink-0 text-left' : 'text-left font-medium text-muted text-xs cards:sr-only'}
    >
      {sort ? (
        <button
          type="button"
          onClick={() => onSort(sort)}
          className={classNames(
            '-mx-2 inline-flex h-11 items-center gap-1 whitespace-nowrap rounded-md px-2 font-medium text-xs',
            'cards:mx-0 focus-visible:-outline-offset-2 hover:bg-subtle hover:text-ink',
            isSorted ? 'text-ink cards:bg-subtle' : 'text-muted',
          )}
        >
          {head}
          <Arrow
            aria-hidden="true"
            className={classNames('size-3.5', !isSorted && 'invisible cards:hidden')}
          />
        </button>
      ) : (
        head
      )}
    </th>
  )
}
