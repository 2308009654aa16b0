import { type FigureFormat, formatFigure } from '#emulators/power-bi/data-set-format.ts'
import { hideTooltip, html, showTooltip, svg } from './elements.ts'
import { formatTick, shortMonth, ticksUpTo } from './scale.ts'

export interface Line {
  name: string
  colour: string
  values: readonly number[]
}

interface LineChartOptions {
  title: string
  months: readonly string[]
  lines: readonly Line[]
  format: FigureFormat
  width: number
  height: number
}

/** Where things stand in the picture, in pixels. */
interface Plot {
  left: number
  right: number
  top: number
  bottom: number
  x: (index: number) => number
  y: (value: number) => number
  ticks: number[]
}

function layOut({ months, lines, format, width, height }: LineChartOptions): Plot {
  const most = Math.max(...lines.flatMap(({ values }) => values), 0)
  const ticks = ticksUpTo(most, Math.max(2, Math.min(4, Math.floor(height / 44))))
  const highest = ticks.at(-1) ?? 1
  const left = Math.max(...ticks.map((tick) => formatTick(tick, format).length)) * 6.2 + 8
  const [right, top, bottom] = [width - 10, 8, height - 22]
  return {
    left,
    right,
    top,
    bottom,
    ticks,
    x: (index) => left + 4 + (index / Math.max(1, months.length - 1)) * (right - left - 4),
    y: (value) => bottom - (value / highest) * (bottom - top),
  }
}

function drawAxes({ months, format }: LineChartOptions, plot: Plot): Element[] {
  const rows = plot.ticks.map((tick) => {
    const y = plot.y(tick)
    const rule = svg('line', {
      x1: plot.left,
      x2: plot.right,
      y1: y,
      y2: y,
      class: tick === 0 ? 'axis' : 'grid',
    })
    return svg('g', {}, rule, svg('text', { x: plot.left - 6, y, class: 'tick-y' }, formatTick(tick, format)))
  })
  const step = [3, 4, 6, 12].find((each) => ((plot.right - plot.left) / months.length) * each >= 46) ?? 12
  const names = months.flatMap((month, index) => {
    // Counted from the last month, which is the one people look for.
    if ((months.length - 1 - index) % step !== 0) return []
    const anchor = index === months.length - 1 ? 'end' : 'middle'
    const x = plot.x(index) + (anchor === 'end' ? 8 : 0)
    return svg('text', { x, y: plot.bottom + 16, class: 'tick-x', 'text-anchor': anchor }, shortMonth(month))
  })
  return [...rows, ...names]
}

function drawLine(line: Line, plot: Plot, isAlone: boolean): Element[] {
  const path = line.values
    .map((value, index) => `${index ? 'L' : 'M'}${plot.x(index)},${plot.y(value)}`)
    .join('')
  const stroke = svg('path', { d: path, class: 'line', stroke: line.colour })
  if (!isAlone) return [stroke]
  const end = plot.x(line.values.length - 1)
  const area = `${path}L${end},${plot.bottom}L${plot.x(0)},${plot.bottom}Z`
  return [svg('path', { d: area, class: 'area', fill: line.colour }), stroke]
}

/** Lines over the months from a baseline of 0; a single one gets a shaded area. */
export function drawLines(options: LineChartOptions): Element[] {
  const { title, months, lines, format, width, height } = options
  const plot = layOut(options)
  const cursor = svg('g')
  const ends = lines.map(({ name, values }) => `${name}: ${formatFigure(values.at(-1) ?? 0, format)}`)
  const summary = `${title}. ${shortMonth(months.at(-1) ?? '')}: ${ends.join('; ')}`
  const shapes = lines.flatMap((line) => drawLine(line, plot, lines.length === 1))
  const picture = svg(
    'svg',
    { width, height, role: 'img', 'aria-label': summary },
    ...drawAxes(options, plot),
    ...shapes,
    cursor,
  )
  return [picture, drawReader(options, plot, cursor)]
}

function figuresAt({ lines, format }: LineChartOptions, index: number) {
  return lines.map(({ name, colour, values }) => ({
    label: name,
    colour,
    value: formatFigure(values[index] ?? 0, format),
  }))
}

function drawCursor({ lines }: LineChartOptions, plot: Plot, index: number): Element[] {
  const x = plot.x(index)
  const dots = lines.map(({ colour, values }) =>
    svg('circle', { cx: x, cy: plot.y(values[index] ?? 0), r: 4, fill: colour, class: 'dot' }),
  )
  return [svg('line', { x1: x, x2: x, y1: plot.top, y2: plot.bottom, class: 'cursor' }), ...dots]
}

/** The strip that reads the chart out month by month under the pointer; the table has the figures for all others. */
function drawReader(options: LineChartOptions, plot: Plot, cursor: SVGGElement): HTMLElement {
  const { months } = options
  const last = months.length - 1
  const strip = html('div', { class: 'line-reader' })
  strip.addEventListener('pointermove', ({ clientX, clientY }) => {
    const within = clientX - strip.getBoundingClientRect().left
    const asked = Math.round(((within - plot.x(0)) / (plot.x(last) - plot.x(0))) * last)
    const index = Math.max(0, Math.min(last, asked))
    cursor.replaceChildren(...drawCursor(options, plot, index))
    showTooltip(clientX, clientY, shortMonth(months[index] ?? ''), figuresAt(options, index))
  })
  strip.addEventListener('pointerleave', () => {
    cursor.replaceChildren()
    hideTooltip()
  })
  return strip
}
