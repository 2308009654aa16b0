import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { retryCall } from '#web/session/retry-call.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { Button } from '#web/ui/button.tsx'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { useSubmit } from '#web/ui/use-submit.ts'
import { getQueueId, Queue, QueueRow } from './approval-queue.tsx'
import type { RequestForMore } from './refuse-dialog.tsx'
import { FIRST_WAITING, MORE_WAITING, refreshUsers, requestsQuery } from './user-queries.ts'

const loadRefuseDialog = async () => (await import('./refuse-dialog.tsx')).RefuseDialog

/** 'Pedidos': what approved people ask for, above the cards of /admin; granted with one press. */
export function RequestQueue({ first = FIRST_WAITING }) {
  const [shown, setShown] = useState(first)
  const [refused, setRefused] = useState<RequestForMore>()
  const refuseDialog = useLazyDialog(loadRefuseDialog)
  const { data = [] } = useQuery(requestsQuery)
  const grant = useSubmit({
    send({ person: { user_id: userId }, request }: RequestForMore) {
      const { requested_at, types, marcas, estados } = request
      const body = { requested_at, types, marcas, estados }
      return retryCall('POST /api/access-requests/{userId}/grant', { params: { userId }, body })
    },
    onDone(undo, { person: { full_name, email } }) {
      announceUndoable(
        { kind: 'success', title: 'Acesso liberado', description: `${full_name ?? email}.` },
        undo,
      )
    },
    onFailed: 'O acesso não foi liberado',
    onSettled: refreshUsers,
  })
  return (
    <>
      {data.length > 0 && (
        <Queue
          id="pedidos"
          title="Pedidos"
          onMore={data.length > shown ? () => setShown(shown + MORE_WAITING) : undefined}
        >
          {data.slice(0, shown).map((asked) => (
            <QueueRow key={asked.person.user_id} person={asked.person} at={asked.request.requested_at}>
              <Button
                variant="ghost"
                aria-describedby={getQueueId(asked.person)}
                onClick={() => {
                  setRefused(asked)
                  refuseDialog.open()
                }}
              >
                Recusar
              </Button>
              <Button
                variant="secondary"
                aria-describedby={getQueueId(asked.person)}
                onClick={() => void grant.submit(asked)}
              >
                Liberar
              </Button>
            </QueueRow>
          ))}
        </Queue>
      )}
      {refuseDialog.Dialog && refused && <refuseDialog.Dialog asked={refused} onClose={refuseDialog.close} />}
    </>
  )
}
