import { useState } from 'react'
import { noteChanges } from '#contract/change-notes.ts'
import { type Entitlements, LISTS, mapLists, NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import type { Invitation } from '#contract/invitations.ts'
import { checkEndDay } from '#contract/user-rules.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { isConflict } from '#web/http/send-request.ts'
import { isOutcomeUnknown, retryCall } from '#web/session/retry-call.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Checkbox, RadioGroup } from '#web/ui/choices.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { NoteLines, useSecondPress } from './change-notes.tsx'
import { describeEffects, diffEntitlements } from './describe-effect.ts'
import { GuardedFormDialog } from './dialog-notices.tsx'
import { isSame, toEntitlements, ValidUntil } from './entitlements.tsx'
import { EntitlementLists } from './fill-from.tsx'
import { formatCount } from './selection.ts'
import { refreshInvitations } from './user-queries.ts'

type Action = 'add' | 'replace'

const ACTIONS: readonly { value: Action; label: string; hint: string }[] = [
  { value: 'add', label: 'Acrescentar', hint: 'Nenhum convite perde nada.' },
  { value: 'replace', label: 'Substituir por', hint: 'Todos ficam só com o que está marcado.' },
]

interface EditInvitationsDialogProps {
  /** The open ones as they were shown: a newer version of one is not overwritten. */
  invitations: readonly Invitation[]
  onClose: () => void
}

/** 'Editar convite': what one or several open invitations will give, and until when. */
export function EditInvitationsDialog({ invitations, onClose }: EditInvitationsDialogProps) {
  const [opened] = useState(invitations)
  const catalogue = useCatalogue()
  const [only] = opened.length === 1 ? opened : []
  const held = only ? toEntitlements(catalogue, only) : NO_ENTITLEMENTS
  const heldEnd = only ? (only.valid_until ?? '') : undefined
  const [action, setAction] = useState<Action>(only ? 'replace' : 'add')
  const [changed, setTicked] = useState<Entitlements>()
  const [changesEnd, setChangesEnd] = useState(only !== undefined)
  const [changedEnd, setEnd] = useState<string>()
  const [refusal, setRefusal] = useState<string>()
  const [isUnknown, setIsUnknown] = useState(false)
  const ticked = changed ?? held
  const end = changedEnd ?? heldEnd
  const newEnd = changesEnd && end !== heldEnd ? end : undefined
  const endError = checkEndDay(newEnd ?? '', Date.now())
  const hasChanges = !isSame(ticked, held) || newEnd !== undefined
  const effect = describeEffects(countEffects(opened, { action, ticked, newEnd }), newEnd)
  const notes = noteChanges(
    opened.map((each) => ({
      names: [each.full_name ?? each.email],
      before: each,
      after: toAccess(each, { action, ticked }),
    })),
  )
  const { isAsking, press } = useSecondPress(JSON.stringify([action, ticked]), notes)
  const { submit, isBusy } = useSubmit({
    send: () =>
      retryCall('POST /api/invitations/change', {
        body: {
          items: opened.map(({ id, version }) => ({ id, version })),
          action,
          ...ticked,
          ...(newEnd !== undefined && { valid_until: newEnd || null }),
        },
      }),
    onDone({ changed: count }) {
      showToast({
        kind: 'success',
        title:
          count === 0 ? 'Nenhum convite mudou' : formatCount(count, 'convite alterado', 'convites alterados'),
        ...(only && { description: only.email }),
      })
      onClose()
    },
    onFailed(failure) {
      setIsUnknown(isOutcomeUnknown(failure))
      if (isConflict(failure)) setRefusal(failure.message)
      else showToast(toFailureToast('Os convites não foram alterados', failure))
    },
    onSettled: refreshInvitations,
  })
  const save = () => {
    if (endError) return
    if (hasChanges) press(() => void submit())
    else showToast({ kind: 'info', title: 'Nada mudou ainda' })
  }
  const unless =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) =>
      !isBusy && set(value)
  return (
    <GuardedFormDialog
      title={only ? 'Editar convite' : 'Editar convites'}
      description={
        only
          ? only.full_name
            ? `${only.full_name} · ${only.email}`
            : only.email
          : `${formatCount(opened.length, 'convite', 'convites')}. Os links já enviados continuam valendo.`
      }
      confirmLabel={isAsking ? 'Salvar mesmo assim' : 'Salvar'}
      question={String(isAsking)}
      isBusy={isBusy}
      isOver={refusal !== undefined}
      hasUnsavedChanges={refusal === undefined && hasChanges}
      isOutcomeUnknown={isUnknown}
      onSubmit={save}
      onCancel={onClose}
      note={
        refusal === undefined && (
          <div role="status">
            <p>{hasChanges ? effect || 'Nada muda.' : 'Marque o que deve mudar.'}</p>
            <NoteLines notes={notes} />
          </div>
        )
      }
    >
      {refusal === undefined ? (
        <>
          {!only && (
            <RadioGroup<Action>
              label="O que fazer com o que já dão"
              options={ACTIONS}
              value={action}
              onChange={unless(setAction)}
              className="sm:grid-cols-2"
            />
          )}
          <EntitlementLists
            lists={LISTS}
            ticked={ticked}
            held={held}
            onChange={unless(setTicked)}
            canBeSaved
            canAddOrReplace={only !== undefined}
          />
          {!only && (
            <Checkbox
              label="Mudar também a validade"
              checked={changesEnd}
              onChange={({ target }) => unless(setChangesEnd)(target.checked)}
            />
          )}
          {changesEnd && <ValidUntil value={end} error={endError} onChange={unless(setEnd)} />}
        </>
      ) : (
        <Alert kind="warning" title="Nada foi sobrescrito">
          {refusal}
        </Alert>
      )}
    </GuardedFormDialog>
  )
}

interface Change {
  action: Action
  ticked: Entitlements
  newEnd: string | undefined
}

const toAccess = (invitation: Invitation, { action, ticked }: Pick<Change, 'action' | 'ticked'>) =>
  action === 'replace' ? ticked : mapLists((list) => [...invitation[list], ...ticked[list]])

/** Counts what the people of these invitations will get more or less, as a dry run would. */
function countEffects(invitations: readonly Invitation[], { action, ticked, newEnd }: Change) {
  const effects = new Map<string, ReturnType<typeof diffEntitlements>[number]>()
  let [unchanged, ending] = [0, 0]
  for (const invitation of invitations) {
    const differences = diffEntitlements(invitation, toAccess(invitation, { action, ticked }))
    const ends = newEnd !== undefined && (invitation.valid_until ?? '') !== newEnd
    if (ends) ending += 1
    if (differences.length === 0 && !ends) unchanged += 1
    for (const { list, item, gaining, losing } of differences) {
      const known = effects.get(`${list} ${item}`) ?? { list, item, gaining: 0, losing: 0 }
      known.gaining += gaining
      known.losing += losing
      effects.set(`${list} ${item}`, known)
    }
  }
  return { effects: [...effects.values()], ending, losing: 0, unchanged }
}
