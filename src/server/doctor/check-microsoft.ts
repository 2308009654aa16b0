import { X509Certificate } from 'node:crypto'
import { sql } from 'kysely'
import { CALLBACK_PATH, createMicrosoftDirectory } from '#server/accounts/microsoft-directory.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/database/schema.ts'
import { type Check, check, fault, good, type Result, warning } from './run-checks.ts'

const DAY_MS = 86_400_000
const WARN_DAYS = 30
/** Refusals older than this may have been mended. */
const RECENT_MS = 7 * DAY_MS
const DOCUMENT = 'docs/sign-in.md'

/** Checks the directory that signs people in: configuration, credentials, redirect address, claims. */
export function listMicrosoftChecks({ entra, publicUrl }: Config, db: Db | undefined): Check[] {
  if (!entra) return []
  const directory = createMicrosoftDirectory(entra, publicUrl)
  const run = async (): Promise<Result[]> => {
    const { issuer } = await directory.readMetadata()
    const [isAccepted, isRegistered] = await Promise.all([
      directory.tryCredentials(),
      directory.tryRedirect(),
    ])
    return [
      good(`Entrada com a Microsoft: a configuração de ${issuer} foi lida.`),
      isAccepted
        ? good('Entrada com a Microsoft: a Microsoft aceita o segredo do aplicativo.')
        : fault(
            'Entrada com a Microsoft: a Microsoft recusa o segredo do aplicativo.',
            `Crie outro no Entra, grave-o em ENTRA_CLIENT_SECRET e recarregue (${DOCUMENT}).`,
          ),
      isRegistered
        ? good('Entrada com a Microsoft: o endereço de retorno está registrado.')
        : fault(
            'Entrada com a Microsoft: o endereço de retorno não está registrado.',
            `Registre ${publicUrl}${CALLBACK_PATH} no aplicativo, do tipo Web (${DOCUMENT}).`,
          ),
    ]
  }
  return [
    { ...check('microsoft', 'Entrada com a Microsoft', 20_000, run), causes: ['dns', 'corporate-proxy'] },
    check('microsoft-secret', 'Segredo da Microsoft', 1_000, async () => describeEnd(entra)),
    ...(db ? [check('microsoft-claims', 'Declarações da Microsoft', 5_000, () => checkClaims(db))] : []),
  ]
}

function describeEnd({ secretEnds, clientSecret, clientCertificate }: NonNullable<Config['entra']>): Result {
  const end =
    clientSecret || !clientCertificate ? secretEnds : new X509Certificate(clientCertificate).validToDate
  const about = 'Entrada com a Microsoft'
  if (!end)
    return warning(
      `${about}: o portal não sabe quando o segredo vence.`,
      'Escreva o dia em ENTRA_SECRET_ENDS: o Entra não o informa ao portal.',
    )
  const days = Math.floor((new Date(end).getTime() - Date.now()) / DAY_MS)
  const todo = `Crie outro no Entra, troque-o no portal e acerte ENTRA_SECRET_ENDS (${DOCUMENT}).`
  if (days < 0) return fault(`${about}: o segredo venceu.`, todo)
  return days < WARN_DAYS
    ? warning(`${about}: o segredo vence em ${days} dias.`, todo)
    : good(`${about}: o segredo vale por mais ${days} dias.`)
}

/** Claims that sign-ins lacked lately, and groups that nobody's token has. */
async function checkClaims(db: Db): Promise<Result[]> {
  const { rows } = await sql<Record<'acct' | 'email' | 'groups', boolean>>`
    with refused as (
      select after ->> 'reason' as reason from audit_entries
      where action = 'microsoft-refused' and at > ${new Date(Date.now() - RECENT_MS)}
    )
    select exists (select from refused where reason = 'kind-unknown') as acct,
      exists (select from refused where reason = 'no-address') as email,
      exists (select from group_mappings) and exists (select from identities)
        and not exists (select from identities where groups_at is not null) as groups`.execute(db)
  const missing = Object.entries(rows[0] ?? {}).flatMap(([name, isMissing]) => (isMissing ? [name] : []))
  const about = 'Entrada com a Microsoft'
  if (missing.length === 0) return [good(`${about}: nenhuma declaração faltou nos últimos 7 dias.`)]
  return missing.map((name) =>
    warning(
      `${about}: a declaração ${name} faltou nos últimos 7 dias.`,
      `Inclua-a no token de ID, em Token configuration do aplicativo (${DOCUMENT}).`,
    ),
  )
}
