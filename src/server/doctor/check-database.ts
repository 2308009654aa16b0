import { hostname } from 'node:os'
import { sql } from 'kysely'
import { isPreviousVersionActive } from '#server/accounts/second-factor.ts'
import { countUnreadableFactors, countUnreadableSessions } from '#server/accounts/tokens.ts'
import type { Config } from '#server/config.ts'
import { DatabaseOpenError } from '#server/database/database.ts'
import { type InspectedServer, inspectServers } from '#server/database/inspect-server.ts'
import { listMigrations, listMissingTables, listPending } from '#server/database/migrate.ts'
import type { Db } from '#server/database/schema.ts'
import { splitHosts } from '#server/database/server-urls.ts'
import type { Keyring } from '#server/keyring.ts'
import { readMailBacklog } from '#server/operations/metrics.ts'
import { readFact } from '#server/operations/portal-facts.ts'
import { formatCommand } from '#server/version.ts'
import { listDnsCauses } from './check-network.ts'
import { createReplicaCheck, describeClock } from './check-replicas.ts'
import { listTrailChecks } from './check-trail.ts'
import { explainError } from './explain-error.ts'
import { type Check, check, fault, good, type Result, warning } from './run-checks.ts'

const WITHIN_MS = 25_000
/** Of two replicas during an update, as in docs/past-one-machine.md. */
const WANTED_CONNECTIONS = 2 * 13
const LATE_MAIL_SECONDS = 600
/** 1.5 × a day, as in deploy/alerts.yaml. */
export const OLD_BACK_UP_HOURS = 36
const HOUR_MS = 3_600_000
/** The job runs every hour; one missed run goes unnoticed. */
const LATE_RETENTION_HOURS = 3

/** Checks the servers of DATABASE_URL: connection, TLS, version, writability, poolers, clocks. */
export function listServerChecks({
  databaseUrl,
  databaseDirectUrl,
}: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>): Check[] {
  if (!databaseUrl) return []
  const run = async () => {
    const servers = await inspectServers(databaseUrl)
    const found = servers.flatMap((server) =>
      describeServer(server, databaseUrl, databaseDirectUrl !== undefined),
    )
    // Of several hosts, one that works is enough.
    return servers.some(({ error }) => !error)
      ? found.map((each) => (each.grade === 'fault' ? { ...each, grade: 'warning' as const } : each))
      : found
  }
  return [
    {
      ...check('database', 'Banco de dados', WITHIN_MS, run),
      causes: listDnsCauses(...splitHosts(databaseUrl)),
    },
  ]
}

function describeServer(server: InspectedServer, url: string, hasDirectUrl: boolean): Result[] {
  const at = `Banco de dados em ${server.location}`
  if (server.error) {
    const { says, todo } = explainError(server.error, url)
    return [fault(`${at}: ${says}.`, todo)]
  }
  const { version = 0, isPooled, isEncrypted, offsetMs = 0, connections = 0 } = server
  const major = Math.floor(version / 10_000)
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(server.location)
  const found: Result[] = []
  if (server.missingRight) {
    const { says, todo } = explainError(server.missingRight, url)
    found.push(warning(`${at}: ${says}.`, todo))
  }
  if (connections < WANTED_CONNECTIONS && !isPooled)
    found.push(
      warning(
        `${at}: aceita só ${connections} conexões, e duas réplicas usam até ${WANTED_CONNECTIONS} durante uma atualização.`,
        'Aumente o limite: max_connections do servidor, ou CONNECTION LIMIT do usuário ou do banco.',
      ),
    )
  if (!isEncrypted && !isHere)
    found.push(
      warning(
        `${at}: a conexão não é criptografada.`,
        'Acrescente ?sslmode=verify-full&sslrootcert=… a DATABASE_URL.',
      ),
    )
  if (isPooled && !hasDirectUrl)
    found.push(
      warning(
        `${at}: há um pooler no caminho, e mensagens novas demoram até 2 s.`,
        'Defina DATABASE_DIRECT_URL com o endereço do próprio servidor.',
      ),
    )
  const clock = `Relógio desta máquina (${hostname()})`
  found.push(...describeClock(clock, -offsetMs, `banco de dados em ${server.location}`))
  if (found.length > 0) return found
  const tls = isEncrypted ? 'com TLS' : 'nesta máquina'
  return [good(`${at}: PostgreSQL ${major}, ${tls}, aceita escrita${isPooled ? ', com pooler' : ''}.`)]
}

async function checkSecondFactor(db: Db, keyring: Keyring): Promise<Result> {
  const unreadable = await countUnreadableFactors(db, keyring)
  if (unreadable > 0)
    return fault(
      `Verificação em duas etapas: falta o SESSION_SECRET que abre ${unreadable === 1 ? '1 aplicativo de códigos, cujo dono não entra' : `${unreadable} aplicativos de códigos, cujos donos não entram`}.`,
      'Ponha o segredo antigo de volta em SESSION_SECRET e reinicie, ou retire a segunda etapa dessas pessoas.',
    )
  if (await isPreviousVersionActive(db, Date.now()))
    return warning(
      'Verificação em duas etapas: fechada para quem ainda não a usa, porque uma réplica da versão anterior atendeu na última hora.',
      'Termine a atualização de todas as réplicas: ela abre sozinha uma hora depois.',
    )
  const { rows } = await sql<{ count: number }>`
    select count(distinct user_id)::int as count from factors where verified_at is not null`.execute(db)
  return good(
    `Verificação em duas etapas: aberta, usada por ${rows[0]?.count === 1 ? '1 pessoa' : `${rows[0]?.count ?? 0} pessoas`}.`,
  )
}

