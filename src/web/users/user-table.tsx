import type { VirtualItem } from '@tanstack/react-virtual'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { type ComponentProps, memo, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { adminMessages, type ManagedProfile, type ProfileSort } from '#contract/users.ts'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatDay, formatInstant } from '#web/ui/format-instant.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { RowTooltip } from './row-tooltip.tsx'
import { isSelected, type Selection, selectionSize } from './selection.ts'
import type { RowAction } from './use-dialogs.tsx'
import { useRowKeys, useRows } from './use-rows.ts'
import type { useProfileList } from './use-user-list.ts'
import {
  Badge,
  CARD_REM,
  COLUMN_COUNT,
  COLUMNS,
  cell,
  gridClasses,
  ROW_REM,
  RowActions,
  rowClasses,
  ScopeLine,
} from './user-columns.tsx'
import type { ProfileOrder } from './user-queries.ts'

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

interface UserRowsProps {
  items: readonly VirtualItem[]
  profiles: readonly ManagedProfile[]
  selection: Selection
  /** They are those of the last list. */
  isOutdated: boolean
  /** Where the rows begin in what scrolls, in pixels. */
  start: number
  /** Takes a row's height, where rows differ. */
  measure: ((row: HTMLElement | null) => void) | undefined
  onToggle: (profile: ManagedProfile, isOn: boolean, isRange: boolean) => void
  onAction: (action: RowAction, profile: ManagedProfile) => void
}

/** The rows near the visible part; those that have not been read yet hold their place. */
export function UserRows(props: UserRowsProps) {
  const { items, profiles, selection, isOutdated, start, measure, onToggle, onAction } = props
  return items.map((item) => {
    const profile = profiles[item.index]
    const top = item.start - start
    if (!profile) return <SkeletonRow key={item.index} top={top} />
    return (
      <UserRow
        key={profile.user_id}
        profile={profile}
        index={item.index}
        top={top}
        isSelected={isSelected(selection, profile.user_id)}
        isOutdated={isOutdated}
        measure={measure}
        onToggle={onToggle}
        onAction={onAction}
      />
    )
  })
}

/** Nobody matches. */
export function EmptyRow() {
  return (
    <tr {...cell('row')} className="block">
      <td {...cell()} colSpan={COLUMN_COUNT} className="block px-4 py-16 text-center text-muted">
        {adminMessages.none}
      </td>
    </tr>
  )
}

interface UserRowProps {
  profile: ManagedProfile
  index: number
  isSelected: boolean
  /** Of the last list: nobody can be selected until the next one is there. */
  isOutdated: boolean
  /** Distance from the top of the table's body in pixels. */
  top: number
  /** Takes the row's height, where rows differ. */
  measure: ((row: HTMLElement | null) => void) | undefined
  onToggle: (profile: ManagedProfile, isOn: boolean, isRange: boolean) => void
  onAction: (action: RowAction, profile: ManagedProfile) => void
}

