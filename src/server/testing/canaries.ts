import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import type { Db } from '#server/database/schema.ts'
import { createLog } from '#server/log.ts'
import { createSmtpMailer, type Mail, type Mailer } from '#server/mail/smtp-mailer.ts'
import { getLinkToken } from './account-calls.ts'
import { startSmtpInbox } from './smtp-inbox.ts'
import type { DatabaseKind } from './test-database.ts'
import { startTestPortal } from './test-portal.ts'

/** Pieces of this length count as leaks: error messages may quote the start of their input. */
const PIECE = 10

/** Secrets that must not leak. */
export interface Canaries {
  /** Creates a unique secret. */
  plant(name: string): string
  /** Registers a secret created by the portal. @returns the secret */
  watch(name: string, secret: string): string
  /** @returns names of secrets leaked as a plain piece, or as a whole in base64, hex or a URL */
  findLeaks(text: string): string[]
}

export function createCanaries(): Canaries {
  const secrets = new Map<string, string>()
  const watch = (name: string, secret: string) => {
    if (secret.length < PIECE) throw new Error(`${name} is too short for a canary`)
    secrets.set(name, secret)
    return secret
  }
  return {
    // Valid under every password rule, and different when URL-encoded.
    plant: (name) => watch(name, `Aa1!+${randomBytes(24).toString('base64url')}`),
    watch,
    findLeaks: (text) =>
      [...secrets]
        .filter(([, secret]) => listForms(secret).some((form) => text.includes(form)))
        .map(([name]) => name),
  }
}

function listForms(secret: string): string[] {
  const pieces = Array.from({ length: secret.length - PIECE + 1 }, (_, start) =>
    secret.slice(start, start + PIECE),
  )
  const bytes = Buffer.from(secret)
  const encoded = (['base64', 'base64url', 'hex'] as const).map((encoding) => bytes.toString(encoding))
  return [...pieces, ...encoded.map((text) => text.replace(/=+$/, '')), encodeURIComponent(secret)]
}

/** Starts a portal whose secrets are canaries, and captures its output. */
export async function startWatchedPortal(kind: DatabaseKind, canaries: Canaries) {
  const output = { log: '', refusals: '', statuses: [] as number[] }
  const sink = {
    write(line: string) {
      output.log += line
    },
  }
  const inbox = await startSmtpInbox()
  const mails: Mail[] = []
  // The server rejects a password without TLS, so every delivery fails after the login attempt.
  const smtp = createSmtpMailer({
    url: `smtp://portal:${encodeURIComponent(canaries.plant('SMTP password'))}@127.0.0.1:${inbox.port}`,
    from: 'portal@grupopatio.com.br',
  })
  const mailer: Mailer = {
    deliver(mail) {
      mails.push(mail)
      if (mail.link) canaries.watch(`token of a ${mail.kind} mail`, getLinkToken(mail.link))
      return smtp.deliver(mail)
    },
  }
  const metricsToken = canaries.plant('metrics token')
  const portal = await startTestPortal({
    kind,
    rateLimits: false,
    log: createLog('debug', sink),
    // As in production: without redaction by name.
    requestLog: pino({ level: 'debug' }, sink),
    secrets: [canaries.plant('session secret'), canaries.plant('older session secret')],
    clientSecret: canaries.plant('client secret'),
    metricsToken,
    mailer,
  })
  const call = async (method: string, path: string, body?: unknown, token?: string) => {
    const reply = await fetch(portal.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    output.statuses.push(reply.status)
    if (reply.status >= 400) output.refusals += `${JSON.stringify([...reply.headers])} ${text}\n`
    return {
      status: reply.status,
      text,
      body: reply.status < 400 && path !== '/api/metrics' ? JSON.parse(text || '{}') : {},
    }
  }
  return {
    portal,
    output,
    mails,
    call,
    scrape: async () => (await call('GET', '/api/metrics', undefined, metricsToken)).text,
    async stop() {
      await portal.stop()
      await inbox.stop()
    },
  }
}

export type WatchedPortal = Awaited<ReturnType<typeof startWatchedPortal>>

/** Reads all rows of all tables as sorted JSON, by table. */
export async function readEveryTable(db: Db): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db)
  const selects = tables.map(
    ({ name }) => sql`select ${name} as name, to_jsonb(t)::text as row from ${sql.table(name)} t`,
  )
  const { rows } = await sql<{ name: string; row: string }>`
    ${sql.join(selects, sql` union all `)} order by 1, 2`.execute(db)
  const content: Record<string, string[]> = Object.fromEntries(tables.map(({ name }) => [name, []]))
  for (const { name, row } of rows) content[name]?.push(row)
  return content
}

/** Lists the rows with one of the texts, in any letter case, as 'table: row'. */
export async function searchDatabase(db: Db, ...texts: string[]): Promise<string[]> {
  const wanted = texts.map((text) => text.toLowerCase())
  return Object.entries(await readEveryTable(db)).flatMap(([name, rows]) =>
    rows
      .filter((row) => wanted.some((text) => row.toLowerCase().includes(text)))
      .map((row) => `${name}: ${row}`),
  )
}
