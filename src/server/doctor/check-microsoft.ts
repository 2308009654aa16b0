import { sql } from 'kysely'
import { CALLBACK_PATH, createMicrosoftDirectory } from '#server/accounts/microsoft-directory.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/database/schema.ts'
import { checkCredentialEnd } from './check-credential-end.ts'
import { type Check, check, fault, good, type Result, warning } from './run-checks.ts'

const DAY_MS = 86_400_000
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
    check('microsoft-secret', 'Segredo da Microsoft', 1_000, async () =>
      checkCredentialEnd(entra, {
        about: 'Entrada com a Microsoft',
        setting: 'ENTRA_SECRET_ENDS',
        document: DOCUMENT,
      }),
    ),
    ...(db ? [check('microsoft-claims', 'Declarações da Microsoft', 5_000, () => checkClaims(db))] : []),
  ]
}

/** What is missing in the tenant, what it does, and what its administrator does about it. */
const FINDINGS = {
  acct: [
    'a declaração acct faltou: ninguém entra sem ela',
    'Peça ao administrador do Entra: em Token configuration do aplicativo, Add optional claim, ID, acct',
  ],
  email: [
    'a declaração email faltou: sem ela cada pessoa confirma o e-mail por um link, ou não entra',
    'Peça ao administrador do Entra: em Token configuration do aplicativo, Add optional claim, ID, email',
  ],
  xms_edov: [
    'a declaração xms_edov faltou: sem ela cada pessoa confirma o e-mail por um link na primeira entrada',
    'Peça ao administrador do Entra: em Manifest do aplicativo, acrescente xms_edov a optionalClaims.idToken',
  ],
  auth_time: [
    'a declaração auth_time faltou: ninguém confirma com a Microsoft que é a própria pessoa',
    'Peça ao administrador do Entra: em Token configuration do aplicativo, Add optional claim, ID, auth_time',
  ],
  groups: [
    'a declaração groups faltou: os grupos não mudam o acesso de ninguém',
    'Peça ao administrador do Entra: em Token configuration do aplicativo, Add groups claim, ID',
  ],
  acrs: [
    'a declaração acrs veio sem o contexto de ENTRA_MULTI_FACTOR: a segunda etapa do portal é pedida também',
    'Peça ao administrador do Entra: publique o contexto e exija a MFA nele com uma política de Acesso Condicional',
  ],
  'consent-missing': [
    'falta o consentimento do administrador: ninguém entra sem ele',
    'Peça ao administrador do Entra: em API permissions do aplicativo, Grant admin consent',
  ],
  misconfigured: [
    'a Microsoft recusou o portal: o segredo ou o registro está errado; o código está no log',
    'Compare o registro do aplicativo no Entra com as instruções, e troque o segredo se venceu',
  ],
  'groups-overage': [
    'há pessoas em mais de 200 grupos, que a Microsoft não envia: os grupos delas ficam como eram',
    'Peça ao administrador do Entra: em Token configuration, escolha Groups assigned to the application',
  ],
} as const

/**
 * What sign-ins lacked lately, most of it claims; those of groups only where templates follow them.
 * Whoever is in no group has no claim, so that it is missing only where nobody has it.
 */
async function checkClaims(db: Db): Promise<Result[]> {
  const since = new Date(Date.now() - RECENT_MS)
  const { rows } = await sql<{ name: keyof typeof FINDINGS }>`
    select case outcome when 'microsoft kind-unknown' then 'acct' when 'microsoft no-address' then 'email'
      else substr(outcome, length('microsoft ') + 1) end as name
    from failed_sign_ins where last_at > ${since} and outcome in ('microsoft kind-unknown',
      'microsoft no-address', 'microsoft consent-missing', 'microsoft misconfigured')
    union select name from identities, unnest(missing_claims) as name where last_used_at > ${since}
      and (name not like 'groups%' or exists (select from group_mappings))
      and (name <> 'groups' or not exists (
        select from identities where last_used_at > ${since} and groups_at = last_used_at))
    order by name`.execute(db)
  const about = 'Entrada com a Microsoft'
  if (rows.length === 0) return [good(`${about}: nenhuma declaração faltou nos últimos 7 dias.`)]
  return rows.map(({ name }) => {
    const [says, todo] = FINDINGS[name]
    return warning(`${about}: ${says} (últimos 7 dias).`, `${todo} (${DOCUMENT}).`)
  })
}
