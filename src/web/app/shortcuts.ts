import { useEffect, useEffectEvent } from 'react'
import { getOpenReport } from '#web/reports/open-report.ts'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { areKeysOn } from './single-keys.ts'

const loadSearch = async () => (await import('./search-dialog.tsx')).SearchDialog
const loadKeys = async () => (await import('./keys-dialog.tsx')).KeysDialog

/** Ctrl K opens 'Buscar', ? the list of keys; the others are of the reports screen. */
export function useShortcuts() {
  const search = useLazyDialog(loadSearch)
  const keys = useLazyDialog(loadKeys)
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event
    if (event.defaultPrevented || event.isComposing || event.repeat || altKey) return
    // An open popup has keys of its own.
    if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]'))
      return
    const run = ctrlKey || metaKey ? key.toLowerCase() === 'k' && !shiftKey && search.open : findAction(event)
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
    if (key === 'f' || (key === 'Escape' && report.isReportOnly)) return report.toggleReportOnly
    return key === 's' ? report.saveView : undefined
  }
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handleKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
  return { search, keys }
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])'))
  )
}
