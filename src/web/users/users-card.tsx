import { useRef } from 'react'
import { BulkButtons } from './bulk-buttons.tsx'
import { LoadFailure } from './load-failure.tsx'
import { selectionSize } from './selection.ts'
import { TableWords } from './table-words.tsx'
import { useDialogs } from './use-dialogs.tsx'
import { useKeptScroll } from './use-kept-scroll.ts'
import { useProfileList } from './use-profile-list.ts'
import { useSelection } from './use-selection.ts'
import { useTopOnChange } from './use-top-on-change.ts'
import { useUserView } from './use-user-view.ts'
import { useIsLow, useIsNarrow } from './use-window-size.ts'
import { UserTable } from './user-table.tsx'
import { UserToolbar } from './user-toolbar.tsx'
import { UsersHeading } from './users-heading.tsx'

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
  const failure = <LoadFailure onRetry={list.retry} isRetrying={list.isFetching} />
  return (
    <section ref={card} id="usuarios" aria-labelledby={TITLE_ID} tabIndex={-1} className="outline-none">
      {/* As high as the page at least, so that a shorter list moves nothing under the hand that types. */}
      <div className="min-h-[calc(100dvh-5.5rem)] rounded-xl border border-line bg-surface shadow-xs">
        <UsersHeading titleId={TITLE_ID} pending={list.pending} filter={filter} onFilter={setFilter} />
        {isNarrow && count === 0 && (
          <BulkButtons {...buttons} className="grid grid-cols-2 gap-2 px-4 pt-2 sm:px-6" />
        )}
        <UserToolbar ref={bar} isSticky={!isLow} filter={filter} onFilter={setFilter}>
          <div className="flex items-center justify-between gap-4">
            <TableWords {...words} isFiltered={Object.keys(filter).length > 0} />
            {!isNarrow && <BulkButtons {...buttons} className="flex gap-2" />}
          </div>
        </UserToolbar>
        {list.hasFailed ? failure : <UserTable {...rows} {...actions} />}
        {list.isBroken && failure}
        {isNarrow && count > 0 && <BulkButtons {...buttons} className={stickyClasses} />}
      </div>
      {dialogs}
    </section>
  )
}
