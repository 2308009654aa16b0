import { useBlocker } from '@tanstack/react-router'
import { showToast } from './toast.tsx'

/** Keeps a dialog with unsaved changes when the person presses the browser's Back, and says why. */
export function useBackBlocker(hasChanges: boolean): void {
  useBlocker({
    shouldBlockFn({ action }) {
      if (action !== 'BACK') return false
      const description = 'Salve ou cancele o que você mudou antes de voltar.'
      showToast({ kind: 'info', title: 'Há alterações não salvas', description })
      return true
    },
    enableBeforeUnload: false,
    disabled: !hasChanges,
  })
}
