import { useState } from 'react'
import { MAX_NOTE_LENGTH } from '#contract/user-rules.ts'
import { type AccessRequest, type ManagedProfile, reasonSchema } from '#contract/users.ts'
import { isConflict } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { FormDialog } from '#web/ui/dialog.tsx'
import { TextArea } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { RequestNotice } from './access-request.tsx'
import { Person } from './dialog-notices.tsx'
import { refreshUsers } from './user-queries.ts'

export interface RequestForMore {
  person: ManagedProfile
  request: AccessRequest
}

/** 'Recusar Pedido': asks for the reason, which is mailed. */
export function RefuseDialog({ asked, onClose }: { asked: RequestForMore; onClose: () => void }) {
  const { person, request } = asked
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string>()
  const { submit, isBusy } = useSubmit({
    send: (text: string) =>
      retryCall('POST /api/access-requests/{userId}/refuse', {
        params: { userId: person.user_id },
        body: { requested_at: request.requested_at, reason: text },
      }),
    onDone() {
      showToast({
        kind: 'success',
        title: 'Pedido recusado',
        description: `O motivo vai para ${person.email}.`,
      })
      onClose()
    },
    onFailed(failure) {
      showToast(toFailureToast('O pedido não foi recusado', failure))
      if (isConflict(failure)) onClose()
    },
    onSettled: refreshUsers,
  })
  const check = () => {
    const { data, error: problem } = reasonSchema.safeParse(reason)
    if (problem) setError(problem.issues[0]?.message)
    else void submit(data)
  }
  return (
    <FormDialog
      title="Recusar Pedido"
      description={<Person person={person} />}
      confirmLabel="Recusar pedido"
      isBusy={isBusy}
      hasChanges={reason !== ''}
      onSubmit={check}
      onCancel={onClose}
    >
      <RequestNotice profile={person} />
      <TextArea
        label="Motivo"
        hint="A pessoa recebe este texto por e-mail. O acesso que ela tem continua igual."
        rows={3}
        maxLength={MAX_NOTE_LENGTH}
        value={reason}
        onChange={({ target }) => {
          setReason(target.value)
          setError(undefined)
        }}
        error={error}
      />
    </FormDialog>
  )
}
