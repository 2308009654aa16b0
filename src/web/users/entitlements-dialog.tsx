import { type FormEvent, useId } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { AlreadyApproved } from './already-approved.tsx'
import { ConflictActions } from './conflict-notice.tsx'
import { LoadFailure } from './dialog-load-failure.tsx'
import { ENTITLEMENTS_DIALOGS, type EntitlementsKind } from './entitlement-texts.ts'
import { EntitlementsBody } from './entitlements-body.tsx'
import { Person } from './person.tsx'
import { PersonGone } from './person-gone.tsx'
import { type EntitlementsForm, useEntitlementsForm } from './use-entitlements-form.ts'

interface EntitlementsDialogProps {
  kind: EntitlementsKind
  person: ManagedProfile
  onClose: () => void
}

/** 'Gerenciar Tipos de Acesso', 'Gerenciar Marcas e Estados' and the approval: one person's entitlements to tick. */
export function EntitlementsDialog({ kind, person, onClose }: EntitlementsDialogProps) {
  const { title, loadFailed } = ENTITLEMENTS_DIALOGS[kind]
  const formId = useId()
  const form = useEntitlementsForm(kind, person.user_id, onClose)
  const close = form.isBusy ? undefined : onClose
  /** There is nothing left to do but to close it. */
  const isOver = form.isGone || form.isApprovedAlready
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!form.conflict) form.save()
  }
  return (
    <Dialog
      isOpen
      width="wide"
      title={title}
      description={<Person person={form.base ?? person} />}
      onClose={close}
      hasChanges={form.hasChanges && !isOver}
      actions={
        isOver ? (
          <Button key="close" onClick={onClose}>
            Fechar
          </Button>
        ) : (
          <>
            <Button variant="secondary" onClick={close}>
              Cancelar
            </Button>
            <NextActions kind={kind} form={form} formId={formId} />
          </>
        )
      }
    >
      {isOver && (form.isGone ? <PersonGone /> : <AlreadyApproved userId={person.user_id} />)}
      {!isOver && form.loadFailure && (
        <LoadFailure title={loadFailed} message={form.loadFailure} onRetry={form.reload} />
      )}
      {!isOver && !form.loadFailure && (
        <form id={formId} onSubmit={submit} aria-label={title}>
          <EntitlementsBody kind={kind} form={form} />
        </form>
      )}
    </Dialog>
  )
}

interface NextActionsProps {
  kind: EntitlementsKind
  form: EntitlementsForm
  formId: string
}

/** The buttons that lead on. Each question has its own, so that pressing Enter twice answers only one. */
function NextActions({ kind, form, formId }: NextActionsProps) {
  if (form.conflict) return <ConflictActions onUseCurrent={form.useCurrent} onSaveAnyway={form.saveAnyway} />
  if (form.mustAsk) return <Button onClick={form.confirmUnverified}>Continuar mesmo assim</Button>
  return (
    <Button key="save" type="submit" form={formId} isBusy={form.isBusy} aria-disabled={!form.base}>
      {form.partial ? 'Tentar novamente' : ENTITLEMENTS_DIALOGS[kind].submit}
    </Button>
  )
}
