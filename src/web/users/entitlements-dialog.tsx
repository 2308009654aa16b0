import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { ConflictNotice, FocusedNotice, Person, PersonGone, useFocusWhenShown } from './dialog-notices.tsx'
import { EntitlementList, missingIn } from './entitlements.tsx'
import {
  ENTITLEMENTS_DIALOGS,
  type EntitlementsForm,
  type EntitlementsKind,
  useEntitlementsForm,
} from './use-entitlements-form.ts'
import { readApproval } from './use-profile-edit.ts'
import { refreshUsers } from './user-queries.ts'

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
        <FailedLoad title={loadFailed} onRetry={form.reload}>
          {form.loadFailure}
        </FailedLoad>
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
  if (form.conflict)
    return (
      <>
        <Button variant="secondary" onClick={form.useCurrent}>
          Usar o estado atual
        </Button>
        <Button onClick={form.saveAnyway}>Salvar mesmo assim</Button>
      </>
    )
  if (form.mustAsk) return <Button onClick={form.confirmUnverified}>Continuar mesmo assim</Button>
  return (
    <Button key="save" type="submit" form={formId} isBusy={form.isBusy} aria-disabled={!form.base}>
      {form.partial ? 'Tentar novamente' : ENTITLEMENTS_DIALOGS[kind].submit}
    </Button>
  )
}

interface EntitlementsBodyProps {
  kind: EntitlementsKind
  form: EntitlementsForm
}

/** What stands between title and buttons: the question about the address, the notices and the boxes. */
function EntitlementsBody({ kind, form }: EntitlementsBodyProps) {
  const { lists } = ENTITLEMENTS_DIALOGS[kind]
  if (!form.base || !form.ticked)
    return (
      <div className="space-y-5">
        <p role="status" className="sr-only">
          Carregando…
        </p>
        {lists.map((name) => (
          <Skeleton key={name} className="h-28" />
        ))}
      </div>
    )
  if (form.mustAsk)
    return (
      <Alert kind="warning" title="E-mail não verificado">
        Ninguém provou ser dono do endereço {form.base.email}. Se não for da pessoa certa, quem criou a conta
        verá os relatórios. Aprovar mesmo assim?
      </Alert>
    )
  return (
    <div className="space-y-5">
      {form.conflict && (
        <ConflictNotice
          key={form.conflict.current.version}
          conflict={form.conflict}
          advice="O que você marcou continua abaixo."
        />
      )}
      {form.partial && (!form.conflict || form.partial.saved.length > 0) && (
        <PartialSaveNotice {...form.partial} />
      )}
      <Lists kind={kind} form={form} />
    </div>
  )
}

function Lists({ kind, form }: EntitlementsBodyProps) {
  const top = useRef<HTMLDivElement>(null)
  // The boxes come after the dialog: until then the focus stood on a button.
  useFocusWhenShown(top, 'input')
  const { ticked } = form
  if (!ticked) return null
  const missing = kind === 'approve' ? missingIn(ticked) : undefined
  return (
    <div ref={top} className="space-y-5">
      {ENTITLEMENTS_DIALOGS[kind].lists.map((name) => (
        <EntitlementList
          key={name}
          name={name}
          ticked={ticked}
          onChange={(next) => !form.isBusy && form.setTicked(next)}
        />
      ))}
      {kind === 'approve' && (
        <p role="status" className="min-h-5 text-muted text-sm">
          {missing}
        </p>
      )}
    </div>
  )
}

/** What a save that broke off has left behind. */
function PartialSaveNotice({ saved, unsaved }: NonNullable<EntitlementsForm['partial']>) {
  const list = (names: string[]) => new Intl.ListFormat('pt-BR').format(names)
  return (
    <Alert kind="error" title="A pessoa ainda não foi aprovada">
      {saved.length > 0 ? `Salvo: ${list(saved)}. ` : 'Nada foi salvo. '}
      {`Não salvo: ${list(unsaved)}. Tente novamente para salvar o que falta.`}
    </Alert>
  )
}

/** Says that somebody else has approved the person meanwhile, by whom where that is known, and reads the table again. */
function AlreadyApproved({ userId }: { userId: string }) {
  useEffect(() => void refreshUsers(), [])
  const { data: sentence } = useQuery({
    queryKey: ['approval-in-dialog', userId],
    // Null, because a query's answer must not be undefined.
    queryFn: async () => (await readApproval(userId)) ?? null,
    gcTime: 0,
  })
  return (
    <FocusedNotice kind="info" title="Esta conta já foi aprovada">
      {sentence && <p>{sentence}.</p>}
      <p>Nada mudou agora. Tipos, marcas e estados podem ser alterados nos botões da linha.</p>
    </FocusedNotice>
  )
}
