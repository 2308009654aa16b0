import { createHmac, timingSafeEqual } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { listSpellings } from '#contract/entitlement-lists.ts'
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
import { HELD_UNTIL, queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { lockProfile, toAreaAccessSql } from '#server/users/user-queries.ts'
import { authorizeExport, type ExportServices } from './report-exports.ts'
import { findViewOfReport } from './report-views.ts'
import { removeUsageMail } from './usage-mail.ts'

const WRITES = { max: 60, windowSeconds: 60 }
/** Runs that are later than this are not made up for. */
export const MAX_LATE_MS = 6 * 60 * 60_000
const MAX_BATCH = 100

const messages = {
  unverified: 'Confirme o seu e-mail no portal para receber relatórios por e-mail.',
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
 * @throws ProblemError not-found (the area or the view), and as authorizeExport does
 */
export async function authorizeMail(
  services: Pick<Context, 'db' | 'clock'> & Omit<ExportServices, 'powerBi'>,
  reader: Parameters<typeof authorizeExport>[1] & Pick<Actor, 'profile'>,
  { area, reportId, viewId }: Wanted,
) {
  if (!listSpellings(area).some((spelling) => reader.profile.types.includes(spelling)))
    throw new ProblemError('not-found', { detail: new ProblemError('report-not-found').message })
  if (!reader.profile.email_verified_at)
    throw new ProblemError('export-refused', { detail: messages.unverified })
  const authorized = await authorizeExport(services, reader, { area, reportId })
  const view =
    viewId === null ? undefined : await findViewOfReport(services, reader, { area, reportId, viewId })
  return { ...authorized, view }
}

/**
 * Selects subscriptions with the labels of their areas. The names of reports and views are null unless
 * the person may read them now.
 */
export function selectSubscriptions({ db, clock }: Pick<Context, 'db' | 'clock'>) {
  const isReadable = sql<boolean>`${sql.raw(toAreaAccessSql(String(clock())))}`
  return db
    .selectFrom('report_subscriptions as s')
    .innerJoin('profiles as p', 'p.user_id', 's.user_id')
    .innerJoin('catalogue_items as c', (join) =>
      join.onRef('c.code', '=', 's.type').on('c.kind', '=', 'types'),
    )
    .leftJoin('report_views as v', (join) =>
      join
        .onRef('v.id', '=', 's.view_id')
        .on('v.deleted_at', 'is', null)
        .on(isReadable)
        .on(
          sql<boolean>`(v.user_id = s.user_id or v.shared and exists (
            select from profiles p where p.user_id = v.user_id and ${isReadable}))`,
        ),
    )
    .selectAll('s')
    .select(['c.label as area', 'v.name as view', 'v.shared as is_view_shared'])
    .select(({ selectFrom }) =>
      selectFrom('further_reports as f')
        .select('f.name')
        .whereRef('f.type', '=', 's.type')
        .whereRef('f.report_id', '=', 's.report_id')
        .where('f.deleted_at', 'is', null)
        .where(isReadable)
        .limit(1)
        .as('report'),
    )
}

export type SubscriptionRow = Awaited<
  ReturnType<ReturnType<typeof selectSubscriptions>['executeTakeFirstOrThrow']>
>

export function toSchedule({ every, weekday, day, hour }: SubscriptionRow): Schedule {
  return { every, hour, ...(weekday !== null && { weekday }), ...(day !== null && { day }) } as Schedule
}

function present(row: SubscriptionRow): ReportSubscription {
  const { id, area, report, report_id: reportId, view_id: viewId, view, format, failure } = row
  return {
    id,
    area,
    report,
    reportId,
    viewId,
    view,
    format,
    failure,
    schedule: toSchedule(row),
    nextRunAt: row.next_run_at?.toISOString() ?? null,
    lastSentAt: row.last_sent_at?.toISOString() ?? null,
  }
}

export async function listReportSubscriptions(context: Context): Promise<{ items: ReportSubscription[] }> {
  const own = selectSubscriptions(context).where('s.user_id', '=', context.actor.profile.user_id)
  return { items: (await own.orderBy('s.created_at', 'desc').execute()).map(present) }
}

/** Lists everybody's subscriptions, without the names of private views. */
export async function listAllReportSubscriptions(
  context: Context,
): Promise<ReplyOf<typeof reportSubscriptionRoutes.listAllReportSubscriptions>> {
  const rows = await selectSubscriptions(context)
    .select(['p.email', sql<number>`(count(*) over ())::int`.as('total')])
    .orderBy(sql`s.failure is null`)
    .orderBy('s.next_run_at', (order) => order.asc().nullsLast())
    .limit(MAX_LISTED)
    .execute()
  const items = rows.map((row) => ({
    ...present(row),
    view: row.is_view_shared ? row.view : null,
    failure: row.failure && (row.admin_failure ?? row.failure),
    email: row.email,
  }))
  return { items, total: rows[0]?.total ?? 0 }
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
    return restart({ ...context, db }, id)
  })
}

