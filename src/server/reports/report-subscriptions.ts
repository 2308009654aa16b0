import { createHmac, timingSafeEqual } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import {
  MAX_LISTED,
  MAX_SUBSCRIPTIONS,
  type ReportSubscription,
  type reportSubscriptionRoutes,
  type Schedule,
} from '#contract/report-subscriptions.ts'
import type { BodyOf, ReplyOf } from '#contract/route.ts'
import { queueJob } from '#server/database/job-queue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, Context, PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import type { Keyring } from '#server/keyring.ts'
import { queueMail } from '#server/mail/mails.ts'
import { lockProfile } from '#server/users/user-queries.ts'
import { authorizeExport, type ExportServices } from './report-exports.ts'
import { findReportView } from './report-views.ts'

const WRITES = { max: 60, windowSeconds: 60 }
/** Runs that are later than this are not made up for. */
export const MAX_LATE_MS = 6 * 60 * 60_000
const MAX_BATCH = 100

const messages = {
  unverified: 'Confirme o seu e-mail no portal para receber relatórios por e-mail.',
  otherView: 'Esta visão não é deste relatório.',
  tooMany: `Você já recebe ${MAX_SUBSCRIPTIONS} relatórios por e-mail, o máximo. Exclua um para receber outro.`,
  gone: 'Este envio não existe mais.',
  missed: 'O portal estava parado na hora do envio e só voltou mais de seis horas depois.',
} as const

export interface SubscriptionContext extends Context, Omit<ExportServices, 'powerBi'> {
  consumeRateLimit: ConsumeRateLimit
}

/** The input of the job of a run. */
export interface ReportMailInput {
  subscriptionId: string
  /** When it was due, ISO 8601. */
  runAt: string
}

type Wanted = { area: string; reportId: string; viewId: string | null }

/**
 * Checks that a person may be mailed a report now, and with whose rows: always their own.
 * @throws ProblemError not-found (the view), and as authorizeExport does
 */
export async function authorizeMail(
  services: { db: Db } & Omit<ExportServices, 'powerBi'>,
  reader: Parameters<typeof authorizeExport>[1] & Pick<Actor, 'profile'>,
  { area, reportId, viewId }: Wanted,
) {
  if (!reader.profile.email_verified_at)
    throw new ProblemError('export-refused', { detail: messages.unverified })
  const authorized = await authorizeExport(services, reader, { area, reportId })
  const view = viewId === null ? undefined : await findReportView(services.db, reader, viewId)
  if (view && (view.area !== area || view.reportId !== reportId))
    throw new ProblemError('not-found', { detail: messages.otherView })
  return { ...authorized, view }
}

/** Selects subscriptions with the labels of their areas and the names of their views. */
export const selectSubscriptions = (db: Db) =>
  db
    .selectFrom('report_subscriptions as s')
    .innerJoin('catalogue_items as c', (join) =>
      join.onRef('c.code', '=', 's.type').on('c.kind', '=', 'types'),
    )
    .leftJoin('report_views as v', (join) =>
      join
        .onRef('v.id', '=', 's.view_id')
        .on('v.deleted_at', 'is', null)
        // The name of a view that is no longer shared is its owner's.
        .on(({ eb, ref }) => eb.or([eb('v.user_id', '=', ref('s.user_id')), eb('v.shared', '=', true)])),
    )
    .selectAll('s')
    .select(['c.label as area', 'v.name as view'])
    .select(({ selectFrom }) =>
      selectFrom('further_reports as f')
        .select('f.name')
        .whereRef('f.type', '=', 's.type')
        .whereRef('f.report_id', '=', 's.report_id')
        .where('f.deleted_at', 'is', null)
        .limit(1)
        .as('report'),
    )

export type SubscriptionRow = Awaited<
  ReturnType<ReturnType<typeof selectSubscriptions>['executeTakeFirstOrThrow']>
>

export function toSchedule({ every, weekday, day, hour }: SubscriptionRow): Schedule {
  return { every, hour, ...(weekday !== null && { weekday }), ...(day !== null && { day }) } as Schedule
}

function present(row: SubscriptionRow): ReportSubscription {
  const { id, area, report, report_id: reportId, view_id: viewId, view, format, failure } = row
  return {
    ...{ id, area, report, reportId, viewId, view, format, failure },
    schedule: toSchedule(row),
    nextRunAt: row.next_run_at?.toISOString() ?? null,
    lastSentAt: row.last_sent_at?.toISOString() ?? null,
  }
}

export async function listReportSubscriptions({
  db,
  actor,
}: Context): Promise<{ items: ReportSubscription[] }> {
  const own = selectSubscriptions(db).where('s.user_id', '=', actor.profile.user_id)
  return { items: (await own.orderBy('s.created_at', 'desc').execute()).map(present) }
}

