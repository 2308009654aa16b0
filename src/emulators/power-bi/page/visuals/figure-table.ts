import type { FigureTable } from '#emulators/power-bi/data-set-sums.ts'
import { html, styled } from './elements.ts'

/** `shade` gives a cell's share of the greatest (0 to 1), for a matrix tinted by value. */
export interface FigureTableOptions extends FigureTable {
  title: string
  shade?: ((row: number, column: number) => number) | undefined
}

function drawCell(text: string, share: number): HTMLElement {
  const cell = html('td', {}, text)
  if (share > 0) styled(cell, { '--share': `${Math.round(share * 34)}%` })
  return cell
}

/** A table whose first column heads the rows and whose last row is the total. */
export function drawTable({ title, columns, rows, shade }: FigureTableOptions): HTMLElement {
  const head = html('tr', {}, ...columns.map((column) => html('th', { scope: 'col' }, column)))
  const lines = rows.map(([name = '', ...cells], row) =>
    html(
      'tr',
      { class: row === rows.length - 1 ? 'total' : undefined },
      html('th', { scope: 'row' }, name),
      ...cells.map((text, column) => drawCell(text, shade?.(row, column) ?? 0)),
    ),
  )
  const table = html('table', {}, html('thead', {}, head), html('tbody', {}, ...lines))
  table.setAttribute('aria-label', title)
  return table
}
