import { sql } from 'kysely'
import { LISTS, mapLists } from '#contract/entitlement-lists.ts'
import { type InvitationChange, invitationMessages, type invitationRoutes } from '#contract/invitations.ts'
import type { ReplyOf } from '#contract/route.ts'
import { hasPassed } from '#contract/user-rules.ts'
import { lockCatalogue, rejectUnknownItems } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { sortEntitlements } from './entitlements.ts'
import { deleteInvitations } from './invitations.ts'
import { checkEnd, queueInvitations } from './invite-people.ts'

type Routes = typeof invitationRoutes

/** Milliseconds between two mails of one invitation. */
const RESEND_MS = 60_000
/** Addresses erased from the trail per statement. */
const ERASED_AT_ONCE = 100

/**
 * Changes what open invitations will give, all or nothing; their links stay as they are.
 * @throws ProblemError invalid-input for unknown items or a past day, conflict for another version
 */
export function changeInvitations(
  context: Context,
  { items, action, valid_until, ...wanted }: InvitationChange,
): Promise<ReplyOf<Routes['changeInvitations']>> {
  const end = valid_until === undefined ? undefined : checkEnd(context, valid_until)
  return runIdempotent(context, async (db) => {
    const catalogue = await lockCatalogue(db)
    const versions = new Map(items.map(({ id, version }) => [id.toLowerCase(), version]))
    const rows = await lockInvitations(db, [...versions.keys()])
    if (rows.length !== versions.size || rows.some(({ id, version }) => versions.get(id) !== version))
      throw new ProblemError('conflict', { detail: invitationMessages.editedMeanwhile })
    // What only one of several has in the archive is not given to the others.
    rejectUnknownItems(catalogue, wanted, rows.length === 1 && rows[0] ? rows[0] : {})
    const changes = rows.flatMap(({ id, email, version: _, invited_at: __, ...before }) => {
      const lists = sortEntitlements(
        catalogue,
        action === 'replace' ? wanted : mapLists((list) => [...before[list], ...wanted[list]]),
      )
      const after = { ...lists, valid_until: end === undefined ? before.valid_until : end }
      const isSame =
        after.valid_until === before.valid_until &&
        LISTS.every((list) => after[list].join('\n') === before[list].join('\n'))
      return isSame ? [] : [{ id, email, before, after }]
    })
    await sql`
      update invitations i set types = c.types, marcas = c.marcas, estados = c.estados,
        valid_until = c.valid_until, version = i.version + 1
      from jsonb_to_recordset(${JSON.stringify(changes.map(({ id, after }) => ({ id, ...after })))}::jsonb)
        as c(id uuid, types text[], marcas text[], estados text[], valid_until date)
      where i.id = c.id`.execute(db)
    const entries = changes.map(({ email, before, after }) => ({
      action: 'invitation-changed' as const,
      before: { email, ...before },
      after: { email, ...after },
    }))
    await recordAudit({ ...context, db }, ...entries)
    return { changed: changes.length }
  })
}

/** Mails invitations again, which are then the caller's; `left` were sent just now, or have ended. */
export function resendInvitations(
  context: Context,
  ids: readonly string[],
): Promise<ReplyOf<Routes['resendInvitations']>> {
  const { clock, actor } = context
  return runIdempotent(context, async (db) => {
    const rows = await lockInvitations(db, ids)
    const due = rows.filter(
      ({ invited_at, valid_until }) =>
        invited_at.getTime() <= clock() - RESEND_MS && !hasPassed(valid_until ?? '', clock()),
    )
    if (due.length > 0) {
      await db
        .updateTable('invitations')
        .set({ invited_by: actor.profile.user_id, invited_at: new Date(clock()), withdrawn_at: null })
        .where(
          'id',
          'in',
          due.map(({ id }) => id),
        )
        .execute()
      await queueInvitations(
        db,
        due.map(({ email }) => email),
      )
      const entries = due.map(({ email, types, marcas, estados, valid_until }) => ({
        action: 'invitation-resent' as const,
        after: { email, types, marcas, estados, ...(valid_until && { valid_until }) },
      }))
      await recordAudit({ ...context, db }, ...entries)
    }
    return { sent: due.length, left: rows.length - due.length, gone: new Set(ids).size - rows.length }
  })
}

/** Takes invitations back, as withdrawInvitation does for one. */
export function withdrawInvitations(
  context: Context,
  ids: readonly string[],
): Promise<ReplyOf<Routes['withdrawInvitations']>> {
  const wanted = [...new Set(ids)]
  return runIdempotent(context, async (db) => {
    let withdrawn = 0
    for (let start = 0; start < wanted.length; start += ERASED_AT_ONCE)
      withdrawn += await deleteInvitations({ ...context, db }, wanted.slice(start, start + ERASED_AT_ONCE))
    return { withdrawn, gone: wanted.length - withdrawn }
  })
}

/** Locks those that are still there, in the order in which all callers lock them. */
function lockInvitations(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('invitations')
    .select(['id', 'email', 'types', 'marcas', 'estados', 'valid_until', 'version', 'invited_at'])
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
}
