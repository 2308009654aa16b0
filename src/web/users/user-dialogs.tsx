import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { describeEmptied, noteChanges } from '#contract/change-notes.ts'
import { type Entitlements, LISTS, type ListName } from '#contract/entitlement-lists.ts'
import { adminMessages, checkEndDay, hasPassed } from '#contract/user-rules.ts'
import type { ManagedProfile, ProfileChange } from '#contract/users.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { isGone } from '#web/http/send-request.ts'
import { useSession } from '#web/session/session.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { RequestNotice } from './access-request.tsx'
import { setLastEntitlements } from './access-templates.ts'
import { describeEffect, diffEntitlements } from './describe-effect.ts'
import { ConflictNotice, FocusedNotice, Person, PersonGone, useFocusWhenShown } from './dialog-notices.tsx'
import {
  describeMissing,
  getInitialAccess,
  isSame,
  joinChanges,
  toEntitlements,
  ValidUntil,
} from './entitlements.tsx'
import { EntitlementLists } from './fill-from.tsx'
import type { SelectionDialogProps } from './selection.ts'
import type { DialogRequest } from './use-dialogs.tsx'
import { readApproval, useProfileEdit } from './use-profile-edit.ts'
import { profileQuery, refreshUsers, useFailureToast } from './user-queries.ts'

export interface UserDialogsProps extends SelectionDialogProps {
  dialog: DialogRequest | undefined
  /** Returns the element to focus after an approval: the next person's button. */
  nextFocus: (approved: ManagedProfile) => HTMLElement | null | undefined
}

/** The frequent dialogs of the user administration, loaded with the table; one at a time. */
export function UserDialogs({ dialog, onClose, nextFocus }: UserDialogsProps) {
  switch (dialog?.kind) {
    case 'edit':
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
          nextFocus={() => (dialog.kind === 'approve' ? nextFocus(dialog.profile) : undefined)}
        />
      )
    default:
      return null
  }
}

type EntitlementsKind = 'edit' | 'types' | 'scope' | 'approve'

interface EntitlementsTexts {
  title: string
  lists: readonly ListName[]
  submit: string
  loadFailed: string
  saved: string
  unchanged?: string
  failed: string
  /** Sent even when nothing differs, so that a concurrent change is noticed. */
  toChange: (wanted: Entitlements, validity: { valid_until?: string | null }) => ProfileChange
}

const DIALOGS: Record<EntitlementsKind, EntitlementsTexts> = {
  edit: {
    title: 'Editar acesso',
    lists: LISTS,
    submit: 'Salvar',
    loadFailed: 'Erro ao carregar o acesso',
    saved: 'Acesso atualizado',
    unchanged: 'Nada mudou',
    failed: 'Erro ao atualizar o acesso',
    toChange: (wanted, validity) => ({ ...wanted, ...validity }),
  },
  types: {
    title: 'Gerenciar Tipos de Acesso',
    lists: ['types'],
    submit: 'Salvar',
    loadFailed: adminMessages.typesLoadFailed,
    saved: adminMessages.typesSaved,
    failed: adminMessages.typesFailed,
    toChange: ({ types }, validity) => ({ types, ...validity }),
  },
  scope: {
    title: 'Gerenciar Marcas e Estados',
    lists: ['marcas', 'estados'],
    submit: 'Salvar',
    loadFailed: adminMessages.scopeLoadFailed,
    saved: adminMessages.scopeSaved,
    failed: adminMessages.scopeFailed,
    toChange: ({ marcas, estados }, validity) => ({ marcas, estados, ...validity }),
  },
  approve: {
    title: 'Aprovar Usuário',
    lists: LISTS,
    submit: 'Aprovar',
    loadFailed: adminMessages.approveFailed,
    saved: adminMessages.approved,
    failed: adminMessages.approveFailed,
    toChange: (wanted, validity) => ({ approved: true, ...wanted, ...validity }),
  },
}

interface EntitlementsDialogProps {
  kind: EntitlementsKind
  person: ManagedProfile
  onClose: () => void
  /** Opens the next person in the queue; undefined for the last one. */
  onNext: (() => void) | undefined
  /** Returns the element to focus after a save; by default the button that opened the dialog. */
  nextFocus: () => HTMLElement | null | undefined
}

