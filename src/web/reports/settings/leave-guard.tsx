import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { AccessType } from '#contract/catalogue.ts'
import { getSession } from '#web/session/session.ts'
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx'
import { leaveQuestion } from '#web/ui/leave-question.ts'

/** Asks before the screen is left with changes that are not saved; the browser asks where the page itself goes. */
export function LeaveGuard({ changed }: { changed: readonly AccessType[] }) {
  const { isAsking, answer } = useLeaveQuestion(changed.length > 0)
  const areas = new Intl.ListFormat('pt-BR').format(changed)
  return (
    <ConfirmDialog
      isOpen={isAsking}
      title="Sair sem salvar?"
      description={`As alterações em ${areas} ainda não foram salvas e serão perdidas.`}
      confirmLabel="Sair sem salvar"
      cancelLabel="Continuar editando"
      onConfirm={() => answer('leave')}
      onCancel={() => answer('stay')}
    />
  )
}

type Answer = 'stay' | 'leave'

/** Holds every way out of the screen, 'Sair' too, until the question is answered. */
function useLeaveQuestion(hasChanges: boolean) {
  const { history } = useRouter()
  const [waiting, setWaiting] = useState<(answer: Answer) => void>()

  useEffect(() => {
    if (!hasChanges) return
    const ask = () => {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      setWaiting(() => (answer: Answer) => resolve(answer === 'stay'))
      return promise
    }
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
  }, [history, hasChanges])

  return {
    isAsking: waiting !== undefined,
    answer(answer: Answer): void {
      setWaiting(undefined)
      waiting?.(answer)
    },
  }
}
