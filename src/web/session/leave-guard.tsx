import { useRouter } from '@tanstack/react-router'
import { type ComponentProps, useCallback, useEffect, useState } from 'react'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { getSession, leaveQuestion } from './session.ts'

type Question = Omit<ComponentProps<typeof ConfirmDialog>, 'isOpen' | 'onConfirm' | 'onCancel'>

/**
 * Holds every way out of a screen, 'Sair' too, until it is said whether what was begun there may be lost; the browser
 * asks where the page itself goes.
 * @returns the question to draw, and `ask` for a way out of the screen's own; true keeps one there
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
      // Nobody is kept here whose session has ended.
      blockerFn: ({ currentLocation, nextLocation }) =>
        currentLocation.pathname !== nextLocation.pathname && getSession() ? ask() : false,
    })
    // Signing out ends the session before it leaves.
    leaveQuestion.ask = ask
    return () => {
      unblock()
      leaveQuestion.ask = undefined
    }
  }, [history, hasChanges, ask])

  const answer = (isStaying: boolean) => {
    setWaiting(undefined)
    waiting?.(isStaying)
  }
  const dialog = (
    <ConfirmDialog
      {...question}
      isOpen={waiting !== undefined}
      onConfirm={() => answer(false)}
      onCancel={() => answer(true)}
    />
  )
  return { ask, dialog }
}
