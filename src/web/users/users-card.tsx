import { useCallback, useRef, useSyncExternalStore } from 'react'
import { adminMessages, type ProfileFilter } from '#contract/users.ts'
import { Button } from '#web/ui/button.tsx'
import { FailedLoad } from '#web/ui/failed-load.tsx'
import { textLinkClasses } from '#web/ui/text-link.ts'
import { matchesInWords, type Selection, selectionInWords, selectionSize } from './selection.ts'
import { useDialogs } from './use-dialogs.tsx'
import { useKeptScroll, useTopOnChange } from './use-rows.ts'
import { useSelection } from './use-selection.ts'
import { useProfileList } from './use-user-list.ts'
import { UserTable } from './user-table.tsx'
import { useUserView } from './user-view.ts'
import { UsersToolbar } from './users-toolbar.tsx'

const TITLE_ID = 'usuarios-titulo'
const stickyClasses =
  'sticky bottom-0 z-5 grid grid-cols-2 gap-2 rounded-b-xl border-line border-t bg-raised p-3'

/** The card 'Administração de Usuários' of /admin (SPEC section 2). */
export function UsersCard() {
  const { filter, order, setFilter, sortBy } = useUserView()
  const list = useProfileList(filter, order)
  const { selection, toggle, toggleAll, clear } = useSelection(filter, order, list)
  const { dialogs, open, act } = useDialogs(selection, list.profiles.length > 0, clear)
  const isNarrow = useIsNarrow()
  const isLow = useIsLow()
  const bar = useRef<HTMLDivElement>(null)
  const card = useRef<HTMLElement>(null)
  useKeptScroll(card)
  useTopOnChange(card, JSON.stringify([filter, order]))

  const count = selectionSize(selection)
  const ask = { onEdit: () => open({ kind: 'bulk' }), onDelete: () => open({ kind: 'delete' }) }
  const buttons = { ...ask, count, isNarrow }
  const words = { list, selection, onClear: clear }
  const rows = { list, order, selection, isNarrow, bar }
  const actions = { onSort: sortBy, onToggle: toggle, onToggleAll: toggleAll, onAction: act }
  const failure = (
    <FailedLoad
      title={adminMessages.loadFailed}
      onRetry={list.retry}
      isRetrying={list.isFetching}
      className="m-4"
    >
      A lista não pôde ser lida agora.
    </FailedLoad>
  )
  return (
    <section ref={card} id="usuarios" aria-labelledby={TITLE_ID} tabIndex={-1} className="outline-none">
      {/* As high as the page at least, so that a shorter list moves nothing under the hand that types. */}
      <div className="min-h-[calc(100dvh-5.5rem)] rounded-xl border border-line bg-surface shadow-xs">
        <UsersHeading titleId={TITLE_ID} pending={list.pending} filter={filter} onFilter={setFilter} />
        {isNarrow && count === 0 && (
          <BulkButtons {...buttons} className="grid grid-cols-2 gap-2 px-4 pt-2 sm:px-6" />
        )}
        <UsersToolbar ref={bar} isSticky={!isLow} filter={filter} onFilter={setFilter}>
          <div className="flex items-center justify-between gap-4">
            <TableWords {...words} isFiltered={Object.keys(filter).length > 0} />
            {!isNarrow && <BulkButtons {...buttons} className="flex gap-2" />}
          </div>
        </UsersToolbar>
        {list.hasFailed ? failure : <UserTable {...rows} {...actions} />}
        {list.isBroken && failure}
        {isNarrow && count > 0 && <BulkButtons {...buttons} className={stickyClasses} />}
      </div>
      {dialogs}
    </section>
  )
}

interface UsersHeadingProps {
  /** Id of the title, which names the card. */
  titleId: string
  /** How many wait for approval in all. */
  pending: number | undefined
  filter: ProfileFilter
  onFilter: (filter: ProfileFilter) => void
}