/** One person: a line of the table, on a narrow window a card. */
export const UserRow = memo(function UserRow(props: UserRowProps) {
  const { profile, index, isSelected, isOutdated, top, measure, onToggle, onAction } = props
  const emailId = `email-${profile.user_id}`
  return (
    <tr
      ref={measure}
      {...cell('row')}
      aria-rowindex={index + 2}
      data-index={index}
      style={{ top }}
      className={classNames(
        rowClasses,
        'absolute inset-x-0 border-line border-b',
        isSelected ? 'bg-[color-mix(in_oklab,var(--accent)_9%,var(--surface))]' : 'hover:bg-canvas',
      )}
    >
      <td {...cell()} className="row-span-2 xl:row-auto">
        <label className="flex size-9 cursor-pointer items-center justify-center xl:size-10">
          <input
            type="checkbox"
            aria-label={`Selecionar ${profile.email}`}
            data-control="select"
            // Not disabled, which would take the focus away.
            aria-disabled={isOutdated}
            checked={isSelected}
            onChange={({ nativeEvent, target }) =>
              onToggle(profile, target.checked, (nativeEvent as MouseEvent).shiftKey)
            }
            className="size-4 cursor-pointer accent-brand"
          />
        </label>
      </td>
      <td
        {...cell()}
        id={emailId}
        title={profile.email}
        className="col-span-2 min-w-0 pt-1.5 font-medium xl:col-auto xl:truncate xl:pt-0"
      >
        {profile.email}
      </td>
      <td {...cell()} className="col-span-2 min-w-0 xl:col-auto">
        <span title={profile.full_name ?? undefined} className="block xl:truncate">
          {profile.full_name ?? <span className="text-muted">Sem nome</span>}
        </span>
        <ScopeLine
          profile={profile}
          isSelected={isSelected}
          className="pt-2 xl:absolute xl:right-4 xl:bottom-2 xl:left-14 xl:pt-0"
        />
      </td>
      <RowState profile={profile} isCard={measure !== undefined} />
      <td {...cell()} className="col-span-2 col-start-2 xl:col-auto">
        <RowActions profile={profile} describedBy={emailId} onAction={onAction} />
      </td>
    </tr>
  )
})

function RowState({ profile, isCard }: { profile: ManagedProfile; isCard: boolean }) {
  const { approved, email_verified_at, created_at, last_sign_in_at } = profile
  return (
    <>
      <StateCell isCard={isCard} label="Status" className="col-start-2 xl:col-auto">
        <Badge isGood={approved}>{approved ? 'Aprovado' : 'Pendente'}</Badge>
      </StateCell>
      <StateCell isCard={isCard} label="E-mail Verificado">
        <Badge isGood={email_verified_at !== null}>{email_verified_at ? 'Verificado' : 'Pendente'}</Badge>
      </StateCell>
      <StateCell isCard={isCard} label="Data de Registro" className="col-start-2 xl:col-auto">
        <time dateTime={created_at} title={formatInstant(created_at)}>
          {formatDay(created_at)}
        </time>
      </StateCell>
      <StateCell isCard={isCard} label="Último Acesso">
        {last_sign_in_at ? (
          <time dateTime={last_sign_in_at}>{formatInstant(last_sign_in_at)}</time>
        ) : (
          <span className="text-muted">Nunca</span>
        )}
      </StateCell>
    </>
  )
}

/** On a card, where no header stands above it, the column's name stands in the cell. */
function StateCell(props: { isCard: boolean; label: string; className?: string; children: ReactNode }) {
  return (
    <td {...cell()} className={classNames('min-w-0 xl:whitespace-nowrap', props.className)}>
      {props.isCard && (
        <span aria-hidden="true" className="mb-0.5 block text-muted text-xs">
          {props.label}
        </span>
      )}
      {props.children}
    </td>
  )
}

/** The place of a row that has not been read yet, of its size. */
export function SkeletonRow({ top }: { top: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused
    <tr
      aria-hidden="true"
      data-skeleton
      style={{ top }}
      className={`${rowClasses} absolute inset-x-0 h-66 border-line border-b`}
    >
      <td className="flex size-9 items-center justify-center xl:size-10">
        <Skeleton className="size-4" />
      </td>
      <td className="col-span-2 pt-2 xl:col-auto xl:pt-0">
        <Skeleton className="h-4 w-4/5" />
        <Skeleton className="mt-3 h-4 w-3/5 xl:absolute xl:bottom-2.5 xl:left-14 xl:mt-0 xl:w-96" />
      </td>
      <td className="hidden xl:block">
        <Skeleton className="h-4 w-3/5" />
      </td>
      {['status', 'verified', 'created', 'seen'].map((key, index) => (
        <td key={key} className={index % 2 === 0 ? 'col-start-2 xl:col-auto' : undefined}>
          <Skeleton className="h-4 w-20" />
        </td>
      ))}
      <td className="col-span-2 col-start-2 xl:col-auto">
        <Skeleton className="h-8 w-full max-w-60" />
      </td>
    </tr>
  )
}
