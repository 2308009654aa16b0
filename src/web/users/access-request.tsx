import type { Catalogue } from '#contract/catalogue.ts'
import { LISTS, sortItems } from '#contract/entitlement-lists.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { Alert } from '#web/ui/alert.tsx'
import { formatInstant } from '#web/ui/format-instant.ts'

/** Formats an access request in one line: 'Oficina, CRM · VW · RJ'. */
export function formatRequest(catalogue: Catalogue, { request }: ManagedProfile): string {
  if (!request) return 'Ainda não disse do que precisa'
  const lists = LISTS.map((list) => sortItems(catalogue, list, request[list]).join(', ')).filter(Boolean)
  return lists.join(' · ') || request.workplace || 'Só o nome'
}

/** An access request; that of a pending account is unproven until the e-mail is verified. */
export function RequestNotice({ profile }: { profile: ManagedProfile }) {
  const catalogue = useCatalogue()
  const { request, full_name, email_verified_at } = profile
  if (!request) return null
  const who = [full_name, request.workplace].filter(Boolean).join(', ')
  return (
    <Alert
      kind={email_verified_at ? 'info' : 'warning'}
      title={`Pedido de acesso de ${formatInstant(request.requested_at)}`}
    >
      <p>{who}</p>
      <p>{formatRequest(catalogue, { ...profile, request: { ...request, workplace: null } })}</p>
      {request.note && (
        <p className="whitespace-pre-line pt-1 text-muted">
          “<bdi>{request.note}</bdi>”
        </p>
      )}
      {!email_verified_at && (
        <p className="pt-1">Escrito por quem criou a conta, sem prova de quem é: nada vem marcado.</p>
      )}
    </Alert>
  )
}
