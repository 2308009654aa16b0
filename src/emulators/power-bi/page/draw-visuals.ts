import { MONTHS } from '#emulators/power-bi/data-set.ts'
import {
  type FigureFormat,
  formatFigure,
  formatNumber,
  formatShort,
} from '#emulators/power-bi/data-set-format.ts'
import type { FigureTable } from '#emulators/power-bi/data-set-sums.ts'
import { html, svg } from './elements.ts'

/** `note` compares the figure, `full` is its unshortened text, `trend` its monthly values. */
export interface Card {
  id: string
  label: string
  formatted: string
  note: string
  full: string
  trend: readonly number[]
  /** The color of swatch and trend. */
  color?: string | undefined
}

export interface Line {
  name: string
  color: string
  values: readonly number[]
}

export interface Bar {
  name: string
  /** The stacked parts; a plain bar has one. */
  parts: readonly { label: string; value: number; color: string }[]
}

/** `shade` returns a cell's share of the maximum (0 to 1), for a heat map. */
export interface ShadedTable extends FigureTable {
  shade?: (row: number, column: number) => number
}

export const MAIN_COLOR = '#118dff'
const MONTH_NAMES = 'jan fev mar abr mai jun jul ago set out nov dez'.split(' ')

/** '2025-03' → 'mar/25' */
export const formatMonth = (month = '') => `${MONTH_NAMES[Number(month.slice(5)) - 1]}/${month.slice(2, 4)}`

export const drawSwatch = (color: string) => html('span', { class: 'swatch', '--color': color })

/** Hidden until its parent, a month or a bar, is hovered or focused. */
function drawTooltip(title: string, lines: { label: string; value: string; color: string }[]): HTMLElement {
  const rows = lines.map(({ label, value, color }) =>
    html('span', { class: 'tooltip-line' }, drawSwatch(color), label, html('b', {}, value)),
  )
  return html('span', { class: 'tooltip' }, html('strong', {}, title), ...rows)
}

/** Draws a 100 × 100 SVG, which CSS stretches to its container. */
function drawPicture(className: string, ...shapes: (SVGElement | undefined)[]): SVGElement {
  const attributes = { class: className, viewBox: '0 0 100 100', preserveAspectRatio: 'none' }
  return svg('svg', { ...attributes, 'aria-hidden': 'true' }, ...shapes)
}

/** Formats the points of a line in such an SVG, with the minimum at the bottom. */
function formatPoints(values: readonly number[], least: number, most: number): string {
  const toHeight = (value: number) => ((value - least) / (most - least || 1)) * 100
  return values
    .map((value, index) => `${(index / (values.length - 1)) * 100},${100 - toHeight(value)}`)
    .join(' ')
}

export function drawCards(cards: readonly Card[], onClick: () => void): HTMLElement {
  const items = cards.map(({ id, label, formatted, note, full, trend, color }) => {
    const points = formatPoints(trend, Math.min(...trend), Math.max(...trend))
    const line = svg('polyline', { points, class: 'line', stroke: color ?? MAIN_COLOR })
    return html(
      'li',
      { class: 'card', 'data-card': id, title: full },
      html('p', { class: 'card-label' }, color && drawSwatch(color), label),
      html('p', { class: 'card-value', 'data-value': true }, formatted),
      html('p', { class: 'card-note' }, note),
      drawPicture('trend', line),
    )
  })
  return html('ul', { class: 'cards', 'aria-label': 'Indicadores', click: onClick }, ...items)
}

/** Computes round ticks from 0 to at least `most`, in about three steps of 1, 2, 2.5 or 5 × 10ⁿ. */
function computeTicks(most: number): number[] {
  if (most <= 0) return [0, 1]
  const rough = most / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step)
}

/** Formats a tick as short as possible without losing precision: 2500000 → '2,5 mi'. */
function formatTick(value: number, format: FigureFormat): string {
  const sign = format === 'reais' && value > 0 ? 'R$\u00a0' : ''
  const [unit, name] =
    value >= 1e9
      ? [1e9, '\u00a0bi']
      : value >= 1e6
        ? [1e6, '\u00a0mi']
        : value >= 1e4
          ? [1e3, '\u00a0mil']
          : [1, '']
  const scaled = value / unit
  const decimals = [0, 1].find((each) => Math.abs(scaled - Number(scaled.toFixed(each))) < 1e-9) ?? 2
  return `${sign}${formatNumber(scaled, decimals)}${name}`
}

