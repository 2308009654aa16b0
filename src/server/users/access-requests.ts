import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, LISTS, mapLists } from '#contract/entitlement-lists.ts'
import type { BodyOf, ReplyOf } from '#contract/route.ts'
import { type AccessRequest, type AccessRequestForm, reasonSchema, type userRoutes } from '#contract/users.ts'
import { lockCatalogue, readCatalogue, rejectUnknownItems } from '#server/catalogue/catalogue.ts'
import type { Db, ProfilesTable } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { mergeEntitlements, pickListsToEdit, sortEntitlements, writeChanges } from './entitlements.ts'
import { queueAccessMails, queueWaitingDigest } from './mails.ts'
import { runUndoable } from './undo-bulk-edit.ts'
import { createNotFound, lockProfile, readProfile, readRefusedRequest } from './user-queries.ts'

export interface AccessRequestContext extends Context {
  consumeRateLimit: ConsumeRateLimit
}

type OwnAccessRequest = ReplyOf<typeof userRoutes.readOwnAccessRequest>

const LIMIT = { max: 10, windowSeconds: 10 * 60 }

/** Returns the caller's name, access, and the request that waits for an answer or was refused. */
export async function readOwnAccessRequest({ db, actor }: Context): Promise<OwnAccessRequest> {
  const { user_id } = actor.profile
  const { full_name, approved, request, ...lists } = await readProfile(db, user_id)
  return {
    full_name,
    held: approved && !actor.accessEnded ? sortEntitlements(await readCatalogue(db), lists) : null,
    request: request
      ? { ...request, refused_at: null, refusal: null }
      : await readRefusedRequest(db, user_id),
  }
}

/**
 * Saves the caller's access request in place of an earlier one; the entitlement version stays.
 * The audit entry holds only the lists, because the trail outlives deleted users.
 * @throws ProblemError invalid-input for unknown items, or without the name while pending, or with
 *   nothing that is missing or no reason once approved; conflict, rate-limited
 */
export async function saveOwnAccessRequest(
  context: AccessRequestContext,
  form: AccessRequestForm,
): Promise<OwnAccessRequest> {
  const { user_id } = context.actor.profile
  await context.consumeRateLimit(`access-request ${user_id}`, LIMIT)
  return context.db.transaction().execute(async (db) => {
    const catalogue = await lockCatalogue(db)
    const row = await lockProfile(db, user_id)
    const isVerifiedMeanwhile = row?.email_verified_at && !context.actor.profile.email_verified_at
    if (!row || isVerifiedMeanwhile) throw new ProblemError('unauthenticated')
    const { types = [], marcas = [], estados = [] } = form
    rejectUnknownItems(catalogue, { types, marcas, estados }, row.approved ? row : {})
    const wanted = sortEntitlements(catalogue, { types, marcas, estados })
    const lists = row.approved ? pickMissing(catalogue, row, wanted) : wanted
    const isNews = await (row.approved
      ? checkRequestForMore({ ...context, db }, row, form, lists)
      : savePendingName(db, row, form))
    const request = {
      workplace: (!row.approved && form.workplace) || null,
      note: form.note || null,
      ...lists,
      // As precise as on the wire, where it identifies the request.
      requested_at: sql<Date>`date_trunc('milliseconds', now())`,
      for_more: row.approved,
      granted_by: null,
      refused_at: null,
      refusal: null,
    }
    await db
      .insertInto('access_requests')
      .values({ user_id, ...request })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(request))
      .execute()
    if (isNews) await queueWaitingDigest({ db }, user_id)
    await recordAudit({ ...context, db }, { action: 'access-requested', target: row, after: lists })
    return readOwnAccessRequest({ ...context, db })
  })
}

/** Saves the name of a pending person. @returns whether administrators do not know that they wait */
async function savePendingName(
  db: Db,
  { user_id, approval_removed_at }: Selectable<ProfilesTable>,
  { full_name }: AccessRequestForm,
): Promise<boolean> {
  if (!full_name) throw toFieldError('full_name', 'Informe o nome')
  await db
    .updateTable('profiles')
    .set({ full_name, approval_removed_at: null })
    .where('user_id', '=', user_id)
    .execute()
  return approval_removed_at !== null
}

