import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { HistoryEntry } from '#contract/audit-actions.ts'
import type { Problem } from '#contract/problem.ts'
import type { Approval, ApprovalResult, BulkEdit, BulkEditResult, ManagedProfile } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import { addPerson, openTestSession, send } from './builders.ts'
import type { TestPortal } from './test-portal.ts'

/** Adds an administrator with an open session. @param profile overrides of the default values */
export async function openAdmin(portal: TestPortal, profile: Parameters<typeof addPerson>[1] = {}) {
  const person = await addPerson(portal, { ...profile, role: 'admin' })
  const { access_token } = await openTestSession(portal, person)
  return { ...person, token: access_token }
}
export type Admin = Awaited<ReturnType<typeof openAdmin>>

/** Deletes all people with their records, mails and audit entries. */
export async function removeAllPeople({ database: { db }, mails }: TestPortal): Promise<void> {
  for (const table of ['profiles', 'access_records', 'mail_outbox', 'support_messages'] as const)
    await db.deleteFrom(table).execute()
  await clearTrail(db)
  mails.length = 0
}

/** Uses the retention's function: the trail's guard allows nothing else. */
export async function clearTrail(db: Db): Promise<void> {
  await sql`select delete_old_audit_entries('infinity', 1000000)`.execute(db)
}

/** Reads the audit trail, oldest entry first. */
export function readTrail({ database: { db } }: TestPortal) {
  return db.selectFrom('audit_entries').selectAll().orderBy('id').execute()
}

interface ListedPage {
  items: ManagedProfile[]
  next: string | null
}

/** GET /profiles; asserts success. */
export async function listPage(portal: TestPortal, admin: Admin, query: object): Promise<ListedPage> {
  const { status, body } = await requestPage(portal, admin, query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** GET /profiles */
export function requestPage(portal: TestPortal, admin: Admin, query: object) {
  const search = new URLSearchParams(query as Record<string, string>)
  return send(portal, 'GET', `/api/profiles?${search}`, admin)
}

/** Lists all matches over all pages. */
export async function listAll(portal: TestPortal, admin: Admin, query: object): Promise<ManagedProfile[]> {
  const items: ManagedProfile[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await listPage(portal, admin, { ...query, ...(cursor && { cursor }) })
    items.push(...page.items)
    cursor = page.next
  }
  return items
}

/** PATCH /profiles/{userId} */
export function patchProfile(
  portal: TestPortal,
  admin: Admin,
  userId: string,
  body: unknown,
  version?: number,
) {
  const headers: Record<string, string> = version === undefined ? {} : { 'if-match': `"${version}"` }
  return send(portal, 'PATCH', `/api/profiles/${userId}`, { token: admin.token, body, headers })
}

/** POST /profiles/bulk-edit */
export async function editMany(
  portal: TestPortal,
  admin: Admin,
  body: BulkEdit,
  dryRun = false,
): Promise<{ status: number; body: BulkEditResult & { detail?: string; code?: string } }> {
  return send(portal, 'POST', `/api/profiles/bulk-edit${dryRun ? '?dryRun=true' : ''}`, {
    token: admin.token,
    body,
  })
}

/** POST /profiles/approve */
export async function approveMany(
  portal: TestPortal,
  admin: Admin,
  items: Approval[],
  dryRun = false,
): Promise<{ status: number; body: ApprovalResult & Partial<Problem> }> {
  const query = dryRun ? '?dryRun=true' : ''
  return send(portal, 'POST', `/api/profiles/approve${query}`, { token: admin.token, body: { items } })
}

/** POST /profiles/bulk-edit/{undoId}/undo */
export function undoEdit(portal: TestPortal, admin: Admin, undoId: string | null) {
  return send(portal, 'POST', `/api/profiles/bulk-edit/${undoId}/undo`, { token: admin.token })
}

/** GET /profiles/{userId}; asserts success. */
export async function readPerson(portal: TestPortal, admin: Admin, userId: string): Promise<ManagedProfile> {
  const { status, body } = await send(portal, 'GET', `/api/profiles/${userId}`, admin)
  expect(status).toBe(200)
  return body
}

/** GET /profiles/{userId}/history; asserts success. */
export async function readUserHistory(
  portal: TestPortal,
  admin: Admin,
  userId: string,
  cursor?: string,
): Promise<{ items: HistoryEntry[]; next: string | null }> {
  const query = cursor ? `?cursor=${cursor}` : ''
  const { status, body } = await send(portal, 'GET', `/api/profiles/${userId}/history${query}`, admin)
  expect(status).toBe(200)
  return body
}

/**
 * Sends requests while a person's row is locked, so that all have started before any writes. The
 * embedded database serializes them anyway.
 */
export async function withRowLock<T>(
  { database: { db, kind } }: TestPortal,
  userId: string,
  sendAll: () => Promise<T>[],
): Promise<T[]> {
  if (kind === 'embedded') return Promise.all(sendAll())
  const replies = await db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('profiles').select('id').where('user_id', '=', userId).forUpdate().execute()
    const sent = sendAll()
    await wait(400)
    return { sent }
  })
  return Promise.all(replies.sent)
}