/** Checks of an open database's contents. */
export function listDatabaseChecks({ db, keyring }: { db: Db; keyring: Keyring }, config: Config): Check[] {
  const { isDemo } = config
  const migrations = check('migrations', 'Migrações', WITHIN_MS, () => checkMigrations(db))
  const contents = [
    check('session-secret', 'SESSION_SECRET', WITHIN_MS, async () => {
      const count = await countUnreadableSessions(db, keyring)
      return count === 0
        ? good('SESSION_SECRET: abre todas as sessões recentes.')
        : fault(
            `SESSION_SECRET: falta a esta réplica a chave com que outra abriu ${count === 1 ? '1 sessão, que termina' : `${count} sessões, que terminam`} aqui.`,
            'Ponha os mesmos segredos em todas as réplicas e recarregue cada uma (docs/operations.md, “Secrets”).',
          )
    }),
    ...(config.databaseUrl ? [createReplicaCheck(db)] : []),
    check('second-factor', 'Verificação em duas etapas', WITHIN_MS, () => checkSecondFactor(db, keyring)),
    check('outbox', 'Fila de e-mails', WITHIN_MS, async () => {
      const { count, seconds } = await readMailBacklog(db)
      return seconds > LATE_MAIL_SECONDS
        ? fault(
            `Fila de e-mails: ${count} à espera, o mais antigo há ${Math.round(seconds / 60)} min.`,
            'Veja a verificação do servidor de e-mail; os e-mails saem sozinhos quando ele voltar.',
          )
        : good(`Fila de e-mails: ${count === 0 ? 'vazia' : `${count} a caminho`}.`)
    }),
    check('report-mails', 'Relatórios por e-mail', WITHIN_MS, async () => {
      const { rows } = await sql<{ active: number; failed: number }>`select
        (count(*) filter (where next_run_at is not null))::int as active,
        (count(*) filter (where failed_at > now() - interval '1 day'))::int as failed
        from report_subscriptions`.execute(db)
      const { active = 0, failed = 0 } = rows[0] ?? {}
      return failed > 0
        ? warning(
            `Relatórios por e-mail: ${failed === 1 ? '1 não enviado' : `${failed} não enviados`} nas últimas 24 h.`,
            'Veja quais e por quê em Administração, “Saúde”, no fim da página.',
          )
        : good(`Relatórios por e-mail: ${active === 0 ? 'nenhum' : `${active} em ordem`}.`)
    }),
    check('retention', 'Limpeza periódica', WITHIN_MS, async () => {
      if (isDemo) return good('Limpeza periódica: a demonstração não apaga nada.')
      const { rows } = await sql<{ hours: number }>`select
        extract(epoch from now() - claimed_until)::float8 / 3600 as hours
        from job_claims where name = 'retention'`.execute(db)
      const hours = rows[0]?.hours
      if (hours === undefined) return good('Limpeza periódica: ainda não rodou; roda logo depois do início.')
      return hours > LATE_RETENTION_HOURS
        ? warning(
            `Limpeza periódica: não roda há ${Math.round(hours)} h.`,
            'Veja “retention” no log do portal; sem portal no ar ela não roda.',
          )
        : good('Limpeza periódica: em dia.')
    }),
    ...listTrailChecks(db, config),
    check('back-up', 'Cópia de segurança', WITHIN_MS, async () => {
      if (isDemo) return good('Cópia de segurança: a demonstração não precisa.')
      const at = await readFact(db, 'last-back-up')
      return describeBackUp(
        at,
        `Agende ${formatCommand('backup')} ARQUIVO todos os dias, ou a cópia do seu servidor de banco.`,
      )
    }),
  ]
  return [
    { ...migrations, explainsFrom: 'warning' },
    ...contents.map((each) => ({ ...each, causes: ['database', 'migrations'] })),
  ]
}

async function checkMigrations(db: Db): Promise<Result> {
  try {
    const pending = await listPending(db, await listMigrations())
    if (pending.length > 0)
      return warning(
        `Migrações: faltam ${pending.length} (a primeira é ${pending[0]}).`,
        'Inicie esta versão do portal: ela migra sozinha.',
      )
    const missing = await listMissingTables(db)
    return missing.length === 0
      ? good('Migrações: o banco está na versão deste portal.')
      : fault(
          `Migrações: rodaram todas, mas falta no banco: ${missing.join(', ')}.`,
          'Restaure uma cópia em um banco vazio, ou confira se DATABASE_URL leva ao banco e ao esquema certos.',
        )
  } catch (error) {
    if (!(error instanceof DatabaseOpenError)) throw error
    return fault(`Migrações: ${error.message}`, 'Use a versão do portal que serve este banco.')
  }
}

/** @param at time of the newest backup; undefined if there is none */
export function describeBackUp(at: Date | undefined, todo: string): Result {
  if (!at) return warning('Cópia de segurança: nenhuma foi feita pelo portal.', todo)
  const hours = Math.round((Date.now() - at.getTime()) / HOUR_MS)
  return hours > OLD_BACK_UP_HOURS
    ? warning(`Cópia de segurança: a última é de ${hours} h atrás.`, todo)
    : good(`Cópia de segurança: a última é de ${hours} h atrás.`)
}
