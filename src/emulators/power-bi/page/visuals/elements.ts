type Child = Node | string | undefined
type Attributes = Record<string, string | number | boolean | undefined>

function fill<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** An HTML element; false and undefined leave an attribute out. */
export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children)
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

/** Styles set one by one: the page's policy allows no style attributes. */
export function styled<E extends HTMLElement>(element: E, styles: Record<string, string>): E {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value)
  return element
}

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