/** @throws ProblemError not-found, rate-limited, and as authorizeMail does */
export function changeReportSubscription(
  context: SubscriptionContext,
  { id, change }: { id: string; change: BodyOf<typeof reportSubscriptionRoutes.changeReportSubscription> },
): Promise<ReportSubscription> {
  const { schedule, viewId, format, stopped = false } = change
  return changeSubscriptions(context, async (db) => {
    const txContext = { ...context, db }
    const found = await selectSubscriptions(txContext)
      .where('s.id', '=', id)
      .where('s.user_id', '=', context.actor.profile.user_id)
      .executeTakeFirst()
    if (!found) throw createGoneError()
    const view_id = viewId === undefined ? found.view_id : viewId
    // Stopping needs no access, but taking another view does.
    if (!stopped || viewId)
      await authorizeMail(txContext, context.actor, {
        area: found.area,
        reportId: found.report_id,
        viewId: view_id,
      })
    if (stopped) await stopSubscription(txContext, found)
    await db
      .updateTable('report_subscriptions')
      .set({
        ...(schedule && toColumns(schedule)),
        ...(format && { format }),
        view_id,
        next_run_at: null,
        failure: null,
        failed_at: null,
        updated_at: new Date(context.clock()),
      })
      .where('id', '=', id)
      .execute()
    return restart(txContext, id, stopped)
  })
}

