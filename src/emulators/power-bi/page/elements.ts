type Child = Node | string | undefined
type Attributes = Record<string, string | number | boolean | undefined | ((event: MouseEvent) => void)>

/**
 * False and undefined omit an attribute, a function listens to the event of its name, and `--name`
 * sets a CSS variable, because the page's policy allows no style attributes.
 */
function fill<E extends HTMLElement | SVGElement>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function') element.addEventListener(name, value as EventListener)
    else if (name.startsWith('--')) element.style.setProperty(name, String(value))
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children)
}

export function svg(tag: keyof SVGElementTagNameMap, attributes: Attributes, ...children: Child[]) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}
