import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { adminMessages } from '#contract/user-rules.ts'
import type { ManagedProfile, ProfileFilter } from '#contract/users.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { LazyPart } from '#web/ui/lazy-part.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { exportList } from './export-data.ts'
import { getEmailId } from './row-actions.tsx'
import { countSelected, describeSelection, formatMatches, type Selection, useSelection } from './selection.ts'
import { useDialogs } from './use-dialogs.tsx'
import { useBarHeight, useScrollRestoration } from './use-rows.ts'
import { COLUMNS, type UserColumn } from './user-columns.tsx'
import { type ProfileOrder, type UserList, useUserList } from './user-queries.ts'
import { UserTable } from './user-table.tsx'
import { useUserView } from './user-view.ts'
import { UsersToolbar } from './users-toolbar.tsx'

const TITLE_ID = 'usuarios-titulo'
// The variant `rows` of the style sheet: the table fits from here on; below it people are cards.
const wideQuery = window.matchMedia('(min-width: 56.25rem)')
const printQuery = window.matchMedia('print')

const loadPanel = () => import('./person-panel.tsx')

export function UsersCard() {
  const { filter, order, isEnabled, setFilter, sortBy } = useUserView()
  const list = useUserList(filter, order, isEnabled)
  const { selection, toggle, toggleAll, keepOnly, clear } = useSelection(filter, order, list)
  const { dialogs, open, runAction } = useDialogs(selection, list.profiles.length > 0, keepOnly, getEmailId)
  const isNarrow = !useIsWide()
  const bar = useRef<HTMLDivElement>(null)
  const card = useRef<HTMLElement>(null)
  const barHeight = useBarHeight(bar)
  const columns = useFittingColumns(card, isNarrow)
  useScrollRestoration(card, JSON.stringify([filter, order]))

  const { shown, show } = useShownPerson(list.profiles)
  const count = countSelected(selection)
  const isPendingFilter = filter.approved === false
  const buttons: Omit<BulkButtonsProps, 'className'> = {
    count,
    canApprove:
      count > 0 &&
      (selection.kind === 'allMatching' ||
        [...selection.profiles.values()].some(({ approved }) => !approved)),
    isNarrow,
    onOpen: (kind) => open({ kind }),
  }
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
      {/* At least as tall as the page, so that a shorter list does not shift the search field. */}
      <div className="min-h-[calc(100dvh-5.5rem)] rounded-xl border border-line bg-surface shadow-xs">
        <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-4 sm:px-6 sm:pt-5">
          <h2 id={TITLE_ID} className="font-semibold text-lg">
            Administração de Usuários
          </h2>
          <ExportButton filter={filter} order={order} />
          <Button
            variant="secondary"
            aria-pressed={isPendingFilter}
            onClick={() =>
              setFilter(isPendingFilter ? { ...filter, approved: undefined } : { approved: false })
            }
            // Reserves its place until the count is known.
            className={classNames(
              'aria-pressed:border-brand-strong aria-pressed:bg-subtle',
              list.pendingCount === undefined && 'invisible',
            )}
          >
            Pendentes ({list.pendingCount?.toLocaleString('pt-BR') ?? '…'})
          </Button>
        </div>
        <UsersToolbar
          ref={bar}
          filter={filter}
          onFilter={setFilter}
          // Their place stays: the rows must not move under the pointer at the first tick.
          actions={!isNarrow && <ApproveButton {...buttons} />}
        >
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <Summary list={list} filter={filter} selection={selection} onClear={clear} />
            {!isNarrow && <BulkButtons {...buttons} className="flex gap-2" />}
          </div>
        </UsersToolbar>
        {list.hasFailed ? (
          failure
        ) : (
          <UserTable
            key={String(isNarrow)}
            {...{ list, order, selection, isNarrow, barHeight, columns }}
            onSort={sortBy}
            onToggle={toggle}
            onToggleAll={toggleAll}
            onOpen={show}
            onAction={runAction}
          />
        )}
        {list.isNextPageFailed && failure}
        {isNarrow && count > 0 && (
          <BulkButtons
            {...buttons}
            className="sticky bottom-0 z-5 grid grid-cols-2 gap-2 rounded-b-xl border-line border-t bg-raised p-3"
          >
            {buttons.canApprove && <ApproveButton {...buttons} />}
          </BulkButtons>
        )}
      </div>
      {shown && (
        <LazyPart
          name="person-panel"
          load={loadPanel}
          loading={null}
          failed="A pessoa não pôde ser aberta agora."
        >
          {({ PersonPanel }) => <PersonPanel {...shown} onAction={runAction} />}
        </LazyPart>
      )}
      {dialogs}
    </section>
  )
}

/** The person of the address, '?pessoa=', with the neighbours in the list. */
function useShownPerson(profiles: readonly ManagedProfile[]) {
  const { pessoa: userId } = useSearch({ strict: false }) as { pessoa?: unknown }
  const navigate = useNavigate()
  const show = useCallback(
    (next: string | undefined, replace = false) =>
      void navigate({
        to: '.',
        search: ({ pessoa: _, ...last }: { pessoa?: string }) => ({ ...last, ...(next && { pessoa: next }) }),
        replace,
      }),
    [navigate],
  )
  if (typeof userId !== 'string') return { show }
  const index = profiles.findIndex((profile) => profile.user_id === userId)
  const step = (by: number) => {
    const next = index < 0 ? undefined : profiles[index + by]
    return next && (() => show(next.user_id, true))
  }
  const shown = {
    userId,
    listed: profiles[index],
    onPrevious: step(-1),
    onNext: step(1),
    onClose: () => {
      show(undefined)
      document.getElementById(profiles[index] ? getEmailId(profiles[index]) : 'usuarios')?.focus()
    },
  }
  return { shown, show }
}

