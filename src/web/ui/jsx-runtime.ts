import type { ElementType, Key, ReactElement, ReactNode } from 'react'
import * as react from 'react/jsx-runtime'

export { Fragment, type JSX, jsx } from 'react/jsx-runtime'

/**
 * Creates elements of several children; tsconfig.json and vite.config.ts have JSX call it.
 * Translation replaces text nodes, which React bears only in elements that hold nothing else.
 */
export function jsxs(type: ElementType, props: { children: ReactNode[] }, key?: Key): ReactElement {
  const children = separateText(props.children)
  const create = Array.isArray(children) ? react.jsxs : react.jsx
  return create(type, { ...props, children }, key)
}

/** Creates elements in development, where one function serves for any number of children. */
export function jsxDEV(
  type: ElementType,
  props: { children: ReactNode[] },
  key: Key | undefined,
  isStatic: boolean,
): ReactElement {
  return isStatic ? jsxs(type, props, key) : react.jsx(type, props, key)
}

/** Joins adjacent texts; beside elements, each gets an element of its own. */
function separateText(children: readonly ReactNode[]): ReactNode {
  const separated = [...children]
  let text = -1
  let isAlone = true
  for (const [index, child] of children.entries()) {
    if (child === null || child === undefined || typeof child === 'boolean') continue
    if (typeof child !== 'string' && typeof child !== 'number') {
      text = -1
      isAlone = false
    } else if (text < 0) {
      text = index
      separated[index] = String(child)
    } else {
      separated[text] += String(child)
      separated[index] = null
    }
  }
  if (isAlone && text >= 0) return separated[text]
  return separated.map((child) =>
    typeof child === 'string' && child.trim() ? react.jsx('span', { children: child }) : child,
  )
}
