import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import type { ProfileSort } from '#contract/users.ts'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { COLUMNS } from './columns.ts'
import type { ProfileOrder } from './profile-queries.ts'
import { cell, gridClasses } from './table-grid.tsx'

interface UserTableHeadProps {
  order: ProfileOrder
  onSort: (sort: ProfileSort) => void
  selected: 'none' | 'some' | 'all'
  canSelect: boolean
  isNarrow: boolean
  onToggleAll: (isOn: boolean) => void
  /** Height in pixels of what sticks above it. */
  top: number
}

/** Shows that more buttons scroll in; the last one comes to rest before it. */
const fadingEdge = {
  maskImage: 'linear-gradient(to right, black calc(100% - 3.5rem), transparent)',
  paddingRight: '3.5rem',
  scrollPaddingRight: '3.5rem',
}

/** The head of the table, which stays in sight; on a narrow window its buttons scroll sideways. */
export function UserTableHead(props: UserTableHeadProps) {
  const { order, onSort, selected, canSelect, isNarrow, onToggleAll, top } = props
  return (
    <thead {...cell('rowgroup')} style={{ top }} className="sticky z-5 block border-line border-y bg-surface">
      <tr
        {...cell('row')}
        aria-rowindex={1}
        style={isNarrow ? fadingEdge : undefined}
        className={classNames(
          'flex h-11 items-center gap-1 overflow-x-auto pl-1 xl:overflow-visible',
          gridClasses,
        )}
      >
        <th {...cell('columnheader')} scope="col">
          <Checkbox
            label="Selecionar todos os usuários que correspondem"
            isLabelHidden
            checked={selected === 'all'}
            isMixed={selected === 'some'}
            // Not disabled, which would take the focus away.
            aria-disabled={!canSelect}
            onChange={({ target }) => onToggleAll(target.checked)}
            className={classNames('size-9 justify-center xl:size-10', !canSelect && 'opacity-55')}
          />
        </th>
        {COLUMNS.map((column) => (
          <SortHeader key={column.sort} {...column} order={order} onSort={onSort} />
        ))}
        <th
          {...cell('columnheader')}
          scope="col"
          className="text-left font-medium text-muted text-xs max-xl:sr-only"
        >
          Ações
        </th>
      </tr>
    </thead>
  )
}

interface SortHeaderProps {
  sort: ProfileSort
  label: string
  order: ProfileOrder
  onSort: (sort: ProfileSort) => void
}

function SortHeader({ sort, label, order, onSort }: SortHeaderProps) {
  const isSorted = order.sort === sort
  const Arrow = isSorted && order.order === 'desc' ? ArrowDown : ArrowUp
  const direction = order.order === 'asc' ? 'ascending' : 'descending'
  return (
    <th
      {...cell('columnheader')}
      scope="col"
      aria-sort={isSorted ? direction : 'none'}
      className="shrink-0 text-left"
    >
      <button
        type="button"
        onClick={() => onSort(sort)}
        className={classNames(
          '-mx-2 inline-flex h-9 items-center gap-1 whitespace-nowrap rounded-md px-2 font-medium text-xs',
          'max-xl:mx-0 focus-visible:-outline-offset-2 hover:bg-subtle hover:text-ink',
          isSorted ? 'text-ink max-xl:bg-subtle' : 'text-muted',
        )}
      >
        {label}
        <Arrow
          aria-hidden="true"
          className={classNames('size-3.5', !isSorted && 'invisible max-xl:hidden')}
        />
      </button>
    </th>
  )
}