function ExportButton({ filter, order }: { filter: ProfileFilter; order: ProfileOrder }) {
  const { submit, isBusy } = useSubmit({
    send: () => exportList(filter, order),
    onFailed: 'Erro ao exportar a lista',
  })
  return (
    <Button variant="ghost" isBusy={isBusy} onClick={() => void submit()} className="ml-auto">
      Exportar lista
    </Button>
  )
}

function useIsWide(): boolean {
  const [isWide, setIsWide] = useState(wideQuery.matches)
  useEffect(() => {
    // Printing matches narrow, but swapping the table would lose scroll and focus; CSS prints cards.
    const onChange = () => printQuery.matches || setIsWide(wideQuery.matches)
    wideQuery.addEventListener('change', onChange)
    return () => wideQuery.removeEventListener('change', onChange)
  }, [])
  return isWide
}

/** Returns the columns that the card has room for; cards show all. */
function useFittingColumns(card: RefObject<HTMLElement | null>, areCards: boolean): readonly UserColumn[] {
  const [columns, setColumns] = useState(COLUMNS)
  useLayoutEffect(() => {
    const measure = () => {
      const width = card.current?.offsetWidth ?? 0
      const fitting = COLUMNS.filter(({ from = 0 }) => from <= width)
      setColumns((now) => (now.length === fitting.length ? now : fitting))
    }
    measure()
    const observer = new ResizeObserver(measure)
    if (card.current) observer.observe(card.current)
    return () => observer.disconnect()
  }, [card])
  return areCards ? COLUMNS : columns
}

interface BulkButtonsProps {
  count: number
  /** Whether anybody selected may wait for an approval. */
  canApprove: boolean
  isNarrow: boolean
  onOpen: (kind: 'bulk' | 'delete' | 'approve-many') => void
  className: string
}

/** The two specified bulk actions for the selected people. */
function BulkButtons(props: BulkButtonsProps & { children?: ReactNode }) {
  const { count, isNarrow, onOpen, className, children } = props
  const isEmpty = count === 0
  const shown = count.toLocaleString('pt-BR')
  const rest = { disabled: isEmpty, ...(isNarrow && NARROW_PROPS) }
  return (
    <div className={className}>
      {children}
      <Button variant={isEmpty ? 'ghost' : 'secondary'} onClick={() => onOpen('bulk')} {...rest}>
        Alterar Filtros em Massa ({shown})
      </Button>
      <Button variant={isEmpty ? 'ghost' : 'outlineDanger'} onClick={() => onOpen('delete')} {...rest}>
        Excluir Selecionados ({shown})
      </Button>
    </div>
  )
}

/** On a narrow window the labels may wrap. */
const NARROW_PROPS = {
  style: { whiteSpace: 'normal' },
  className: 'h-11 text-balance leading-tight',
} as const

/** Approves the selected people; shows only where one of them may wait for it. */
function ApproveButton({ count, canApprove, isNarrow, onOpen }: Omit<BulkButtonsProps, 'className'>) {
  const rest = canApprove
    ? isNarrow && { ...NARROW_PROPS, className: `${NARROW_PROPS.className} col-span-2` }
    : { className: 'invisible' }
  return (
    <Button variant="secondary" onClick={() => onOpen('approve-many')} {...rest}>
      Aprovar Selecionados ({count.toLocaleString('pt-BR')})
    </Button>
  )
}

interface SummaryProps {
  list: UserList
  filter: ProfileFilter
  selection: Selection
  onClear: () => void
}

/** The match count and the selection in words, announced when they change. */
function Summary({ list, filter, selection, onClear }: SummaryProps) {
  const { totalCount, unfilteredCount, isCounting } = list
  const isAnySelected = countSelected(selection) > 0
  const isFiltered = Object.keys(filter).length > 0
  return (
    <div className="flex min-h-9 min-w-0 grow basis-80 flex-wrap items-center gap-x-3 text-sm">
      <p role="status" className="text-muted">
        {totalCount !== undefined && formatMatches(totalCount, unfilteredCount, isFiltered)}
        {isAnySelected && <strong className="font-medium text-ink"> · {describeSelection(selection)}</strong>}
      </p>
      {isAnySelected && (
        <button type="button" onClick={onClear} className={textLinkClasses}>
          Limpar seleção
        </button>
      )}
      {/* A failed list shows its own error below. */}
      {list.isCountFailed && !list.hasFailed && (
        <p className="flex flex-wrap gap-x-3 text-danger">
          Os usuários não puderam ser contados.
          <button
            type="button"
            aria-disabled={isCounting}
            onClick={() => !isCounting && list.retry()}
            className={textLinkClasses}
          >
            {isCounting ? 'Tentando novamente…' : 'Tentar novamente'}
          </button>
        </p>
      )}
    </div>
  )
}
