import { sql } from 'kysely'
import type { ReplyOf } from '#contract/route.ts'
import type { AccessRequestForm, userRoutes } from '#contract/users.ts'
import { lockCatalogue, rejectUnknownItems } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { sortEntitlements } from './entitlements.ts'
import { queueWaitingDigest } from './mails.ts'
import { lockProfile, readProfile } from './user-queries.ts'

export interface AccessRequestContext extends Context {
  consumeRateLimit: ConsumeRateLimit
}

type OwnAccessRequest = ReplyOf<typeof userRoutes.readOwnAccessRequest>

const LIMIT = { max: 10, windowSeconds: 10 * 60 }

/** Returns the caller's name and access request; null without a request or once approved. */
export async function readOwnAccessRequest({ db, actor }: Context): Promise<OwnAccessRequest> {
  const { full_name, request } = await readProfile(db, actor.profile.user_id)
  return { full_name, request }
}

/**
 * Saves the caller's access request in place of an earlier one; the entitlement version stays.
 * The audit entry holds only the lists, because the trail outlives deleted users.
 * @throws ProblemError invalid-input for unknown items, conflict once approved, rate-limited
 */
export async function saveOwnAccessRequest(
  context: AccessRequestContext,
  { full_name, workplace, note, types = [], marcas = [], estados = [] }: AccessRequestForm,
): Promise<OwnAccessRequest> {
  const { user_id } = context.actor.profile
  await context.consumeRateLimit(`access-request ${user_id}`, LIMIT)
  return context.db.transaction().execute(async (db) => {
    const catalogue = await lockCatalogue(db)
    const row = await lockProfile(db, user_id)
    const isVerifiedMeanwhile = row?.email_verified_at && !context.actor.profile.email_verified_at
    if (!row || isVerifiedMeanwhile) throw new ProblemError('unauthenticated')
    if (row.approved)
      throw new ProblemError('conflict', {
        detail: 'Sua conta já foi aprovada. Recarregue a página para entrar.',
      })
    rejectUnknownItems(catalogue, { types, marcas, estados }, {})
    const lists = sortEntitlements(catalogue, { types, marcas, estados })
    const request = {
      workplace: workplace || null,
      note: note || null,
      ...lists,
      requested_at: sql<Date>`now()`,
    }
    await db
      .insertInto('access_requests')
      .values({ user_id, ...request })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(request))
      .execute()
    await db
      .updateTable('profiles')
      .set({ full_name, approval_removed_at: null })
      .where('user_id', '=', user_id)
      .execute()
    if (row.approval_removed_at) await queueWaitingDigest({ db }, user_id)
    await recordAudit({ ...context, db }, { action: 'access-requested', target: row, after: lists })
    return readOwnAccessRequest({ ...context, db })
  })
}

/** Clears request and name from before the address was verified: a stranger may have written them. */
export async function clearUnverifiedRequest(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('access_requests').where('user_id', '=', userId).execute()
  await db.updateTable('profiles').set({ full_name: null }).where('user_id', '=', userId).execute()
}
