/** The columns of header and rows alike; a file of its own, since Tailwind reads classes from .tsx alone. */
export const gridClasses =
  'xl:grid xl:grid-cols-[2.75rem_minmax(0,1.25fr)_minmax(0,1fr)_6.25rem_8rem_7.5rem_8.5rem_15.25rem] xl:gap-x-2 xl:pr-2 xl:pl-1'

/** A row: first line the columns, second line what the person may see. On a card three columns, the box first. */
export const rowClasses = `grid grid-cols-[2.5rem_minmax(0,1fr)_minmax(0,1fr)] gap-x-2 gap-y-2 py-3 pr-3 pl-1 text-sm xl:h-19 xl:items-center xl:gap-y-0 xl:pt-1 xl:pb-8 ${gridClasses}`

/** The height of a row of the table and the likely one of a card, in rem. */
export const ROW_REM = 4.75
export const CARD_REM = 16.5

type CellRole = 'table' | 'rowgroup' | 'row' | 'cell' | 'columnheader'

/** Said in so many words, because some browsers take a table for none once it is laid out as a grid. */
export function cell(role: CellRole = 'cell'): { role: CellRole } {
  return { role }
}
