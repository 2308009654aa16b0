import { useRouter } from '@tanstack/react-router'
import { type ComponentProps, useCallback, useEffect, useState } from 'react'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { activeLeaveGuard, getSession } from './session.ts'

type Question = Omit<ComponentProps<typeof ConfirmDialog>, 'isOpen' | 'onConfirm' | 'onCancel'>

/**
 * Asks for confirmation before navigation or 'Sair' discards
 * changes; the browser asks when the page unloads.
 * @returns the dialog to render, and `ask` for the screen's own exits; resolves to true to stay
 */
export function useLeaveGuard(hasChanges: boolean, question: Question) {
  const { history } = useRouter()
  const [waiting, setWaiting] = useState<(isStaying: boolean) => void>()
  const ask = useCallback(() => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    setWaiting(() => resolve)
    return promise
  }, [])

  useEffect(() => {
    if (!hasChanges) return
    const unblock = history.block({
      enableBeforeUnload: true,
      // Never keeps a person whose session has ended.
      blockerFn: ({ currentLocation, nextLocation }) =>
        currentLocation.pathname !== nextLocation.pathname && getSession() ? ask() : false,
    })
    // Signing out asks first: it ends the session before it navigates.
    activeLeaveGuard.ask = ask
    return () => {
      unblock()
      activeLeaveGuard.ask = undefined
    }
  }, [history, hasChanges, ask])

  const close = (isStaying: boolean) => {
    setWaiting(undefined)
    waiting?.(isStaying)
  }
  const dialog = (
    <ConfirmDialog
      {...question}
      isOpen={waiting !== undefined}
      onConfirm={() => close(false)}
      onCancel={() => close(true)}
    />
  )
  return { ask, dialog }
}