/** 'Editar acesso', its two specified halves, and the approval: edits entitlements. */
function EntitlementsDialog({ kind, person, onClose, onNext, nextFocus }: EntitlementsDialogProps) {
  const { title, lists, submit, loadFailed, saved, unchanged, failed, toChange } = DIALOGS[kind]
  const isApproval = kind === 'approve'
  const formId = useId()
  const fresh = useQuery(profileQuery(person.user_id))
  const { data: catalogue, ...readingCatalogue } = useQuery(catalogueQuery)
  const loadFailure = fresh.error ?? readingCatalogue.error
  useFailureToast(loadFailure, loadFailed)
  const [changed, setTicked] = useState<Entitlements>()
  const [changedEnd, setValidUntil] = useState<string>()
  const [isConfirmed, setIsConfirmed] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  const opensNext = useRef(false)
  const isSaved = useRef(false)
  const edit = useProfileEdit(fresh.data, { saved, unchanged, failed }, () => {
    if (ticked) setLastEntitlements(Object.fromEntries(lists.map((list) => [list, ticked[list]])))
    isSaved.current = true
    opensNext.current && onNext ? onNext() : onClose()
  })
  const { base, conflict, isBusy } = edit

  /** The person's current entitlements that the catalogue knows. */
  const held = base && catalogue && toEntitlements(catalogue, base)
  const initial = base && catalogue && isApproval ? getInitialAccess(catalogue, base) : held
  const ticked = changed ?? initial
  const currentEnd = base?.valid_until ?? ''
  // Approving again after an expired access starts without an end date.
  const initialEnd = isApproval && hasPassed(currentEnd, Date.now()) ? '' : currentEnd
  const validUntil = changedEnd ?? initialEnd
  const validityError = validUntil === currentEnd ? undefined : checkEndDay(validUntil, Date.now())

  const isPersonGone = isGone(fresh.error) || edit.isGone
  /** The person has been approved meanwhile, so nothing is left to do. */
  const isApproved = isApproval && (conflict?.current ?? base)?.approved === true
  const isOver = isPersonGone || isApproved
  /** An unverified e-mail needs confirmation before the approval. */
  const needsConfirmation = isApproval && base?.email_verified_at === null && !isConfirmed

  const notes =
    base && held && ticked && !needsConfirmation
      ? noteChanges([
          {
            names: [base.full_name ?? base.email],
            before: isApproval ? undefined : held,
            after: Object.fromEntries(lists.map((list) => [list, ticked[list]])),
          },
        ])
      : undefined
  const isRisky = notes !== undefined && notes.emptied.length > 0
  const isOwn = useSession()?.user.id === person.user_id && !!held && !!ticked && !isSame(held, ticked)
  /** Why the person would see no report, or what of the shown lists would be empty. */
  const missing = notes && ticked && (lists === LISTS ? describeMissing(ticked) : describeEmptied(notes)[0])
  const isAskingNow = isAsking && isRisky && !conflict
  const effect =
    kind === 'edit' && held && ticked
      ? describeEffect(diffEntitlements(held, ticked), validUntil === currentEnd ? undefined : validUntil)
      : undefined

  const isEndKept =
    conflict?.current.valid_until === base?.valid_until || (!isApproval && validUntil === currentEnd)
  /** Both changes, where they concern different items. */
  const joined =
    conflict && catalogue && held && ticked && isEndKept
      ? joinChanges(catalogue, held, [ticked, toEntitlements(catalogue, conflict.current)])
      : undefined

  const save = (wantsNext: boolean, from = base, wanted = ticked) => {
    opensNext.current = wantsNext
    if (!from || !wanted || validityError) return
    setIsAsking(false)
    // The input must survive a change of the base state.
    setTicked(wanted)
    setValidUntil(validUntil)
    const includesEnd = isApproval || validUntil !== currentEnd
    edit.save(toChange(wanted, includesEnd ? { valid_until: validUntil || null } : {}), from)
  }
  const submitForm = (wantsNext: boolean) => {
    if (!isRisky) return save(wantsNext)
    opensNext.current = wantsNext
    if (!validityError && !isBusy) setIsAsking(true)
  }
  const adoptCurrent = () => {
    edit.acceptCurrent()
    setTicked(undefined)
    setValidUntil(undefined)
  }
  const reload = () => {
    if (fresh.error) void fresh.refetch()
    if (readingCatalogue.error) void readingCatalogue.refetch()
  }
  const close = isBusy ? undefined : onClose
  // Each step has its own button, so that pressing Enter twice confirms only one.
  const next = conflict ? (
    <>
      <Button variant="secondary" onClick={adoptCurrent}>
        Usar o estado atual
      </Button>
      <Button
        variant={joined ? 'secondary' : 'primary'}
        onClick={() => save(opensNext.current, conflict.current)}
      >
        Salvar mesmo assim
      </Button>
      {joined && (
        <Button key="join" onClick={() => save(opensNext.current, conflict.current, joined)}>
          Juntar
        </Button>
      )}
    </>
  ) : needsConfirmation ? (
    <Button onClick={() => setIsConfirmed(true)}>Continuar mesmo assim</Button>
  ) : isAskingNow ? (
    <Button key="anyway" onClick={() => save(opensNext.current)}>
      {`${submit} mesmo assim`}
    </Button>
  ) : (
    <>
      {onNext && (
        <Button
          variant="secondary"
          aria-disabled={!base}
          onClick={isBusy ? undefined : () => submitForm(false)}
        >
          {submit}
        </Button>
      )}
      <Button key="save" type="submit" form={formId} isBusy={isBusy} aria-disabled={!base}>
        {onNext ? 'Aprovar e próximo' : submit}
      </Button>
    </>
  )
  return (
    <Dialog
      isOpen
      width="wide"
      title={title}
      description={<Person person={base ?? person} />}
      onClose={close}
      hasChanges={
        !isOver && (validUntil !== initialEnd || (!!changed && !!initial && !isSame(changed, initial)))
      }
      isSteady={isApproval}
      question={conflict?.current.version ?? (needsConfirmation ? 'unverified' : String(isAskingNow))}
      finalFocus={() => (isSaved.current ? nextFocus() : undefined)}
      note={
        !isOver &&
        !conflict && (
          <div role="status">
            {effect && <p>{effect}</p>}
            {missing && (
              <p className="font-medium text-warning">
                {missing}
                {isAskingNow && ` ${submit} mesmo assim?`}
              </p>
            )}
            {isOwn && <p>Esta é a sua própria conta.</p>}
          </div>
        )
      }
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
            <Button variant="secondary" onClick={isAskingNow ? () => setIsAsking(false) : close}>
              {isAskingNow ? 'Voltar' : 'Cancelar'}
            </Button>
            {next}
          </>
        )
      }
    >
      {isPersonGone ? (
        <PersonGone />
      ) : isApproved ? (
        <AlreadyApproved userId={person.user_id} />
      ) : loadFailure && !fresh.isFetching && !readingCatalogue.isFetching ? (
        <FailedLoad title={loadFailed} onRetry={reload}>
          {loadFailure.message}
        </FailedLoad>
      ) : (
        <form
          id={formId}
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            if (!conflict && !isAskingNow) submitForm(onNext !== undefined)
          }}
          aria-label={title}
          className="space-y-5"
        >
          {!base || !ticked ? (
            <Loading lists={lists} />
          ) : needsConfirmation ? (
            <Alert kind="warning" title="E-mail não verificado">
              Ninguém provou ser dono do endereço {base.email}. Se não for da pessoa certa, quem criou a conta
              verá os relatórios. Aprovar mesmo assim?
            </Alert>
          ) : (
            <>
              {conflict && (
                <ConflictNotice
                  key={conflict.current.version}
                  conflict={conflict}
                  advice={`O que você marcou continua abaixo.${joined ? ' “Juntar” salva as duas alterações.' : ''}`}
                />
              )}
              <RequestNotice profile={base} />
              <FocusedBoxes>
                <EntitlementLists
                  lists={lists}
                  ticked={ticked}
                  held={held}
                  onChange={(next) => {
                    if (isBusy) return
                    setTicked(next)
                    setIsAsking(false)
                  }}
                  userId={base.user_id}
                  canBeSaved={lists === LISTS}
                  canAddOrReplace={kind === 'edit'}
                />
                <ValidUntil
                  value={validUntil}
                  error={validityError}
                  onChange={(day) => !isBusy && setValidUntil(day)}
                />
              </FocusedBoxes>
            </>
          )}
        </form>
      )}
    </Dialog>
  )
}

