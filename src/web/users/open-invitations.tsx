import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Invitation } from '#contract/invitations.ts'
import { MAX_INVITED } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { ApiError } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/choices.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { formatDate, formatDay, formatInstant } from '#web/ui/format-instant.ts'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useDebouncedValue } from '#web/ui/use-debounced-value.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { formatAccess } from './entitlements.tsx'
import { formatCount } from './selection.ts'
import { INVITATIONS_QUERY, refreshInvitations } from './user-queries.ts'

const loadEditDialog = async () => (await import('./edit-invitations-dialog.tsx')).EditInvitationsDialog

/** The classes of a quiet action. */
const ACTION = 'px-3 max-sm:h-11 sm:h-9'

/** The unanswered invitations, to edit, resend or withdraw, one or several. */
export function OpenInvitations() {
  const titleId = useId()
  const [typed, setTyped] = useState('')
  const q = useDebouncedValue(typed.trim())
  const [withdrawing, setWithdrawing] = useState<readonly Invitation[]>()
  const [edited, setEdited] = useState<readonly Invitation[]>()
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const editDialog = useLazyDialog(loadEditDialog)
  const invitations = useInfiniteQuery({
    queryKey: [...INVITATIONS_QUERY, q],
    queryFn: ({ pageParam: cursor, signal }) =>
      callApi('GET /api/invitations', { query: { q: q || undefined, cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = invitations
  const items = data?.pages.flatMap((page) => page.items)
  const total = data?.pages[0]?.total ?? 0
  // Those that were answered meanwhile drop out.
  const chosen = items?.filter(({ id }) => marked.has(id)) ?? []
  const edit = (invitations: readonly Invitation[]) => {
    setEdited(invitations)
    editDialog.open()
  }
  const resend = useResend(() => setMarked(new Set()))
  return (
    <section aria-labelledby={titleId} className="space-y-3">
      <h2 id={titleId} className="font-semibold text-lg">
        Convites sem resposta{data && ` (${total.toLocaleString('pt-BR')})`}
      </h2>
      {(total > 5 || typed) && (
        <TextField
          type="search"
          label="Buscar por nome ou e-mail"
          autoComplete="off"
          maxLength={100}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      {!items ? (
        <NotLoaded query={invitations} failed="Os convites não puderam ser lidos agora." skeleton="h-24" />
      ) : items.length === 0 ? (
        <p className="rounded-xl border border-line border-dashed px-6 py-8 text-center text-muted text-sm">
          {q
            ? 'Nenhum convite com este nome ou e-mail.'
            : 'Nenhum. Quem aceita um convite passa a aparecer em Pessoas.'}
        </p>
      ) : (
        <div className="rounded-xl border border-line bg-surface shadow-xs">
          {items.length > 1 && (
            <div className="sticky top-0 z-5 flex min-h-14 flex-wrap items-center gap-x-2 gap-y-1 rounded-t-xl border-line border-b bg-surface px-4 py-1.5 text-sm sm:px-6">
              <Checkbox
                label={
                  chosen.length > 0
                    ? formatCount(chosen.length, 'convite marcado', 'convites marcados')
                    : 'Marcar todos os mostrados'
                }
                checked={chosen.length > 0 && chosen.length === items.length}
                isMixed={chosen.length > 0 && chosen.length < items.length}
                onChange={({ target }) =>
                  setMarked(new Set(target.checked ? items.slice(0, MAX_INVITED).map(({ id }) => id) : []))
                }
                className="mr-auto max-sm:min-h-11"
              />
              {chosen.length > 0 && (
                <>
                  <Button variant="ghost" onClick={() => edit(chosen)} className={ACTION}>
                    Editar
                  </Button>
                  <Button
                    variant="ghost"
                    isBusy={resend.isBusy}
                    onClick={() => void resend.submit(chosen)}
                    className={ACTION}
                  >
                    Enviar de novo
                  </Button>
                  <Button variant="ghost" onClick={() => setWithdrawing(chosen)} className={ACTION}>
                    Retirar
                  </Button>
                </>
              )}
            </div>
          )}
          <ul aria-labelledby={titleId} className="divide-y divide-line">
            {items.map((invitation) => (
              <Row
                key={invitation.id}
                invitation={invitation}
                isMarked={items.length > 1 ? marked.has(invitation.id) : undefined}
                onMark={(isMarked) => {
                  const next = new Set(marked)
                  if (isMarked) next.add(invitation.id)
                  else next.delete(invitation.id)
                  setMarked(next)
                }}
                onEdit={() => edit([invitation])}
                onWithdraw={() => setWithdrawing([invitation])}
              />
            ))}
          </ul>
        </div>
      )}
      {hasNextPage && (
        <Button variant="secondary" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Mostrar mais
        </Button>
      )}
      {withdrawing && <WithdrawDialog invitations={withdrawing} onClose={() => setWithdrawing(undefined)} />}
      {editDialog.Dialog && edited && <editDialog.Dialog invitations={edited} onClose={editDialog.close} />}
    </section>
  )
}

/** Mails several invitations again. */
function useResend(onSent: () => void) {
  return useSubmit({
    send: (invitations: readonly Invitation[]) =>
      retryCall('POST /api/invitations/resend', { body: { ids: invitations.map(({ id }) => id) } }),
    onDone({ sent, left, gone }) {
      const rest = [
        left > 0 &&
          `${formatCount(left, 'foi enviado', 'foram enviados')} há menos de um minuto, ou com validade que já passou.`,
        gone > 0 && `${formatCount(gone, 'já tinha resposta', 'já tinham resposta')}.`,
      ].filter(Boolean)
      showToast({
        kind: sent > 0 ? 'success' : 'info',
        title:
          sent > 0 ? formatCount(sent, 'convite enviado', 'convites enviados') : 'Nenhum convite enviado',
        ...(rest.length > 0 && { description: rest.join(' ') }),
      })
      onSent()
    },
    onFailed: 'Os convites não foram enviados',
    onSettled: refreshInvitations,
  })
}

interface RowProps {
  invitation: Invitation
  /** Undefined where there is nothing to choose from. */
  isMarked: boolean | undefined
  onMark: (isMarked: boolean) => void
  onEdit: () => void
  onWithdraw: () => void
}

function Row({ invitation, isMarked, onMark, onEdit, onWithdraw }: RowProps) {
  const { id, email, full_name, invited_by, invited_at, valid_until } = invitation
  const { submit, isBusy } = useSubmit({
    send: () => callApi('POST /api/invitations/{id}/resend', { params: { id } }),
    async onDone() {
      await refreshInvitations()
      showToast({ kind: 'success', title: 'Convite enviado de novo', description: email })
    },
    async onFailed(failure) {
      // The reply to a previous resend may have been lost; the refetched list shows when it was sent.
      void refreshInvitations()
      if (failure instanceof ApiError && failure.status === 429)
        showToast({ kind: 'info', title: 'O convite foi enviado há menos de um minuto', description: email })
      else showToast(toFailureToast('O convite não foi enviado', failure))
    },
  })
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 px-4 py-3 text-sm sm:px-6">
      {isMarked !== undefined && (
        <Checkbox
          aria-label={`Marcar ${email}`}
          checked={isMarked}
          onChange={({ target }) => onMark(target.checked)}
          className="-ml-1 size-11 shrink-0 justify-center self-start sm:-ml-3 sm:size-9"
        />
      )}
      <div className="min-w-0 flex-1 basis-56">
        <h3 className="break-words font-medium">{full_name ?? email}</h3>
        {full_name && <p className="break-words text-muted">{email}</p>}
        <p className="break-words">
          {formatAccess(invitation)}
          {valid_until && <span className="text-muted"> · acesso até {formatDate(valid_until)}</span>}
        </p>
        <p className="text-muted text-xs leading-5">
          <LinkState invitation={invitation} />
          {` · enviado em ${formatInstant(invited_at)} por ${invited_by ?? 'alguém cuja conta foi excluída'}`}
          {invitation.withdrawn_at && invited_by && ', que não administra mais o portal'}
        </p>
      </div>
      <div className="-mr-3 flex max-sm:w-full max-sm:justify-end">
        <Button variant="ghost" aria-label={`Editar convite: ${email}`} onClick={onEdit} className={ACTION}>
          Editar
        </Button>
        <Button
          variant="ghost"
          aria-label={`Enviar de novo: ${email}`}
          isBusy={isBusy}
          onClick={() => void submit()}
          className={ACTION}
        >
          Enviar de novo
        </Button>
        <Button
          variant="ghost"
          aria-label={`Retirar convite: ${email}`}
          onClick={onWithdraw}
          className={ACTION}
        >
          Retirar
        </Button>
      </div>
    </li>
  )
}

function LinkState({ invitation }: { invitation: Invitation }) {
  const { withdrawn_at, expires_at, expired, valid_until } = invitation
  const isLinkOver = Date.parse(expires_at) <= Date.now()
  if (!withdrawn_at && !expired) return <span>Vale até {formatDay(expires_at)}</span>
  return (
    <strong className="font-medium text-warning">
      {withdrawn_at
        ? `Retirado em ${formatDay(withdrawn_at)}`
        : isLinkOver || !valid_until
          ? `Venceu em ${formatDay(expires_at)}`
          : `O acesso terminou em ${formatDate(valid_until)}`}
    </strong>
  )
}

interface WithdrawDialogProps {
  invitations: readonly Invitation[]
  onClose: () => void
}

function WithdrawDialog({ invitations, onClose }: WithdrawDialogProps) {
  const [only, another] = invitations
  const email = another ? undefined : only?.email
  const count = formatCount(invitations.length, 'convite', 'convites')
  const { submit, isBusy } = useSubmit({
    send: () =>
      retryCall('POST /api/invitations/withdraw', { body: { ids: invitations.map(({ id }) => id) } }),
    async onDone({ withdrawn, gone }) {
      await refreshInvitations()
      const rest =
        gone > 0
          ? `${formatCount(gone, 'já tinha', 'já tinham')} resposta ou tinha sido retirado.`
          : undefined
      if (withdrawn === 0)
        showToast({ kind: 'warning', title: 'Nada foi retirado', ...(rest && { description: rest }) })
      else
        showToast({
          kind: 'success',
          title: another
            ? formatCount(withdrawn, 'convite retirado', 'convites retirados')
            : 'Convite retirado',
          description: [email, rest].filter(Boolean).join(' '),
        })
      onClose()
    },
    onFailed: another ? 'Os convites não foram retirados' : 'O convite não foi retirado',
  })
  return (
    <ConfirmDialog
      title={another ? `Retirar ${count}?` : 'Retirar convite'}
      description={email}
      confirmLabel={another ? `Retirar ${count}` : 'Retirar convite'}
      isBusy={isBusy}
      onConfirm={() => void submit()}
      onCancel={onClose}
    >
      <p className="text-sm">
        {another
          ? 'Os links enviados deixam de valer. O e-mail de quem não tem conta é apagado, também do histórico. Você pode convidar de novo quando quiser.'
          : 'O link que a pessoa recebeu deixa de valer. Se ela não tem conta, o e-mail é apagado, também do histórico. Você pode convidá-la de novo quando quiser.'}
      </p>
    </ConfirmDialog>
  )
}
