import { type RegisteredRouter, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { showToast } from './toast.tsx'

/** Keeps a dialog with unsaved changes when the person presses the browser's Back, and says why. */
export function useBackBlocker(hasChanges: boolean): void {
  // None around the dialog that asks for the password.
  const router: RegisteredRouter | null = useRouter({ warn: false })
  useEffect(() => {
    if (!hasChanges) return
    return router?.history.block({
      blockerFn({ action }) {
        if (action !== 'BACK') return false
        const description = 'Salve ou cancele o que você mudou antes de voltar.'
        showToast({ kind: 'info', title: 'Há alterações não salvas', description })
        return true
      },
      enableBeforeUnload: false,
    })
  }, [router, hasChanges])
}