function Loading({ lists }: { lists: readonly ListName[] }) {
  return (
    <>
      <p role="status" className="sr-only">
        Carregando…
      </p>
      {lists.map((name) => (
        <Skeleton key={name} className="h-28" />
      ))}
    </>
  )
}

/** The checkboxes render after the dialog, whose focus is on a button until then. */
function FocusedBoxes({ children }: { children: ReactNode }) {
  const top = useRef<HTMLDivElement>(null)
  useFocusWhenShown(top, 'input')
  return (
    <div ref={top} className="space-y-5">
      {children}
    </div>
  )
}

/** Shows that the person has been approved meanwhile, by whom if known, and refetches the table. */
function AlreadyApproved({ userId }: { userId: string }) {
  useEffect(() => void refreshUsers(), [])
  const { data: sentence } = useQuery({
    queryKey: ['approval-in-dialog', userId],
    // TanStack Query does not allow undefined data.
    queryFn: async () => (await readApproval(userId)) ?? null,
    gcTime: 0,
  })
  return (
    <FocusedNotice kind="info" title="Esta conta já foi aprovada">
      {sentence && <p>{sentence}.</p>}
      <p>Nada mudou agora. Tipos, marcas e estados podem ser alterados em ‘Editar acesso’.</p>
    </FocusedNotice>
  )
}