/** Checks the request of an approved person. @returns whether none of theirs is open */
async function checkRequestForMore(
  { db, actor }: Context,
  { user_id, email_verified_at }: Selectable<ProfilesTable>,
  { full_name, note = '' }: AccessRequestForm,
  missing: Entitlements,
): Promise<boolean> {
  const conflict = actor.accessEnded
    ? 'Seu acesso terminou. Escreva ao administrador para prorrogá-lo.'
    : full_name
      ? 'Sua conta já foi aprovada. Recarregue a página para entrar.'
      : !email_verified_at
        ? 'Confirme primeiro o seu e-mail, pelo link que enviamos.'
        : undefined
  if (conflict) throw new ProblemError('conflict', { detail: conflict })
  const reason = reasonSchema.safeParse(note)
  if (!reason.success) throw toFieldError('note', reason.error.issues[0]?.message ?? '')
  if (LISTS.every((list) => missing[list].length === 0))
    throw toFieldError('types', 'Marque ao menos uma área, marca ou estado que você ainda não tem.')
  return (await readProfile(db, user_id)).request === null
}

/** Returns the wanted items that the catalogue has and the person lacks. */
function pickMissing(catalogue: Catalogue, held: Entitlements, wanted: Entitlements): Entitlements {
  const has = sortEntitlements(catalogue, held)
  return mapLists((list) => wanted[list].filter((item) => !has[list].includes(item)))
}

const MISSING_CHANGED =
  'O que falta a esta pessoa mudou desde que você leu o pedido, e nada foi liberado. Confira a lista e libere de novo.'

type Answer = { userId: string; requested_at: string }

/**
 * Gives an approved person what they asked for and still lack. The mail leaves once the undo expired.
 * @param wanted also what was missing when the administrator read it
 * @throws ProblemError not-found, conflict if the request was answered or changed meanwhile
 */
export function grantAccessRequest(
  context: Context,
  wanted: Answer & Entitlements,
): Promise<ReplyOf<typeof userRoutes.grantAccessRequest>> {
  const undoId = randomUUID()
  return runUndoable(context, async (db) => {
    const txContext = { ...context, db }
    const catalogue = await lockCatalogue(db)
    const { row, request } = await lockRequest(db, wanted)
    if (LISTS.some((list) => request[list].toSorted().join('\n') !== wanted[list].toSorted().join('\n')))
      throw new ProblemError('conflict', { detail: MISSING_CHANGED })
    const after = mergeEntitlements(catalogue, row, 'add', pickListsToEdit(request)) ?? {}
    const before = Object.fromEntries(LISTS.filter((list) => after[list]).map((list) => [list, row[list]]))
    await writeChanges(txContext, {
      action: 'access-granted',
      batchId: undoId,
      changes: [{ ids: [row.user_id], before, after: { ...after, reason: request.note ?? '' } }],
    })
    await queueAccessMails(db, [row.user_id])
    return { undoId }
  })
}

/** Refuses a request for more, and mails the reason. @throws ProblemError as grantAccessRequest does */
export async function refuseAccessRequest(
  context: Context,
  { reason, ...wanted }: Answer & Pick<BodyOf<typeof userRoutes.refuseAccessRequest>, 'reason'>,
): Promise<void> {
  await runIdempotent(context, async (db) => {
    const { row, request } = await lockRequest(db, wanted)
    await db
      .updateTable('access_requests')
      .set({ refused_at: new Date(context.clock()), refusal: reason })
      .where('user_id', '=', row.user_id)
      .execute()
    const { types, marcas, estados } = request
    const entry = { target: row, before: { types, marcas, estados }, after: { reason } }
    await recordAudit({ ...context, db }, { action: 'access-refused', ...entry })
    await queueMail({ db }, 'access-refused', row.email)
    return null
  })
}

async function lockRequest(
  db: Db,
  { userId, requested_at }: Answer,
): Promise<{ row: Selectable<ProfilesTable>; request: AccessRequest }> {
  const row = await lockProfile(db, userId)
  if (!row) throw createNotFound()
  const { request } = await readProfile(db, userId)
  if (row.approved && request?.requested_at === requested_at) return { row, request }
  const answered = await db
    .selectFrom('access_requests')
    .select(['granted_by', 'refused_at'])
    .where('user_id', '=', userId)
    .where('requested_at', '=', new Date(requested_at))
    .executeTakeFirst()
  const detail = answered?.granted_by
    ? 'Este pedido já foi liberado por outra pessoa.'
    : answered?.refused_at
      ? 'Este pedido já foi recusado por outra pessoa.'
      : 'Este pedido mudou ou já não vale. Confira a lista antes de responder.'
  throw new ProblemError('conflict', { detail })
}

/** Clears request and name from before the address was verified: a stranger may have written them. */
export async function clearUnverifiedRequest(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('access_requests').where('user_id', '=', userId).execute()
  await db.updateTable('profiles').set({ full_name: null }).where('user_id', '=', userId).execute()
}