export async function listAllReportSubscriptions({
  db,
}: Context): Promise<ReplyOf<typeof reportSubscriptionRoutes.listAllReportSubscriptions>> {
  const rows = await selectSubscriptions(db)
    .innerJoin('profiles as p', 'p.user_id', 's.user_id')
    .select(['p.email', sql<number>`(count(*) over ())::int`.as('total')])
    .orderBy(sql`s.failure is null`)
    .orderBy('s.next_run_at', (order) => order.asc().nullsLast())
    .limit(MAX_LISTED)
    .execute()
  return { items: rows.map((row) => ({ ...present(row), email: row.email })), total: rows[0]?.total ?? 0 }
}

/** @throws ProblemError limit-reached, rate-limited, and as authorizeMail does */
export function createReportSubscription(
  context: SubscriptionContext,
  {
    area,
    reportId,
    viewId = null,
    format,
    schedule,
  }: BodyOf<typeof reportSubscriptionRoutes.createReportSubscription>,
): Promise<ReportSubscription> {
  const user_id = context.actor.profile.user_id
  return changeSubscriptions(context, async (db) => {
    await authorizeMail({ ...context, db }, context.actor, { area, reportId, viewId })
    const { count } = await db
      .selectFrom('report_subscriptions')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow()
    if (Number(count) >= MAX_SUBSCRIPTIONS)
      throw new ProblemError('limit-reached', { detail: messages.tooMany })
    const now = new Date(context.clock())
    const { id } = await db
      .insertInto('report_subscriptions')
      .values(({ selectFrom }) => ({
        user_id,
        type: selectFrom('catalogue_items')
          .select('code')
          .where('kind', '=', 'types')
          .where('label', '=', area),
        report_id: reportId,
        view_id: viewId,
        format,
        ...toColumns(schedule),
        created_at: now,
        updated_at: now,
      }))
      .returning('id')
      .executeTakeFirstOrThrow()
    return restart(db, now, id)
  })
}

/** @throws ProblemError not-found, rate-limited, and as authorizeMail does */
export function changeReportSubscription(
  context: SubscriptionContext,
  { id, change }: { id: string; change: BodyOf<typeof reportSubscriptionRoutes.changeReportSubscription> },
): Promise<ReportSubscription> {
  const { schedule, viewId, format, stopped = false } = change
  return changeSubscriptions(context, async (db) => {
    const found = await selectSubscriptions(db)
      .where('s.id', '=', id)
      .where('s.user_id', '=', context.actor.profile.user_id)
      .executeTakeFirst()
    if (!found) throw createGoneError()
    const view_id = viewId === undefined ? found.view_id : viewId
    // Stopping needs no access, but taking another view does.
    if (!stopped || viewId)
      await authorizeMail({ ...context, db }, context.actor, {
        area: found.area,
        reportId: found.report_id,
        viewId: view_id,
      })
    const now = new Date(context.clock())
    await db
      .updateTable('report_subscriptions')
      .set({
        ...(schedule && toColumns(schedule)),
        ...(format && { format }),
        ...{ view_id, next_run_at: null, failure: null, failed_at: null, updated_at: now },
      })
      .where('id', '=', id)
      .execute()
    return restart(db, now, id, stopped)
  })
}

