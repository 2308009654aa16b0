import { formatFigure } from '#emulators/power-bi/data-set-format.ts'
import { html, svg } from './elements.ts'
import type { LineChartOptions, Plot } from './line-chart.ts'
import { shortMonth } from './scale.ts'
import { hideTooltip, showTooltip } from './tooltip.ts'

/** The month that a key leads to from `current`; undefined for any other key. */
function monthAfterKey(key: string, current: number, last: number): number | undefined {
  if (key === 'ArrowLeft') return current - 1
  if (key === 'ArrowRight') return current + 1
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

function figuresAt({ lines, format }: LineChartOptions, index: number) {
  return lines.map(({ name, colour, values }) => ({
    label: name,
    colour,
    value: formatFigure(values[index] ?? 0, format),
  }))
}

/** Marks a month in the picture. */
function drawCursor({ lines }: LineChartOptions, plot: Plot, index: number): Element[] {
  const x = plot.x(index)
  const dots = lines.map(({ colour, values }) =>
    svg('circle', { cx: x, cy: plot.y(values[index] ?? 0), r: 4, fill: colour, class: 'dot' }),
  )
  return [svg('line', { x1: x, x2: x, y1: plot.top, y2: plot.bottom, class: 'cursor' }), ...dots]
}

function createStrip({ title, months }: LineChartOptions): HTMLElement {
  return html('div', {
    class: 'line-reader',
    role: 'slider',
    tabindex: 0,
    'data-key': 'line-reader',
    'aria-label': `${title}, mês`,
    'aria-valuemin': 1,
    'aria-valuemax': months.length,
  })
}

/** The strip that reads the chart out month by month: under the pointer, or with the arrow keys. */
export function drawReader(options: LineChartOptions, plot: Plot, cursor: SVGGElement): HTMLElement {
  const { months, height } = options
  const last = months.length - 1
  let current = last
  const strip = createStrip(options)
  function move(index: number): void {
    current = Math.max(0, Math.min(last, index))
    const figures = figuresAt(options, current).map(({ label, value }) => `${label}: ${value}`)
    strip.setAttribute('aria-valuenow', String(current + 1))
    strip.setAttribute('aria-valuetext', `${shortMonth(months[current] ?? '')}, ${figures.join(', ')}`)
  }
  function show(x?: number, y?: number): void {
    cursor.replaceChildren(...drawCursor(options, plot, current))
    const { left, top } = strip.getBoundingClientRect()
    const title = shortMonth(months[current] ?? '')
    showTooltip(x ?? left + plot.x(current), y ?? top + height / 3, title, figuresAt(options, current))
  }
  function hide(): void {
    cursor.replaceChildren()
    hideTooltip()
  }
  strip.addEventListener('keydown', (event) => {
    const target = monthAfterKey(event.key, current, last)
    if (target === undefined) return
    event.preventDefault()
    move(target)
    show()
  })
  strip.addEventListener('pointermove', ({ clientX, clientY }) => {
    const within = clientX - strip.getBoundingClientRect().left
    move(Math.round(((within - plot.x(0)) / (plot.x(last) - plot.x(0))) * last))
    show(clientX, clientY)
  })
  strip.addEventListener('pointerleave', hide)
  strip.addEventListener('blur', hide)
  strip.addEventListener('focus', () => strip.matches(':focus-visible') && show())
  move(last)
  return strip
}
