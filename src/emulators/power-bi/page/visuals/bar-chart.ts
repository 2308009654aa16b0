import { hideTooltip, html, showTooltip, styled, svg, type TooltipLine } from './elements.ts'

export interface Bar {
  name: string
  /** A plain bar has one. */
  parts: readonly { value: number; colour: string }[]
  /** The figure behind the bar. */
  label: string
  tooltip: readonly TooltipLine[]
  isPicked: boolean
  isDimmed: boolean
}

interface BarChartOptions {
  title: string
  bars: readonly Bar[]
  width: number
  height: number
  onPick: (name: string, isAdding: boolean) => void
}

const NAME_WIDTH = 50
const CHARACTER = 6.7
const WIDEST_BAND = 40

/** A transparent button over a bar: what mouse, keyboard and screen reader take hold of. */
function barButton(bar: Bar, top: number, band: number, onPick: BarChartOptions['onPick']): HTMLElement {
  const button = html('button', {
    type: 'button',
    class: 'bar-button',
    'data-key': `bar-${bar.name}`,
    'aria-pressed': String(bar.isPicked),
    'aria-label': `${bar.name}: ${bar.label}`,
  })
  styled(button, { top: `${top}px`, height: `${band}px` })
  button.addEventListener('click', (event) => onPick(bar.name, event.ctrlKey || event.metaKey))
  button.addEventListener('pointermove', ({ clientX, clientY }) =>
    showTooltip(clientX, clientY, bar.name, bar.tooltip),
  )
  button.addEventListener('pointerleave', hideTooltip)
  button.addEventListener('focus', () => {
    if (!button.matches(':focus-visible')) return
    const { left, top: y, width } = button.getBoundingClientRect()
    showTooltip(left + width / 2, y, bar.name, bar.tooltip)
  })
  button.addEventListener('blur', hideTooltip)
  return button
}

/** Horizontal bars, in the order given. */
export function drawBars({ title, bars, width, height, onPick }: BarChartOptions): Element[] {
  const totals = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part.value, 0))
  const most = Math.max(...totals, 1)
  const labelWidth = Math.max(...bars.map(({ label }) => label.length), 0) * CHARACTER + 10
  const room = Math.max(20, width - NAME_WIDTH - labelWidth)
  const band = Math.min(WIDEST_BAND, height / Math.max(1, bars.length))
  const thick = Math.max(6, Math.min(22, band * 0.64))
  const shapes = bars.map((bar, index) => {
    const middle = index * band + band / 2
    let x = NAME_WIDTH
    const rects = bar.parts.map(({ value, colour }) => {
      const length = (value / most) * room
      const rect = svg('rect', { x, y: middle - thick / 2, width: length, height: thick, fill: colour })
      x += length
      return rect
    })
    const name = svg('text', { x: NAME_WIDTH - 8, y: middle, class: 'bar-name' }, bar.name)
    const figure = svg('text', { x: x + 6, y: middle, class: 'bar-figure' }, bar.label)
    return svg(
      'g',
      { class: `${bar.isDimmed ? 'dimmed' : ''} ${bar.parts.length > 1 ? 'parted' : ''}` },
      name,
      ...rects,
      figure,
    )
  })
  const summary = `${title}. ${bars.map(({ name, label }) => `${name}: ${label}`).join('; ')}`
  const picture = svg('svg', { width, height, role: 'img', 'aria-label': summary }, ...shapes)
  return [picture, ...bars.map((bar, index) => barButton(bar, index * band, band, onPick))]
}
