import type { ReportEvents } from './emit-events.ts'
import type { PageName } from './report-pages.ts'
import { flawOfSession, permittedScope, type Session } from './session.ts'
import { basicFilter, type FilterColumn, replaceFilter } from './update-filters.ts'

/**
 * What a reader can do with an open report. Each first looks at the token: with one that has died nothing
 * happens but the error event, as in Power BI.
 */
export function createActions(session: Session, events: ReportEvents, draw: () => void) {
  function isOpen(): boolean {
    const flaw = flawOfSession(session)
    if (flaw) events.error(flaw)
    return !flaw
  }

  function openPage(name: PageName): void {
    if (!isOpen() || name === session.page) return
    session.page = name
    session.selection = undefined
    events.pageChanged(name)
    draw()
  }

  /** Selects a value, or adds it to the selection; selecting the only selected one again lets it go. */
  function toggle(column: FilterColumn, value: string, isAdding: boolean): void {
    if (!isOpen()) return
    const current = session.selection?.column === column ? session.selection.values : []
    const others = current.filter((each) => each !== value)
    const isPicked = current.includes(value)
    const values = isAdding
      ? isPicked
        ? others
        : [...current, value]
      : isPicked && current.length === 1
        ? []
        : [value]
    session.selection = values.length > 0 ? { column, values } : undefined
    events.visualClicked()
    events.dataSelected()
    draw()
  }

  function clearSelection(): void {
    if (!isOpen()) return
    session.selection = undefined
    events.buttonClicked()
    draw()
  }

  function clickVisual(): void {
    if (isOpen()) events.visualClicked()
  }

  function filterByReader(column: FilterColumn, values: readonly string[]): void {
    if (!isOpen()) return
    const all = column === 'Marca' ? permittedScope(session).marcas : permittedScope(session).estados
    const isAll = values.length === all.length
    const chosen = { ...basicFilter(column, values), ...(isAll ? { operator: 'All', values: [] } : {}) }
    session.filters = replaceFilter(session.filters, chosen)
    session.selection = undefined
    events.filtersApplied()
    draw()
  }

  return { isOpen, openPage, toggle, clearSelection, clickVisual, filterByReader }
}

export type ReportActions = ReturnType<typeof createActions>
