import { type Challenge, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { sql } from 'kysely'
import type { Session } from '#contract/accounts.ts'
import { openSession } from '#server/accounts/sessions.ts'
import { createTokens } from '#server/accounts/tokens.ts'
import { openEmbedded } from '#server/database/open-embedded.ts'
import { openServer } from '#server/database/open-server.ts'
import type { Db } from '#server/database/schema.ts'
import { DEMO_PASSWORD } from '#server/demo/seed.ts'
import { generatePeople } from '#server/demo/seeded-people.ts'
import { createKeyring } from '#server/keyring.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import { createDatabase } from './postgres.ts'
import { FIRST_PORT, type StartedPortal, startPortal } from './processes.ts'
import { type CleanUp, makeTempFolder, say } from './run-task.ts'

/** The demo's administrator: the only account that signs in without the human check. */
export const ADMIN = { email: 'admin@grupopatio.com.br', password: DEMO_PASSWORD }

/** A person of the demo with all seven areas. */
export const DIRECTOR = { email: 'diretoria@grupopatio.com.br', password: DEMO_PASSWORD }

/**
 * Signs in as the demo's administrator.
 * @returns an access token
 */
export async function signInAsAdmin(portalUrl: string): Promise<string> {
  const reply = await fetch(`${portalUrl}/api/auth/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  if (!reply.ok) throw new Error(`the administrator could not sign in: ${await reply.text()}`)
  const { access_token } = (await reply.json()) as { access_token: string }
  return access_token
}

/** Solves one challenge and exchanges it for a pass, as the page does before the sign-in. */
async function fetchPass(portalUrl: string, headers: Record<string, string>): Promise<string> {
  const asked = await fetch(`${portalUrl}/api/auth/challenge`, { headers })
  const challenge = (await asked.json()) as Challenge
  const solution = await solveChallenge({ challenge, deriveKey })
  const token = Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')
  const reply = await fetch(`${portalUrl}/api/functions/verify-recaptcha`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  })
  const { pass } = (await reply.json()) as { pass?: string }
  if (!pass) throw new Error(`the human check was refused with ${reply.status}`)
  return pass
}

/** Earns passes for sign-ins within the next two minutes. */
export async function fetchPasses(
  portalUrl: string,
  count: number,
  headers: Record<string, string> = {},
): Promise<string[]> {
  const passes: string[] = []
  while (passes.length < count) passes.push(await fetchPass(portalUrl, headers))
  return passes
}

const INSERTED_AT_ONCE = 1_000

/**
 * Adds approved people with one area, each with an open session.
 * @param secret the portal's session secret
 * @returns their access tokens, valid for ten minutes
 */
export async function addSessions(
  databaseUrl: string,
  secret: string,
  people: number,
  type: string,
): Promise<string[]> {
  const sessions = await openSessions(databaseUrl, secret, people, type)
  return sessions.map(({ access_token }) => access_token)
}

/** As addSessions, but returns whole sessions, as the page stores them. */
export async function openSessions(
  databaseUrl: string,
  secret: string,
  people: number,
  type: string,
): Promise<Session[]> {
  const { db, close } = await openServer({ url: databaseUrl, onConnectionError: () => {} })
  const tokens = createTokens(createKeyring([secret]), Date.now)
  const request = { ip: '127.0.0.1', userAgent: null }
  const context = { db, clock: Date.now, tokens, request }
  try {
    const profiles = Array.from({ length: people }, (_, index) => ({
      email: `carga${index + 1}@grupopatio.com.br`,
      full_name: `Pessoa de Carga ${index + 1}`,
      approved: true,
      email_verified_at: new Date(),
      types: [type],
      marcas: ['FIAT'],
      estados: ['RJ'],
    }))
    const rows: Parameters<typeof presentProfile>[0][] = []
    // A statement has at most 65,535 parameters.
    for (let first = 0; first < people; first += INSERTED_AT_ONCE) {
      const values = profiles.slice(first, first + INSERTED_AT_ONCE)
      rows.push(...(await db.insertInto('profiles').values(values).returningAll().execute()))
    }
    const sessions: Session[] = []
    for (const row of rows)
      sessions.push(
        await openSession(context, { profile: presentProfile(row), kind: 'full', by: 'password' }),
      )
    return sessions
  } finally {
    await close()
  }
}

/** The demo itself seeds the first of these people. */
const SEEDED_ALREADY = 300
const CHUNK = 2_000
const COLUMNS = `email text, full_name text, approved boolean, email_verified_at timestamptz, created_at timestamptz,
  last_sign_in_at timestamptz, types text[], marcas text[], estados text[]`

/**
 * Adds people as the demo seeds them to a migrated database and
 * analyzes the table, as autovacuum would do later. Not idempotent.
 */
async function addPeople(db: Db, count: number, domain = 'grupopatio.com.br'): Promise<void> {
  const people = generatePeople(SEEDED_ALREADY + count, domain, new Date()).slice(SEEDED_ALREADY)
  for (let start = 0; start < people.length; start += CHUNK) {
    const chunk = JSON.stringify(people.slice(start, start + CHUNK))
    await sql`insert into profiles (${sql.raw(COLUMNS.replace(/ \w+(\[\])?(,|$)/g, '$2'))})
      select * from jsonb_to_recordset(${chunk}::jsonb) as p(${sql.raw(COLUMNS)})`.execute(db)
  }
  await sql`vacuum analyze profiles`.execute(db)
}

/**
 * Starts a portal with that many people besides the demo's; it stops when the run ends.
 * @param server URL of a PostgreSQL server for its own database; undefined for the embedded one
 * @param wanted folder: another checkout; fill adds more before the start
 */
export async function startWithPeople(
  people: number,
  server: string | undefined,
  cleanUp: CleanUp,
  wanted: { folder?: string; port?: number; logLevel?: string; fill?: (db: Db) => Promise<void> } = {},
): Promise<StartedPortal> {
  const { folder, port = FIRST_PORT, logLevel = 'warn', fill } = wanted
  const DATA_DIR = makeTempFolder(cleanUp)
  const databaseUrl = server && (await createDatabase(server, `people_${port}`, cleanUp))
  const env = {
    DATA_DIR,
    LOG_LEVEL: logLevel,
    RATE_LIMITS: 'off',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  // The first start migrates and seeds; afterwards the embedded database must be closed.
  await (await startPortal(port, env, folder)).stop()
  say(`adding ${people} people (${databaseUrl ? 'PostgreSQL' : 'embedded'})`)
  const { db, close } = databaseUrl
    ? await openServer({ url: databaseUrl, onConnectionError: () => {} })
    : await openEmbedded(DATA_DIR)
  try {
    await addPeople(db, people)
    await fill?.(db)
  } finally {
    await close()
  }
  const portal = await startPortal(port, env, folder)
  cleanUp(portal.stop)
  return portal
}
