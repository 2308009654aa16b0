import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { Catalogue } from '#contract/catalogue.ts'
import { foldText } from '#contract/entitlement-lists.ts'
import { formatList } from '#contract/format-list.ts'
import {
  changePasswordFormSchema,
  PASSWORD_MIN,
  passwordMessages,
  REMEMBERED_PASSWORDS,
} from '#contract/passwords.ts'
import { withTimeout } from '#contract/timing.ts'
import type { Profile } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { catalogueQuery, listChoices, useCatalogue } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { getSession, type StoredSession, useSession } from '#web/session/session.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { FormAlert } from '#web/ui/form-alert.tsx'
import { formatDate, formatInstant } from '#web/ui/format-instant.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { changePassword, explainRefusal } from './change-password.ts'
import { NewPasswordFields } from './new-password-fields.tsx'

const ownProfileQuery = (userId: string) =>
  queryOptions({
    queryKey: ['own-profile', userId],
    queryFn: ({ signal }) => callApi('GET /api/profiles/me', { signal }),
  })

const ownAreasQuery = (userId: string) =>
  queryOptions({
    // Read again with the reports, of whose key this is an extension.
    queryKey: ['own-reports', userId, 'areas'],
    queryFn: ({ signal }) => callApi('GET /api/reports/me', { signal }),
  })

/**
 * How long the route loader waits for the profile (ms): long
 * enough to avoid a skeleton on fast connections.
 */
const MAX_WAIT_MS = 1_000

/** Prefetches the profile for the route's loader. */
export function prefetchProfile(): Promise<unknown> | undefined {
  const userId = getSession()?.user.id
  // The prerenderer has no person.
  if (!userId || typeof document === 'undefined') return undefined
  const reads = [
    queryClient.prefetchQuery(ownProfileQuery(userId)),
    queryClient.prefetchQuery(catalogueQuery),
    queryClient.prefetchQuery(ownAreasQuery(userId)),
  ]
  return withTimeout(Promise.all(reads), MAX_WAIT_MS, () => undefined)
}

/** /profile, 'Minha Conta': the person's account data, and a form to change the password. */
export function ProfileScreen() {
  const user = useSession()?.user
  return (
    <div className="mx-auto w-full max-w-5xl space-y-6 px-4 py-8 sm:py-10">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h1 className="font-semibold text-2xl tracking-tight">Minha Conta</h1>
        <div className="flex flex-wrap gap-x-6">
          <Link to="/profile/envios" className={`${textLinkClasses} text-sm`}>
            Relatórios por e-mail
          </Link>
          <Link to="/profile/seguranca" className={`${textLinkClasses} text-sm`}>
            Segurança
          </Link>
          <Link to="/pedir-acesso" className={`${textLinkClasses} text-sm`}>
            Pedir acesso
          </Link>
        </div>
      </div>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        {user && <OwnAccountCard user={user} />}
        <ChangePasswordCard />
      </div>
    </div>
  )
}

const LISTS = { types: 'Áreas', marcas: 'Marcas', estados: 'Estados' } as const