/** Draws lines over the months from a baseline of 0; a single one has a shaded area. */
export function drawLines(title: string, lines: readonly Line[], format: FigureFormat): HTMLElement {
  const ticks = computeTicks(Math.max(...lines.flatMap(({ values }) => values), 0))
  const highest = ticks.at(-1) ?? 1
  const last = MONTHS.length - 1
  const grid = ticks.map((tick) => {
    const y = 100 - (tick / highest) * 100
    return svg('line', { x1: 0, x2: 100, y1: y, y2: y, class: tick === 0 ? 'axis' : 'grid' })
  })
  const shapes = lines.flatMap(({ color, values }) => {
    const points = formatPoints(values, 0, highest)
    const line = svg('polyline', { points, class: 'line', stroke: color })
    if (lines.length > 1) return [line]
    return [svg('polygon', { points: `0,100 ${points} 100,100`, class: 'area', fill: color }), line]
  })
  const listFigures = (index: number) =>
    lines.map(({ name, color, values }) => ({ label: name, color, value: values[index] ?? 0 }))
  const months = MONTHS.map((month, index) => {
    const figures = listFigures(index)
    const dots = figures.map(({ color, value }) =>
      html('i', { class: 'dot', '--color': color, '--height': `${(value / highest) * 100}%` }),
    )
    const tooltipLines = figures.map((figure) => ({ ...figure, value: formatFigure(figure.value, format) }))
    // Counts from the last month, which must have a label.
    const isNamed = (last - index) % 3 === 0
    return html(
      'div',
      { class: 'month', '--left': `${(index / last) * 100}%` },
      ...dots,
      drawTooltip(formatMonth(month), tooltipLines),
      isNamed ? html('span', { class: 'tick-x' }, formatMonth(month)) : undefined,
    )
  })
  const ends = listFigures(last).map(({ label, value }) => `${label}: ${formatFigure(value, format)}`)
  const summary = `${title}. ${formatMonth(MONTHS[last])}: ${ends.join('; ')}`
  return html(
    'div',
    { class: 'lines', role: 'img', 'aria-label': summary },
    html('div', { class: 'ticks-y' }, ...ticks.map((tick) => html('span', {}, formatTick(tick, format)))),
    html('div', { class: 'plot' }, drawPicture('picture', ...grid, ...shapes), ...months),
  )
}

/** Draws horizontal bars as buttons, dimmed when others are picked. */
export function drawBars(
  bars: readonly Bar[],
  format: FigureFormat,
  picked: readonly string[],
  onPick: (name: string, event: MouseEvent) => void,
): HTMLElement {
  const totals = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0))
  const labels = totals.map((total) => formatShort(total, format, 1))
  const most = Math.max(...totals, 1)
  const rows = bars.map(({ name, parts }, index) => {
    const isPicked = picked.includes(name)
    const attributes = {
      type: 'button',
      class: picked.length > 0 && !isPicked ? 'bar dimmed' : 'bar',
      'data-key': `bar-${name}`,
      'aria-pressed': String(isPicked),
      'aria-label': `${name}: ${labels[index]}`,
      click: (event: MouseEvent) => onPick(name, event),
    }
    return html(
      'button',
      attributes,
      html('span', { class: 'bar-name' }, name),
      ...parts.map(({ value, color }) =>
        html('span', { class: 'bar-part', '--color': color, '--share': value / most }),
      ),
      // Separates name and figure for screen readers.
      ' ',
      html('span', { class: 'bar-figure' }, labels[index]),
      drawTooltip(
        name,
        parts.map((part) => ({ ...part, value: formatFigure(part.value, format) })),
      ),
    )
  })
  const longest = Math.max(...labels.map(({ length }) => length), 0)
  return html('div', { class: 'bars', '--label': `${longest * 6.7 + 10}px` }, ...rows)
}

/** Draws a table with row headers in the first column and totals in the last row. */
export function drawTable(title: string, { columns, rows, shade }: ShadedTable): HTMLElement {
  const head = html('tr', {}, ...columns.map((column) => html('th', { scope: 'col' }, column)))
  const lines = rows.map(([name, ...cells], row) =>
    html(
      'tr',
      { class: row === rows.length - 1 && 'total' },
      html('th', { scope: 'row' }, name),
      ...cells.map((text, column) => {
        const share = shade?.(row, column)
        return html('td', { '--share': share ? `${Math.round(share * 34)}%` : undefined }, text)
      }),
    ),
  )
  const attributes = { 'aria-label': title, '--lines': rows.length + 1 }
  return html('table', attributes, html('thead', {}, head), html('tbody', {}, ...lines))
}
