import type { Insertable } from 'kysely'
import type { Role, WantedSessionKind } from '#contract/access.ts'
import { EMULATED_REPORTS, type EmulatedReport } from '#emulators/power-bi/catalogue.ts'
import { hashPassword } from '#server/accounts/password-hashing.ts'
import { type AuthenticationMethod, openSession, toAmr } from '#server/accounts/sessions.ts'
import { createTokens } from '#server/accounts/tokens.ts'
import type { ProfilesTable } from '#server/database/schema.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import type { TestPortal } from './test-portal.ts'

export const TEST_PASSWORD = 'Uma-Senha-Longa-2026!'

/** A user id that does not exist. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-00000000dead'

let people = 0

/** The part of a portal that people and sessions need; browser tests have another portal. */
type TestContext = Pick<TestPortal, 'database' | 'keyring'> & { clock: () => number }

/** Adds a person, by default approved, verified and entitled to Vendas for FIAT in RJ. */
export async function addPerson(
  portal: Pick<TestContext, 'database' | 'clock'>,
  {
    role,
    password,
    ...profile
  }: Partial<Insertable<ProfilesTable>> & { role?: Role; password?: string } = {},
) {
  const { db } = portal.database
  const row = await db
    .insertInto('profiles')
    .values({
      email: `pessoa${++people}@grupopatio.com.br`,
      approved: true,
      email_verified_at: new Date(portal.clock()),
      types: ['Vendas'],
      marcas: ['FIAT'],
      estados: ['RJ'],
      ...profile,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (role) await db.insertInto('user_roles').values({ user_id: row.user_id, role }).execute()
  if (password)
    await db
      .insertInto('passwords')
      .values({
        user_id: row.user_id,
        hash: await hashPassword(password),
        changed_at: new Date(portal.clock()),
      })
      .execute()
  return presentProfile(row)
}

/** Opens a session without a sign-in, as if by the password. */
export function openTestSession(
  portal: TestContext,
  person: Awaited<ReturnType<typeof addPerson>>,
  kind: WantedSessionKind = 'full',
  by: AuthenticationMethod = 'password',
) {
  const { database, clock, keyring } = portal
  const tokens = createTokens(keyring, clock)
  const request = { ip: '127.0.0.1', userAgent: null }
  return openSession({ db: database.db, clock, tokens, request }, { profile: person, kind, by })
}

/** Adds a verified TOTP factor, whose secret is the text. */
export async function addFactor(portal: TestContext, userId: string, secret = 'a secret of 20 bytes') {
  const at = new Date(portal.clock())
  const { factorSecrets } = createTokens(portal.keyring, portal.clock)
  return portal.database.db
    .insertInto('factors')
    .values({
      user_id: userId,
      factor_type: 'totp',
      friendly_name: 'Celular',
      created_at: at,
      verified_at: at,
      secret: factorSecrets.seal(Buffer.from(secret)),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

/** Makes the last password of a session older. @returns an access token as after a refresh */
export async function ageAuthentication(portal: TestContext, token: string, ageMs: number): Promise<string> {
  const { sid, sub, rc } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  const authenticated_at = new Date(portal.clock() - ageMs)
  const { db } = portal.database
  const amr = toAmr('password', authenticated_at)
  await db
    .updateTable('sessions')
    .set({ authenticated_at, amr: JSON.stringify(amr) })
    .where('id', '=', sid)
    .execute()
  const { access } = createTokens(portal.keyring, portal.clock)
  return access.sign({ sessionId: sid, userId: sub, refreshCounter: rc, amr })
}

export function getEmulatedReport(type: string): EmulatedReport {
  return EMULATED_REPORTS.find((report) => report.type === type) as EmulatedReport
}

/** Configures areas with the emulator's reports, in service principal mode. */
export async function configureReports(portal: TestPortal, ...types: string[]): Promise<void> {
  for (const type of types) {
    const report = getEmulatedReport(type)
    await portal.database.db
      .insertInto('global_powerbi_settings')
      .values({
        type: type.toLowerCase(),
        embed_mode: 'service_principal',
        workspace_id: report.workspaceId,
        report_id: report.reportId,
        dataset_id: report.datasetId,
      })
      .execute()
  }
}

/** Builds the row of a daily subscription to the report 'r' of Vendas, which runs next at the instant. */
export function buildSubscription(user_id: string, at: Date) {
  return {
    user_id,
    type: 'vendas',
    report_id: 'r',
    view_id: null,
    format: 'pdf' as const,
    every: 'day' as const,
    weekday: null,
    day: null,
    hour: 8,
    next_run_at: at,
    created_at: at,
    updated_at: at,
  }
}

/** Sends a request to the portal, with a JSON body. */
export async function send(
  portal: TestPortal,
  method: string,
  path: string,
  { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
) {
  const reply = await fetch(portal.url + path, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, body: text ? JSON.parse(text) : undefined }
}
