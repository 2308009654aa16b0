import { randomUUID } from 'node:crypto'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import * as z from 'zod'
import type { AuditAction } from '#contract/audit-actions.ts'
import { type Invitation, invitationMessages, type invitationRoutes } from '#contract/invitations.ts'
import type { QueryOf, ReplyOf } from '#contract/route.ts'
import { hasPassed } from '#contract/user-rules.ts'
import type { Profile } from '#contract/users.ts'
import { getInvitationExpiry, isInvitationOver } from '#server/accounts/mails.ts'
import type { Db, ProfilesTable, Tables } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import { cursorInstantSchema, decodeCursor, encodeCursor, formatCursorInstant } from '#server/http/cursor.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { type MailKind, queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { nameTemplates, splitIntoChunks } from './entitlements.ts'
import { eraseNames } from './erase-names.ts'
import type { InvitationContext } from './invite-people.ts'
import { findProfile, holdsWord } from './user-queries.ts'

type AuditContext = PublicContext & Partial<Pick<Context, 'actor'>>
type Person = Pick<Profile, 'user_id' | 'email'>
type Route = typeof invitationRoutes.listInvitations

const PAGE = 100
const RESEND_LIMIT = { max: 1, windowSeconds: 60 }
const CURSOR = z.tuple([cursorInstantSchema, z.uuid()])

/** The invitations without an answer, the newest first; `total` counts those that the search finds. */
export async function listInvitations(
  context: Pick<PublicContext, 'db' | 'clock'>,
  { q = '', cursor }: QueryOf<Route>,
): Promise<ReplyOf<Route>> {
  const words = q.split(/\s+/).filter(Boolean)
  const folded = sql`fold_text(i.email || ' ' || coalesce(i.full_name, ''))`
  const found = words.map((word) => holdsWord(folded, word))
  const isFound = found.length > 0 ? sql<boolean>`${sql.join(found, sql` and `)}` : sql<boolean>`true`
  const { total } = await context.db
    .selectFrom('invitations as i')
    .select(({ fn }) => fn.countAll().as('total'))
    .where(isFound)
    .executeTakeFirstOrThrow()
  const [at, id] = cursor ? decodeCursor(cursor, CURSOR) : []
  const isAfter = cursor
    ? sql<boolean>`(i.invited_at, i.id) < (${at}::timestamptz, ${id}::uuid)`
    : sql<boolean>`true`
  const rows = await readInvitations(context, sql<boolean>`${isFound} and ${isAfter}`, PAGE + 1)
  const last = rows[PAGE - 1]
  return {
    items: rows.slice(0, PAGE).map(({ key: _, ...item }) => item),
    next: rows.length > PAGE && last ? encodeCursor([last.key, last.id]) : null,
    total: Number(total),
  }
}

async function readInvitations(
  { db, clock }: Pick<PublicContext, 'db' | 'clock'>,
  condition: RawBuilder<boolean>,
  limit: number,
): Promise<(Invitation & { key: string })[]> {
  const rows = await db
    .selectFrom('invitations as i')
    .leftJoin('profiles as p', 'p.user_id', 'i.invited_by')
    .select(['i.id', 'i.email', 'i.full_name', 'i.types', 'i.marcas', 'i.estados'])
    .select(['i.invited_at', 'i.withdrawn_at', 'i.valid_until', 'i.version'])
    .select('p.email as invited_by')
    .select(formatCursorInstant('i.invited_at').as('key'))
    .where(condition)
    .orderBy('i.invited_at', 'desc')
    .orderBy('i.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ invited_at, withdrawn_at, ...row }) => {
    return {
      ...row,
      invited_at: invited_at.toISOString(),
      withdrawn_at: withdrawn_at?.toISOString() ?? null,
      expires_at: getInvitationExpiry(invited_at).toISOString(),
      expired: isInvitationOver({ ...row, invited_at }, clock()),
    }
  })
}

/**
 * Mails an invitation again, withdrawn or not; from then on it is the caller's.
 * @throws ProblemError not-found, rate-limited, conflict once the access has ended
 */
export async function resendInvitation(context: InvitationContext, id: string): Promise<Invitation> {
  const known = await context.db
    .selectFrom('invitations')
    .select('email')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!known) throw createInvitationGoneError()
  // Outside the transaction, whose rollback would restore the quota.
  await context.consumeRateLimit(`invitation-minute ${known.email}`, RESEND_LIMIT)
  return runAdminTransaction(context, async (db) => {
    const sent = await db
      .updateTable('invitations')
      .set({
        invited_by: context.actor.profile.user_id,
        invited_at: new Date(context.clock()),
        withdrawn_at: null,
      })
      .where('id', '=', id)
      .returning(['email', 'types', 'marcas', 'estados', 'valid_until'])
      .executeTakeFirst()
    if (!sent) throw createInvitationGoneError()
    if (hasPassed(sent.valid_until ?? '', context.clock()))
      throw new ProblemError('conflict', { detail: invitationMessages.endPassed })
    await queueMail({ db }, 'invitation', sent.email)
    await recordAudit({ ...context, db }, { action: 'invitation-resent', after: sent })
    const [row] = await readInvitations({ ...context, db }, sql<boolean>`i.id = ${id}`, 1)
    return row as Invitation
  })
}

/**
 * Deletes an invitation with its links, and erases an address without an account.
 * @throws ProblemError not-found
 */
export async function withdrawInvitation(context: Context, id: string): Promise<void> {
  await runIdempotent(context, async (db) => {
    if ((await deleteInvitations({ ...context, db }, [id])) === 0) throw createInvitationGoneError()
    return null
  })
}

