import type { Virtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'

/** Moves the focus from a control of one row to the same one of another: arrow keys, Home and End. */
export function useRowKeys(
  body: RefObject<HTMLElement | null>,
  virtualizer: Virtualizer<HTMLElement, HTMLElement>,
) {
  const wanted = useRef<{ index: number; control: string }>(undefined)

  // After every drawing: the row may have to be scrolled to, or read, before it can take the focus.
  useLayoutEffect(() => {
    if (!wanted.current) return
    const { index, control } = wanted.current
    const target = body.current?.querySelector<HTMLElement>(
      `[data-index="${index}"] [data-control="${control}"]`,
    )
    if (!target) return
    wanted.current = undefined
    target.focus({ preventScroll: true })
  })

  return (event: KeyboardEvent<HTMLElement>) => {
    const control = (event.target as HTMLElement).dataset.control
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
    if (!control || !row || event.ctrlKey || event.metaKey || event.altKey) return
    const { count } = virtualizer.options
    const index = targetOf(event.key, Number(row.dataset.index), count)
    if (index === undefined || index < 0 || index >= count) return
    event.preventDefault()
    wanted.current = { index, control }
    const there = body.current?.querySelector<HTMLElement>(
      `[data-index="${index}"] [data-control="${control}"]`,
    )
    virtualizer.scrollToIndex(index, { align: 'auto' })
    there?.focus({ preventScroll: true })
    if (there) wanted.current = undefined
  }
}

function targetOf(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return index + 1
  if (key === 'ArrowUp') return index - 1
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}