/** @throws ProblemError not-found, rate-limited */
export function removeReportSubscription(context: SubscriptionContext, id: string): Promise<void> {
  return changeSubscriptions(context, async (db) => {
    const { user_id } = context.actor.profile
    await stopSubscription({ ...context, db }, { id, user_id })
    const { numDeletedRows } = await db
      .deleteFrom('report_subscriptions')
      .where('id', '=', id)
      .where('user_id', '=', user_id)
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

/** Stops a subscription of a locked person. One that was stopped before leaves no audit entry. */
async function stopSubscription(
  context: PublicContext,
  { id, user_id }: { id: string; user_id: string },
): Promise<void> {
  const { rows } = await sql<{ email: string; type: string; report_id: string; format: string }>`
    update report_subscriptions s set next_run_at = null, failure = null, failed_at = null,
      updated_at = ${new Date(context.clock())}
    from profiles p, catalogue_items c where s.id = ${id} and s.user_id = ${user_id}
      and s.next_run_at is not null and p.user_id = s.user_id and c.kind = 'types' and c.code = s.type
    returning p.email, c.label as type, s.report_id, s.format`.execute(context.db)
  for (const { email, ...after } of rows) {
    const person = { user_id, email }
    await recordAudit(context, { action: 'report-mail-stopped', actor: person, target: person, after })
  }
}

const createGoneError = () => new ProblemError('not-found', { detail: messages.gone })

const toColumns = ({ every, hour, ...days }: Schedule) => ({
  every,
  hour,
  weekday: 'weekday' in days ? days.weekday : null,
  day: 'day' in days ? days.day : null,
})

/** Sets the next run, unless it is stopped. */
async function restart(context: Context, id: string, isStopped = false): Promise<ReportSubscription> {
  const next = nextRunAfter(new Date(context.clock()))
  if (!isStopped)
    await sql`update report_subscriptions s set next_run_at = ${next} where id = ${id}`.execute(context.db)
  return present(await selectSubscriptions(context).where('s.id', '=', id).executeTakeFirstOrThrow())
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
 * hours is told instead. One beyond the next period is set anew: the clock was ahead, or it was held.
 */
export async function queueDueReportMails({ db, clock }: { db: Db; clock: () => number }): Promise<void> {
  const now = new Date(clock())
  const isDue = sql<boolean>`(s.next_run_at <= ${now}::timestamptz or s.next_run_at < ${HELD_UNTIL}
    and s.next_run_at > ${now}::timestamptz + case s.every
      when 'day' then interval '2 days' when 'week' then interval '14 days' else interval '62 days' end)`
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
      select s.id, s.user_id, s.next_run_at <= ${now}::timestamptz as is_late,
        ${nextRunAfter(new Date(now.getTime() - MAX_LATE_MS))} as run_at, ${nextRunAfter(now)} as next_run_at
      from report_subscriptions s join profiles p on p.user_id = s.user_id where ${isDue}
      order by s.next_run_at limit ${sql.lit(MAX_BATCH)}
      -- People first, as changes and deletions do.
      for key share of p skip locked for update of s skip locked`.execute(transaction)
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
      else
        await sql`delete from jobs where kind = 'report-mail' and status in ('queued', 'running')
          and input ->> 'subscriptionId' = ${id}
          and (input ->> 'runAt')::timestamptz > ${now}::timestamptz + interval '1 minute'`.execute(
          transaction,
        )
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
  {
    id,
    at,
    failure,
    administratorDetail = null,
    ends = false,
  }: {
    id: string
    at: Date
    failure: string
    administratorDetail?: string | null | undefined
    ends?: boolean
  },
): Promise<void> {
  const { rows } = await sql<{ email: string }>`
    update report_subscriptions s set failure = ${failure}, failed_at = ${at},
      admin_failure = ${administratorDetail}
      ${ends ? sql`, next_run_at = null, updated_at = ${at}` : sql``}
    from profiles p where s.id = ${id} and s.next_run_at is not null and p.user_id = s.user_id returning p.email`.execute(
    db,
  )
  const email = rows[0]?.email
  if (email === undefined) return
  const { rows: queued } = await sql`select id from mail_outbox
    where kind = 'report-mail-failed' and recipient = ${email} and sent_at is null and attempts = 0
      and due_at < ${HELD_UNTIL}`.execute(db)
  if (queued.length === 0) await queueMail({ db }, 'report-mail-failed', email)
}

const MAC_BYTES = 16

/** Creates and verifies the tokens of unsubscribe links, '<subscription id>.<ms>.<HMAC>'; stores none. */
export function createUnsubscribeTokens(keyring: Keyring) {
  const keys = keyring('unsubscribe')
  const sign = (key: Uint8Array, text: string) =>
    createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES)
  return {
    /** @param at when the mail is sent, in ms since the epoch */
    sign(id: string, at: number): string {
      const text = `${id}.${Math.trunc(at)}`
      return `${text}.${sign(keys[0].bytes, text).toString('base64url')}`
    },
    /** @returns undefined if the token is invalid */
    read(token: string): { id: string; at: Date } | undefined {
      const [, text, id, at, mac = ''] = /^(([0-9a-f-]{36})\.(\d{1,15}))\.([\w-]{22})$/.exec(token) ?? []
      const bytes = Buffer.from(mac, 'base64url')
      const isValid = id && text && keys.some((key) => timingSafeEqual(sign(key.bytes, text), bytes))
      return isValid ? { id, at: new Date(Number(at)) } : undefined
    },
  }
}

/**
 * Stops the subscription of a mail, or tells what it would stop; a second time changes nothing. Mails
 * from before the person changed or resumed it stop it no more. @throws ProblemError invalid-link
 */
export async function unsubscribe(
  { keyring, ...context }: PublicContext & { keyring: Keyring },
  { token, dryRun }: { token: string; dryRun?: 'true' | undefined },
): Promise<ReplyOf<typeof reportSubscriptionRoutes.unsubscribe>> {
  const read = createUnsubscribeTokens(keyring).read(token)
  if (!read) throw new ProblemError('invalid-link')
  return context.db.transaction().execute(async (db) => {
    const query = selectSubscriptions({ ...context, db }).where('s.id', '=', read.id)
    const found = await query.executeTakeFirst()
    if (!found) {
      const wasWanted = await removeUsageMail(db, { ...read, isDry: dryRun !== undefined })
      return { name: wasWanted ? 'O resumo mensal do uso' : null, wasStopped: !wasWanted }
    }
    const wasStopped = found.next_run_at === null
    if (!wasStopped && found.updated_at > read.at) throw new ProblemError('invalid-link')
    if (!dryRun && !wasStopped && (await lockProfile(db, found.user_id)))
      await stopSubscription({ ...context, db }, found)
    const { area, report, view } = found
    return { name: [area, report, view && `visão “${view}”`].filter(Boolean).join(', '), wasStopped }
  })
}
