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

/** An SVG element. */
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
