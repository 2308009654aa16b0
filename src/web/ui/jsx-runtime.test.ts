import type { ReactElement, ReactNode } from 'react'
import { describe, expect, test } from 'vitest'
import { jsx, jsxs } from './jsx-runtime.ts'

const icon = jsx('svg', {}) as ReactElement
const getChildren = (...children: ReactNode[]) =>
  (jsxs('p', { children }) as ReactElement<{ children: unknown }>).props.children
const span = (text: string) => expect.objectContaining({ type: 'span', props: { children: text } })

describe('an element of JSX', () => {
  test('joins its texts where there is nothing else', () => {
    expect(getChildren('Reenviar em ', 59, 's')).toBe('Reenviar em 59s')
    expect(getChildren(false, 'Entrar', null, undefined)).toBe('Entrar')
    expect(getChildren(false, 0)).toBe('0')
  })

  test('puts each text beside an element into one of its own, and leaves the others in their places', () => {
    expect(getChildren(icon, 'Entrar')).toEqual([icon, span('Entrar')])
    expect(getChildren('Há ', 3, icon, ' e ', false, 4)).toEqual([
      span('Há 3'),
      null,
      icon,
      span(' e 4'),
      false,
      null,
    ])
    expect(getChildren(['a'], 'b')).toEqual([['a'], span('b')])
  })

  test('keeps blanks between elements as they are, which nobody translates', () => {
    expect(getChildren(icon, ' ', icon)).toEqual([icon, ' ', icon])
  })

  test('keeps children without any text', () => {
    expect(getChildren(null, false)).toEqual([null, false])
    expect(getChildren(icon, null)).toEqual([icon, null])
  })
})