/** The e-mail (read-only), the name if any, and the person's entitlements. */
function OwnAccountCard({ user }: { user: StoredSession['user'] }) {
  const { data, error, refetch, isFetching } = useQuery(ownProfileQuery(user.id))
  const catalogue = useCatalogue()
  const empty = useAreasWithoutReport(user.id, data)
  useEffect(() => {
    if (error) console.warn('The profile could not be read', error)
  }, [error])
  // The session's data is shown at once, and when the profile cannot be loaded.
  const name = data ? data.full_name : user.user_metadata?.full_name
  return (
    <Card className="space-y-4">
      <h2 className="font-semibold text-lg">Dados da conta</h2>
      <dl className="divide-y divide-line border-line border-t text-sm">
        <Row name="E-mail" note="O e-mail não pode ser alterado.">
          {(data?.email ?? user.email) || undefined}
        </Row>
        {name !== null && <Row name="Nome">{name}</Row>}
        {!error &&
          Object.entries(LISTS).map(([list, title]) => (
            <Row key={list} name={title} note={list === 'types' ? describeEmpty(empty) : undefined}>
              {data && formatNames(catalogue, list as keyof typeof LISTS, data)}
            </Row>
          ))}
        {data?.valid_until && <Row name="Acesso até">{formatDate(data.valid_until)}</Row>}
        {!error && (
          <Row name="Último acesso">
            {data && (data.last_sign_in_at ? formatInstant(data.last_sign_in_at) : 'Nunca')}
          </Row>
        )}
      </dl>
      {error && (
        <FailedLoad onRetry={() => void refetch()} isRetrying={isFetching}>
          O que você pode ver não pôde ser lido agora.
        </FailedLoad>
      )}
    </Card>
  )
}

/** Lists the person's areas that have no report; none until it is known, or without an approval. */
function useAreasWithoutReport(userId: string, profile: Profile | undefined): string[] {
  const { data } = useQuery(ownAreasQuery(userId))
  if (!data?.approved || !profile) return []
  const shown = data.areas.map(({ type }) => foldText(type))
  return profile.types.filter((area) => !shown.includes(foldText(area)))
}

const describeEmpty = (areas: readonly string[]) =>
  areas.length > 0 ? `Ainda sem relatório: ${formatList(areas)}.` : undefined

/** Formats 'Vendas, CRM' with the catalogue's order and labels. */
function formatNames(catalogue: Catalogue, list: keyof typeof LISTS, profile: Profile): string {
  const held = profile[list]
  const choices = listChoices(catalogue, list, held).filter(({ value }) => held.includes(value))
  const names = choices.length < held.length ? held : choices.map(({ label }) => label)
  return names.join(', ') || 'Nada liberado ainda'
}

/** A row of the list; a skeleton while its value loads. */
function Row({ name, note, children }: { name: string; note?: string | undefined; children: ReactNode }) {
  return (
    <div className="gap-4 py-3 sm:grid sm:grid-cols-[8rem_1fr]">
      <dt className="text-muted">{name}</dt>
      <dd className="font-medium">
        {children ?? <Skeleton className="h-5 w-40" />}
        {note && <p className="mt-0.5 font-normal text-muted text-xs">{note}</p>}
      </dd>
    </div>
  )
}

function ChangePasswordCard() {
  const [changes, setChanges] = useState(0)
  return (
    <Card className="space-y-5">
      <div className="space-y-2">
        <h2 className="font-semibold text-lg">Alterar Senha</h2>
        <ul className="list-disc space-y-1 pl-5 text-muted text-sm">
          <li>A senha deve ter no mínimo {PASSWORD_MIN} caracteres.</li>
          <li>As últimas {REMEMBERED_PASSWORDS} senhas não podem ser reutilizadas.</li>
        </ul>
      </div>
      {/* A new key clears fields, errors and meter. */}
      <ChangePasswordForm key={changes} onChanged={() => setChanges(changes + 1)} />
    </Card>
  )
}

function ChangePasswordForm({ onChanged }: { onChanged: () => void }) {
  const { formProps, submitProps, failure, getError } = useForm({
    schema: changePasswordFormSchema,
    explain: (error) => explainRefusal(error, passwordMessages.changeFailed),
    async send({ password }) {
      await changePassword(password)
      const description = 'As sessões abertas em outros dispositivos foram encerradas.'
      showToast({ kind: 'success', title: passwordMessages.changed, description })
      onChanged()
    },
  })
  return (
    <form {...formProps} className="space-y-5" aria-label="Alterar Senha">
      <NewPasswordFields email={useSession()?.user.email} getError={getError} minLength={PASSWORD_MIN} />
      <FormAlert failure={failure} />
      <Button {...submitProps}>Alterar Senha</Button>
    </form>
  )
}
