import { useEffect, useEffectEvent, useState } from 'react'
import { getOpenReport } from '#web/reports/open-report.ts'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { areKeysOn } from './single-keys.ts'

const loadSearch = async () => (await import('./search-dialog.tsx')).SearchDialog
const loadKeys = async () => (await import('./keys-dialog.tsx')).KeysDialog

/** It has keys of its own; one that is closing has none. */
const OPEN_POPUP = ['dialog', 'alertdialog', 'menu', 'listbox']
  .map((role) => `[role="${role}"]:not([data-closed], [data-closed] *)`)
  .join()

/**
 * Ctrl K opens 'Buscar', ? the list of keys; the others are of the reports screen.
 * @returns also what is typed into 'Buscar', from before it has the focus on
 */
export function useShortcuts() {
  const [q, setQ] = useState('')
  const search = useLazyDialog(loadSearch)
  const openSearch = () => {
    setQ('')
    search.open()
  }
  const keys = useLazyDialog(loadKeys)
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event
    if (event.defaultPrevented || event.isComposing || event.repeat || altKey) return
    if (search.isOpen && key.length === 1 && !ctrlKey && !metaKey && !isInDialog(target)) {
      event.preventDefault()
      return setQ((typed) => typed + key)
    }
    if (document.querySelector(OPEN_POPUP)) return
    const run = ctrlKey || metaKey ? key.toLowerCase() === 'k' && !shiftKey && openSearch : findAction(event)
    if (!run || (!(ctrlKey || metaKey) && isField(target))) return
    event.preventDefault()
    run()
  })
  function findAction({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    if (!areKeysOn()) return undefined
    if (key === '?') return keys.open
    const report = getOpenReport()
    if (!report || shiftKey) return undefined
    const area = report.areas[Number(key) - 1]
    if (area !== undefined) return () => report.selectArea(area)
    const letter = key.toLowerCase()
    if (letter === 'f' || (key === 'Escape' && report.isReportOnly)) return report.toggleReportOnly
    return letter === 's' ? report.saveView : undefined
  }
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handleKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
  return { search: { ...search, open: openSearch, q, setQ }, keys }
}

const isInDialog = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[role="dialog"]') !== null

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])'))
  )
}