/** The card's title, and the way to everybody who waits for approval. */
export function UsersHeading({ titleId, pending, filter, onFilter }: UsersHeadingProps) {
  const isShown = filter.approved === false
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-4 sm:px-6 sm:pt-5 xl:px-4">
      <h2 id={titleId} className="font-semibold text-lg">
        Administração de Usuários
      </h2>
      {pending !== undefined && (
        <Button
          variant="secondary"
          aria-pressed={isShown}
          onClick={() => onFilter(isShown ? { ...filter, approved: undefined } : { approved: false })}
          className="h-9 px-3 aria-pressed:border-brand aria-pressed:bg-subtle"
        >
          Pendentes ({pending.toLocaleString('pt-BR')})
        </Button>
      )}
    </div>
  )
}

interface BulkButtonsProps {
  count: number
  onEdit: () => void
  onDelete: () => void
  /** They share a line, whose halves may be narrower than their words. */
  isNarrow: boolean
  className?: string
}

const numbers = new Intl.NumberFormat('pt-BR')
const wrapped = { whiteSpace: 'normal' } as const

/** What can be done with everybody selected (SPEC section 2). */
export function BulkButtons({ count, onEdit, onDelete, isNarrow, className }: BulkButtonsProps) {
  const shown = numbers.format(count)
  const look = isNarrow
    ? { style: wrapped, className: 'h-11 px-2 text-balance leading-tight' }
    : { className: 'h-9 px-3' }
  return (
    <div className={className}>
      <Button variant="secondary" disabled={count === 0} onClick={onEdit} {...look}>
        Alterar Filtros em Massa ({shown})
      </Button>
      <Button
        variant={count === 0 ? 'secondary' : 'danger'}
        disabled={count === 0}
        onClick={onDelete}
        {...look}
      >
        Excluir Selecionados ({shown})
      </Button>
    </div>
  )
}

interface TableWordsProps {
  list: ReturnType<typeof useProfileList>
  isFiltered: boolean
  selection: Selection
  onClear: () => void
}

/** How many match and who is selected, in words, read out when it changes. */
export function TableWords({ list, isFiltered, selection, onClear }: TableWordsProps) {
  const { total, everybody } = list
  const isAnySelected = selectionSize(selection) > 0
  return (
    <div className="flex min-h-9 min-w-0 flex-wrap items-center gap-x-3 text-sm">
      <p role="status" className="text-muted">
        {total !== undefined && matchesInWords(total, everybody, isFiltered)}
        {isAnySelected && <strong className="font-medium text-ink"> · {selectionInWords(selection)}</strong>}
      </p>
      {isAnySelected && (
        <button type="button" onClick={onClear} className={textLinkClasses}>
          Limpar seleção
        </button>
      )}
      {/* Where the people themselves could not be read, that is said below. */}
      {list.isCountBroken && !list.hasFailed && <CountFailure {...list} />}
    </div>
  )
}

type CountFailureProps = Pick<TableWordsProps['list'], 'isCounting' | 'retryCount'>

function CountFailure({ isCounting, retryCount }: CountFailureProps) {
  return (
    <p className="flex flex-wrap gap-x-3 text-danger">
      Os usuários não puderam ser contados.
      <button
        type="button"
        aria-disabled={isCounting}
        onClick={() => !isCounting && retryCount()}
        className={textLinkClasses}
      >
        {isCounting ? 'Tentando novamente…' : 'Tentar novamente'}
      </button>
    </p>
  )
}

// Tailwind's xl, from which on the table fits.
const wide = window.matchMedia('(min-width: 80rem)')
// Lower, and what sticks would leave no place for rows: a phone held sideways, a laptop's window at 200 %.
const low = window.matchMedia('(max-height: 36rem)')

/** Whether the window is too narrow for a table, so that people are shown as cards. */
export function useIsNarrow(): boolean {
  return !useMatch(wide)
}

/** Whether the window is too low for a bar that stays in sight above the rows. */
export function useIsLow(): boolean {
  return useMatch(low)
}

function useMatch(query: MediaQueryList): boolean {
  const subscribe = useCallback(
    (callback: () => void) => {
      query.addEventListener('change', callback)
      return () => query.removeEventListener('change', callback)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => query.matches)
}
