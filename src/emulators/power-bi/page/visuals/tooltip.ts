import { html, styled } from './elements.ts'

/** One line of a tooltip: a swatch when there is a colour, what it is, its figure. */
export interface TooltipLine {
  label: string
  value: string
  colour?: string | undefined
}

const box = html('div', { class: 'tooltip', role: 'tooltip', hidden: true })

/** Shows the tooltip near a point of the window (pixels), inside its edges. */
export function showTooltip(x: number, y: number, title: string, lines: readonly TooltipLine[]): void {
  const rows = lines.map(({ label, value, colour }) => {
    const swatch = html('span', { class: 'swatch' })
    if (colour) styled(swatch, { background: colour })
    return html('p', {}, swatch, html('span', {}, label), html('b', {}, value))
  })
  box.replaceChildren(html('strong', {}, title), ...rows)
  if (!box.isConnected) document.body.append(box)
  box.hidden = false
  const left = Math.min(x + 14, window.innerWidth - box.offsetWidth - 8)
  const above = y - box.offsetHeight - 12
  styled(box, { left: `${Math.max(8, left)}px`, top: `${above < 8 ? y + 18 : above}px` })
}

export function hideTooltip(): void {
  box.hidden = true
}
