import { randomBytes, randomUUID } from 'node:crypto'
import { createEmailLink } from '#server/accounts/mails.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import {
  changePassword,
  NEW_PASSWORD,
  refreshSession,
  requestRecovery,
  signIn,
  signUp,
} from './account-calls.ts'
import { fetchToken } from './embed-token-calls.ts'
import type { TestPortal } from './test-portal.ts'

/** Leaves data about a person in every table. */
export async function createTraces(portal: TestPortal, email: string) {
  const { db } = portal.database
  await signUp(portal, email)
  const lists = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
  const row = await db
    .updateTable('profiles')
    .set({ approved: true, email_verified_at: new Date(portal.clock()), ...lists })
    .where('email', '=', email)
    .returningAll()
    .executeTakeFirstOrThrow()
  const person = presentProfile(row)
  await signIn(portal, email, 'a senha errada')
  const { body } = await signIn(portal, email, NEW_PASSWORD)
  await refreshSession(portal, body.refresh_token)
  await changePassword(portal, body.access_token, 'Outra-Travessia-99!')
  await signIn(portal, email, 'Outra-Travessia-99!')
  await signIn(portal, email, 'a senha errada')
  await requestRecovery(portal, email)
  await fetchToken(portal, person)
  const settings = { publicUrl: 'http://localhost', clock: portal.clock }
  await createEmailLink({ db, ...settings }, { userId: person.user_id, purpose: 'recovery' })
  const message = { name: 'Ana', email: email.toUpperCase(), phone: '21 99999-0000', message: 'Olá' }
  for (const table of ['support_messages', 'suspect_messages'] as const)
    await db.insertInto(table).values(message).execute()
  await db
    .insertInto('access_requests')
    .values({ user_id: person.user_id, ...lists })
    .execute()
  const view = await db
    .insertInto('report_views')
    .values({
      user_id: person.user_id,
      type: 'vendas',
      report_id: 'r',
      name: 'Mês',
      state: 'H4sI',
      updated_at: new Date(portal.clock()),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('opened_report_views')
    .values({ user_id: person.user_id, view_id: view.id, opened_at: new Date(portal.clock()) })
    .execute()
  const now = new Date(portal.clock())
  await db
    .insertInto('report_subscriptions')
    .values({
      user_id: person.user_id,
      type: 'vendas',
      report_id: 'r',
      view_id: view.id,
      format: 'pdf',
      every: 'day',
      weekday: null,
      day: null,
      hour: 8,
      created_at: now,
      updated_at: now,
    })
    .execute()
  const job = { kind: 'export', user_id: person.user_id, input: '{}', payload: null }
  await db
    .insertInto('jobs')
    .values({ ...job, created_at: now, due_at: now })
    .execute()
  await db
    .insertInto('invitations')
    .values({ email, full_name: 'Ana', ...lists, invited_by: null, invited_at: new Date(portal.clock()) })
    .execute()
  const notice = { text: 'Manutenção', severity: 'info' as const, types: null, starts_at: now, ends_at: null }
  const { id: notice_id } = await db
    .insertInto('notices')
    .values({ ...notice, on_login: false, is_draft: false, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { user_id } = person
  await db.insertInto('closed_notices').values({ user_id, notice_id, closed_at: now }).execute()
  const review = { id: randomUUID(), kind: 'types' as const, code: 'vendas', kept: 1, removed: 0 }
  await db
    .insertInto('access_reviews')
    .values({ ...review, reviewed_at: now, reviewer_id: user_id })
    .execute()
  await db
    .insertInto('access_review_people')
    .values({ review_id: review.id, user_id, removed: false })
    .execute()
  // Unverified: a verified one would ask for the second step.
  const factor = { user_id, factor_type: 'totp' as const, friendly_name: 'Celular', secret: Buffer.from('x') }
  await db
    .insertInto('factors')
    .values({ ...factor, created_at: now })
    .execute()
  const code = { user_id, code_hash: randomBytes(32), set_id: randomUUID(), created_at: now }
  await db.insertInto('recovery_codes').values(code).execute()
  await db.insertInto('factor_settings').values({ user_id, required_since: now }).execute()
  await db.insertInto('usage_mails').values({ user_id }).execute()
  const opened = { period: 'day' as const, starts_on: '2026-11-01', user_id, report_id: null, openings: 0 }
  await db.insertInto('usage_open').values(opened).execute()
  const microsoft = { tenant_id: 't', object_id: user_id, user_id, email, linked_at: now, last_used_at: now }
  await db.insertInto('identities').values(microsoft).execute()
  await db
    .insertInto('microsoft_sign_ins')
    .values({ state_hash: randomBytes(32), expires_at: now, email })
    .execute()
  return person
}
