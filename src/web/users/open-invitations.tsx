import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Invitation } from '#contract/invitations.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient, USERS_QUERY } from '#web/http/query-client.ts'
import { ApiError, isGone } from '#web/http/send-request.ts'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { formatDay, formatInstant } from '#web/ui/format-instant.ts'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useDebouncedValue } from '#web/ui/use-debounced-value.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { formatAccess } from './entitlements.tsx'
import { retryCall } from './retry-call.ts'

/** Refetched with the users: accepting an invitation removes it from this list. */
export const INVITATIONS_QUERY = [USERS_QUERY, 'invitations']

const refreshInvitations = () => queryClient.invalidateQueries({ queryKey: INVITATIONS_QUERY })

/** The unanswered invitations, to resend or withdraw. */
export function OpenInvitations() {
  const titleId = useId()
  const [typed, setTyped] = useState('')
  const q = useDebouncedValue(typed.trim())
  const [withdrawing, setWithdrawing] = useState<Invitation>()
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
            : 'Nenhum. Quem aceita o convite passa a estar em Usuários.'}
        </p>
      ) : (
        <ul
          aria-labelledby={titleId}
          className="divide-y divide-line rounded-xl border border-line bg-surface shadow-xs"
        >
          {items.map((invitation) => (
            <Row key={invitation.id} invitation={invitation} onWithdraw={() => setWithdrawing(invitation)} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="secondary" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Mostrar mais
        </Button>
      )}
      {withdrawing && <WithdrawDialog invitation={withdrawing} onClose={() => setWithdrawing(undefined)} />}
    </section>
  )
}

function Row({ invitation, onWithdraw }: { invitation: Invitation; onWithdraw: () => void }) {
  const { id, email, full_name, invited_by, invited_at, withdrawn_at, expires_at, expired } = invitation
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
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 text-sm sm:px-6">
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="break-words font-medium">{full_name ?? email}</h3>
        {full_name && <p className="break-words text-muted">{email}</p>}
        <p className="break-words text-muted">{formatAccess(invitation)}</p>
        <p className="text-muted">
          {withdrawn_at ? (
            <strong className="font-medium text-warning">Retirado em {formatDay(withdrawn_at)}</strong>
          ) : expired ? (
            <strong className="font-medium text-warning">Venceu em {formatDay(expires_at)}</strong>
          ) : (
            `Vale até ${formatDay(expires_at)}`
          )}
          {` · enviado em ${formatInstant(invited_at)} por ${invited_by ?? 'alguém cuja conta foi excluída'}`}
          {withdrawn_at && invited_by && ', que não administra mais o portal'}
        </p>
      </div>
      <div className="flex gap-2">
        <Button
          variant="secondary"
          aria-label={`Enviar de novo: ${email}`}
          isBusy={isBusy}
          onClick={() => void submit()}
        >
          Enviar de novo
        </Button>
        <Button variant="secondary" aria-label={`Retirar convite: ${email}`} onClick={onWithdraw}>
          Retirar convite
        </Button>
      </div>
    </li>
  )
}

function WithdrawDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { id, email } = invitation
  const { submit, isBusy } = useSubmit({
    send: () => retryCall('DELETE /api/invitations/{id}', { params: { id } }),
    async onDone() {
      await refreshInvitations()
      showToast({ kind: 'success', title: 'Convite retirado', description: email })
      onClose()
    },
    async onFailed(failure) {
      showToast(toFailureToast('O convite não foi retirado', failure))
      if (!isGone(failure)) return
      await refreshInvitations()
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Retirar convite"
      description={email}
      confirmLabel="Retirar convite"
      isBusy={isBusy}
      onConfirm={() => void submit()}
      onCancel={onClose}
    >
      <p className="text-sm">
        O link que a pessoa recebeu deixa de valer. Se ela não tem conta, o e-mail é apagado, também do
        histórico. Você pode convidá-la de novo quando quiser.
      </p>
    </ConfirmDialog>
  )
}