/** @throws ProblemError not-found, rate-limited */
export function removeReportSubscription(context: SubscriptionContext, id: string): Promise<void> {
  return changeSubscriptions(context, async (db) => {
    const { numDeletedRows } = await db
      .deleteFrom('report_subscriptions')
      .where('id', '=', id)
      .where('user_id', '=', context.actor.profile.user_id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw createGoneError()
  })
}

/** Runs a change in a transaction, one at a time for a person, so that the limit holds. */
async function changeSubscriptions<T>(
  context: SubscriptionContext,
  change: (db: Db) => Promise<T>,
): Promise<T> {
  const userId = context.actor.profile.user_id
  await context.consumeRateLimit(`report-subscriptions ${userId}`, WRITES)
  return context.db.transaction().execute(async (db) => {
    if (!(await lockProfile(db, userId))) throw new ProblemError('unauthenticated')
    return change(db)
  })
}

const createGoneError = () => new ProblemError('not-found', { detail: messages.gone })

const toColumns = ({ every, hour, ...days }: Schedule) => ({
  ...{ every, hour },
  weekday: 'weekday' in days ? days.weekday : null,
  day: 'day' in days ? days.day : null,
})

/** Sets the next run, unless it is stopped. */
async function restart(db: Db, now: Date, id: string, isStopped = false): Promise<ReportSubscription> {
  if (!isStopped)
    await sql`update report_subscriptions s set next_run_at = ${nextRunAfter(now)} where id = ${id}`.execute(
      db,
    )
  return present(await selectSubscriptions(db).where('s.id', '=', id).executeTakeFirstOrThrow())
}

/** SQL of the first run of `report_subscriptions s` after an instant, in São Paulo. */
function nextRunAfter(instant: Date): RawBuilder<Date> {
  const after = sql`${instant}::timestamptz`
  const today = sql`(${after} at time zone 'America/Sao_Paulo')::date::timestamp`
  return sql`(
    select min(run_at) from (
      select (date + make_interval(hours => s.hour)) at time zone 'America/Sao_Paulo' as run_at
      from generate_series(${today}, ${today} + interval '32 days', interval '1 day') as days(date)
      where case s.every when 'day' then true when 'week' then extract(isodow from date) = s.weekday
        else extract(day from date) = least(s.day, extract(day from date_trunc('month', date + interval '1 month') - interval '1 day'))
      end) as runs
    where run_at > ${after})`
}

/**
 * Queues a job for each run that is due; each is queued once, also over replicas. A run later than six
 * hours is told instead, and one beyond the next period, of a clock that was ahead, is set anew.
 */
export async function queueDueReportMails({ db, clock }: { db: Db; clock: () => number }): Promise<void> {
  const now = new Date(clock())
  const isDue = sql<boolean>`(s.next_run_at <= ${now}::timestamptz or s.next_run_at > ${now}::timestamptz
    + case s.every when 'day' then interval '2 days' when 'week' then interval '14 days' else interval '62 days' end)`
  const select = sql`select id from report_subscriptions s where ${isDue} limit 1`
  while ((await select.execute(db)).rows.length > 0 && (await queueBatch(db, now, isDue)) === MAX_BATCH);
}

async function queueBatch(db: Db, now: Date, isDue: RawBuilder<boolean>): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{
      id: string
      user_id: string
      is_late: boolean
      run_at: Date
      next_run_at: Date
    }>`
      select id, user_id, next_run_at <= ${now}::timestamptz as is_late, ${nextRunAfter(new Date(now.getTime() - MAX_LATE_MS))} as run_at,
        ${nextRunAfter(now)} as next_run_at
      from report_subscriptions s where ${isDue}
      order by s.next_run_at limit ${sql.lit(MAX_BATCH)} for update skip locked`.execute(transaction)
    for (const { id, user_id: userId, is_late, run_at, next_run_at } of rows) {
      await transaction
        .updateTable('report_subscriptions')
        .set({ next_run_at })
        .where('id', '=', id)
        .execute()
      const input: ReportMailInput = { subscriptionId: id, runAt: run_at.toISOString() }
      if (is_late && run_at <= now)
        await queueJob({ db: transaction, clock }, { kind: 'report-mail', userId, input, payload: null })
      else if (is_late) await recordMailFailure(transaction, { id, at: now, failure: messages.missed })
    }
    return rows.length
  })

  function clock() {
    return now.getTime()
  }
}

/**
 * Writes down why a run failed, and mails it to the person, once for all that fail at a time.
 * @param ends whether no further run follows
 */
export async function recordMailFailure(
  db: Db,
  { id, at, failure, ends = false }: { id: string; at: Date; failure: string; ends?: boolean },
): Promise<void> {
  const { rows } = await sql<{ email: string }>`
    update report_subscriptions s set failure = ${failure}, failed_at = ${at}, updated_at = ${at}
      ${ends ? sql`, next_run_at = null` : sql``}
    from profiles p where s.id = ${id} and s.next_run_at is not null and p.user_id = s.user_id returning p.email`.execute(
    db,
  )
  const email = rows[0]?.email
  if (email === undefined) return
  const { rows: queued } = await sql`select id from mail_outbox
    where kind = 'report-mail-failed' and recipient = ${email} and sent_at is null and attempts = 0`.execute(
    db,
  )
  if (queued.length === 0) await queueMail({ db }, 'report-mail-failed', email)
}

const MAC_BYTES = 16

/** Creates and verifies the tokens of unsubscribe links, '<subscription id>.<HMAC>': nothing is stored. */
export function createUnsubscribeTokens(keyring: Keyring) {
  const keys = keyring('unsubscribe')
  const sign = (key: Uint8Array, id: string) =>
    createHmac('sha256', key).update(id).digest().subarray(0, MAC_BYTES)
  return {
    sign: (id: string): string => `${id}.${sign(keys[0].bytes, id).toString('base64url')}`,
    /** @returns the subscription's id; undefined if the token is invalid */
    read(token: string): string | undefined {
      const [, id, mac = ''] = /^([0-9a-f-]{36})\.([\w-]{22})$/.exec(token) ?? []
      const bytes = Buffer.from(mac, 'base64url')
      return id && keys.some((key) => timingSafeEqual(sign(key.bytes, id), bytes)) ? id : undefined
    },
  }
}

/** Stops the subscription of a mail; a second time changes nothing. @throws ProblemError invalid-link */
export async function unsubscribe(
  { db, clock, keyring }: PublicContext & { keyring: Keyring },
  token: string,
): Promise<void> {
  const id = createUnsubscribeTokens(keyring).read(token)
  if (!id) throw new ProblemError('invalid-link')
  await db
    .updateTable('report_subscriptions')
    .set({ next_run_at: null, failure: null, failed_at: null, updated_at: new Date(clock()) })
    .where('id', '=', id)
    .where('next_run_at', 'is not', null)
    .execute()
}