/** Deletes invitations for good. Call it in a transaction. @returns how many there were */
export async function deleteInvitations(context: Context, ids: readonly string[]): Promise<number> {
  const deleted = await context.db
    .deleteFrom('invitations')
    .where('id', 'in', ids)
    .returning(['email', 'types', 'marcas', 'estados'])
    .execute()
  const entries = deleted.map((before) => ({ action: 'invitation-withdrawn' as const, before }))
  await recordAudit(context, ...entries)
  const people = deleted.map(({ email }) => ({ user_id: null, email, pseudonym: randomUUID() }))
  if (people.length > 0) await eraseNames(context.db, people)
  return deleted.length
}

/**
 * Withdraws the open invitations of administrators who lose the role; others may send them again.
 * Call it in that transaction.
 */
export async function withdrawInvitationsBy(
  context: AuditContext,
  senderIds: readonly string[],
): Promise<void> {
  const { db, clock } = context
  const withdrawn = await db
    .updateTable('invitations')
    .set({ withdrawn_at: new Date(clock()) })
    .where('invited_by', 'in', senderIds)
    .where('withdrawn_at', 'is', null)
    .returning(['id', 'email', 'types', 'marcas', 'estados'])
    .execute()
  for (const chunk of splitIntoChunks(withdrawn)) {
    const emails = chunk.map(({ email }) => email)
    await db
      .deleteFrom('mail_outbox')
      .where('kind', '=', 'invitation' satisfies MailKind)
      .where('recipient', 'in', emails)
      .where('sent_at', 'is', null)
      .execute()
    const ids = chunk.map(({ id }) => id)
    await db.deleteFrom('email_links').where('invitation_id', 'in', ids).execute()
    const entries = chunk.map(({ id: _, ...before }) => ({ action: 'invitation-withdrawn' as const, before }))
    await recordAudit(context, ...entries)
  }
}

const createInvitationGoneError = () => new ProblemError('not-found', { detail: invitationMessages.gone })

/**
 * Deletes the invitations of people who were decided about otherwise or are deleted; audits each.
 * @param reason why the invitation did not apply to a person who has proved to own the address
 * @returns whether there was one
 */
export async function dropInvitations(
  context: AuditContext,
  people: readonly Person[],
  reason?: 'expired' | 'withdrawn' | 'approved' | 'decided',
): Promise<boolean> {
  const emails = people.map(({ email }) => email)
  const dropped = await context.db
    .deleteFrom('invitations')
    .where('email', 'in', emails)
    .returning(['email', 'types', 'marcas', 'estados'])
    .execute()
  const lost = new Map(dropped.map((before) => [before.email, before]))
  const entries = people.flatMap((target) => {
    const before = lost.get(target.email)
    return before
      ? [{ action: 'invitation-lost' as const, target, before, ...(reason && { after: { reason } }) }]
      : []
  })
  await recordAudit(context, ...entries)
  return dropped.length > 0
}

/** Uses an invitation up: approves a person who has proved to own its address, with its access. */
export async function grantInvitation(
  context: PublicContext,
  person: Selectable<ProfilesTable>,
  { id, full_name, invited_by, types, marcas, estados, ...invitation }: Selectable<Tables['invitations']>,
): Promise<void> {
  const { db } = context
  const given = { approved: true, types, marcas, estados, valid_until: invitation.valid_until }
  await db
    .updateTable('profiles')
    .set({ ...given, ...(full_name !== null && { full_name }), approval_removed_at: null })
    .where('user_id', '=', person.user_id)
    .execute()
  await db.deleteFrom('access_requests').where('user_id', '=', person.user_id).execute()
  await db.deleteFrom('invitations').where('id', '=', id).execute()
  const { approved, valid_until } = person
  const entry = {
    action: 'invitation-accepted' as const,
    actor: person,
    target: person,
    before: { approved, types: person.types, marcas: person.marcas, estados: person.estados, valid_until },
    after: { ...given, invited_by: (invited_by && (await findProfile(db, invited_by))?.email) || null },
  }
  await recordAudit(context, ...(await nameTemplates(db, [entry])))
}

/**
 * Applies the invitation of a person who proved to own the address by another mailed link. Call it
 * with the catalogue and the person locked; a former decision about the account takes precedence.
 */
export async function applyInvitation(
  context: PublicContext,
  person: Selectable<ProfilesTable>,
): Promise<void> {
  const { db, clock } = context
  const invitation = await db
    .selectFrom('invitations')
    .selectAll()
    .where('email', '=', person.email)
    .forUpdate()
    .executeTakeFirst()
  if (!invitation) return
  const reason = invitation.withdrawn_at
    ? 'withdrawn'
    : isInvitationOver(invitation, clock())
      ? 'expired'
      : (await wasEverApproved(db, person))
        ? 'approved'
        : (await isDecidedSince(db, person, invitation.invited_at))
          ? 'decided'
          : undefined
  if (reason) await dropInvitations(context, [person], reason)
  else await grantInvitation(context, person, invitation)
}

async function wasEverApproved(db: Db, person: Selectable<ProfilesTable>): Promise<boolean> {
  if (person.approved || person.approval_removed_at) return true
  return hasEntry(db, person, ['approval-given'])
}

/** Returns whether an administrator set a person's access after the invitation was sent. */
export const isDecidedSince = (db: Db, person: Person, invitedAt: Date): Promise<boolean> =>
  hasEntry(db, person, ['types-set', 'scope-set', 'validity-set', 'entitlements-removed'], invitedAt)

async function hasEntry(db: Db, person: Person, actions: AuditAction[], since?: Date): Promise<boolean> {
  const entry = await db
    .selectFrom('audit_entries')
    .select('id')
    .where('target_id', '=', person.user_id)
    .where('action', 'in', actions)
    .$if(since !== undefined, (query) => query.where('at', '>=', since as Date))
    .executeTakeFirst()
  return entry !== undefined
}
