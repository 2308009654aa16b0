import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef } from 'react'
import type { Entitlements } from '#contract/held-lists.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { RequestNotice } from './access-request.tsx'
import { ConflictNotice, FocusedNotice, Person, PersonGone, useFocusWhenShown } from './dialog-notices.tsx'
import {
  type EntitlementsForm,
  type EntitlementsKind,
  missingIn,
  useEntitlementsForm,
  ValidUntil,
} from './entitlements.tsx'
import { EntitlementLists } from './fill-from.tsx'
import type { SelectionDialogProps } from './selection.ts'
import type { DialogRequest } from './use-dialogs.tsx'
import { readApproval } from './use-profile-edit.ts'
import { refreshUsers } from './user-queries.ts'

export interface UserDialogsProps extends SelectionDialogProps {
  /** Which dialog stands open, if any. */
  dialog: DialogRequest | undefined
  /** What has the focus once somebody has been approved: the next one's button. */
  nextFocus: (approved: ManagedProfile) => HTMLElement | null | undefined
}

/** The dialogs of the user administration that are loaded with the table; one at a time. */
export function UserDialogs({ dialog, onClose, nextFocus }: UserDialogsProps) {
  switch (dialog?.kind) {
    case 'types':
    case 'scope':
    case 'approve':
      return (
        <EntitlementsDialog
          key={dialog.profile.user_id}
          kind={dialog.kind}
          person={dialog.profile}
          onClose={onClose}
          onNext={dialog.onNext}
          nextFocus={dialog.kind === 'approve' ? () => nextFocus(dialog.profile) : undefined}
        />
      )
    default:
      return null
  }
}

interface EntitlementsDialogProps {
  kind: EntitlementsKind
  person: ManagedProfile
  onClose: () => void
  /** Goes on to the next who waits; undefined where nobody follows. */
  onNext?: (() => void) | undefined
  /** What takes the focus once the person has been let in. */
  nextFocus?: (() => HTMLElement | null | undefined) | undefined
}

/** 'Gerenciar Tipos de Acesso', 'Gerenciar Marcas e Estados' and the approval: one person's entitlements to tick. */
function EntitlementsDialog({ kind, person, onClose, onNext, nextFocus }: EntitlementsDialogProps) {
  const formId = useId()
  const isSaved = useRef(false)
  const form = useEntitlementsForm(kind, person.user_id, (goesOn) => {
    isSaved.current = true
    goesOn && onNext ? onNext() : onClose()
  })
  const { title, loadFailed } = form.texts
  const close = form.isBusy ? undefined : onClose
  /** There is nothing left to do but to close it. */
  const isOver = form.isGone || form.isApprovedAlready
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!form.conflict) form.save(onNext !== undefined)
  }
  return (
    <Dialog
      isOpen
      width="wide"
      title={title}
      description={<Person person={form.base ?? person} />}
      onClose={close}
      hasChanges={form.hasChanges && !isOver}
      finalFocus={() => (isSaved.current ? nextFocus?.() : undefined)}
      actions={
        isOver ? (
          <>
            <Button key="close" variant={onNext ? 'secondary' : 'primary'} onClick={onClose}>
              Fechar
            </Button>
            {onNext && <Button onClick={onNext}>Próximo</Button>}
          </>
        ) : (
          <>
            <Button variant="secondary" onClick={close}>
              Cancelar
            </Button>
            <NextActions form={form} formId={formId} goesOn={onNext !== undefined} />
          </>
        )
      }
    >
      {form.isGone ? (
        <PersonGone />
      ) : form.isApprovedAlready ? (
        <AlreadyApproved userId={person.user_id} />
      ) : form.loadFailure ? (
        <FailedLoad title={loadFailed} onRetry={form.reload}>
          {form.loadFailure}
        </FailedLoad>
      ) : (
        <form id={formId} onSubmit={submit} aria-label={title} className="space-y-5">
          <Body form={form} />
        </form>
      )}
    </Dialog>
  )
}

/** The buttons that lead on. Each question has its own, so that pressing Enter twice answers only one. */
function NextActions({ form, formId, goesOn }: { form: EntitlementsForm; formId: string; goesOn: boolean }) {
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
    <>
      {goesOn && (
        <Button
          variant="secondary"
          aria-disabled={!form.base}
          onClick={form.isBusy ? undefined : () => form.save()}
        >
          {form.texts.submit}
        </Button>
      )}
      <Button key="save" type="submit" form={formId} isBusy={form.isBusy} aria-disabled={!form.base}>
        {goesOn ? 'Aprovar e próximo' : form.texts.submit}
      </Button>
    </>
  )
}

function Body({ form }: { form: EntitlementsForm }) {
  const { base, ticked, conflict } = form
  if (!base || !ticked)
    return (
      <>
        <p role="status" className="sr-only">
          Carregando…
        </p>
        {form.texts.lists.map((name) => (
          <Skeleton key={name} className="h-28" />
        ))}
      </>
    )
  if (form.mustAsk)
    return (
      <Alert kind="warning" title="E-mail não verificado">
        Ninguém provou ser dono do endereço {base.email}. Se não for da pessoa certa, quem criou a conta verá
        os relatórios. Aprovar mesmo assim?
      </Alert>
    )
  return (
    <>
      {conflict && (
        <ConflictNotice
          key={conflict.current.version}
          conflict={conflict}
          advice="O que você marcou continua abaixo."
        />
      )}
      {form.isApproval && <RequestNotice profile={base} />}
      <Lists form={form} ticked={ticked} userId={base.user_id} />
    </>
  )
}

function Lists(props: { form: EntitlementsForm; ticked: Entitlements; userId: string }) {
  const { form, ticked, userId } = props
  const top = useRef<HTMLDivElement>(null)
  // The boxes come after the dialog: until then the focus stood on a button.
  useFocusWhenShown(top, 'input')
  return (
    <div ref={top} className="space-y-5">
      <EntitlementLists
        lists={form.texts.lists}
        ticked={ticked}
        held={form.held}
        onChange={(next) => !form.isBusy && form.setTicked(next)}
        userId={userId}
        canBeSaved={form.isApproval}
      />
      <ValidUntil
        value={form.validUntil}
        error={form.validityError}
        onChange={(day) => !form.isBusy && form.setValidUntil(day)}
      />
      {form.isApproval && (
        <p role="status" className="min-h-5 font-medium text-sm text-warning">
          {missingIn(ticked)}
        </p>
      )}
    </div>
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
