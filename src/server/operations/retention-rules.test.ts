import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { KEPT_DATA } from '#contract/privacy.ts'
import { readConfig } from '#server/config.ts'
import { createLog } from '#server/log.ts'
import { buildSubscription } from '#server/testing/builders.ts'
import { searchDatabase } from '#server/testing/canaries.ts'
import { describeOnEachDatabase, openFreshDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { createTestClock, type TestClock } from '#server/testing/test-portal.ts'
import { applyRetention } from './retention-job.ts'
import { createRetentionRules } from './retention-rules.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const RULES = createRetentionRules({
  ...readConfig({}).retention,
  unverifiedDays: 7,
  requestsDays: 91,
  invitationsDays: 31,
  devicesDays: 180,
  mailDays: 30,
  messagesMonths: 12,
  suspectDays: 29,
  accessMonths: 6,
  attemptsDays: 90,
  auditMonths: 24,
  usageMonths: 36,
  subscriptionsDays: 92,
  noticesDays: 93,
})

test('every rule has its row on /privacidade', () => {
  const shown = KEPT_DATA.flatMap(({ rules }) => rules)
  expect(shown.toSorted()).toEqual(RULES.map(({ name }) => name).toSorted())
})

describeOnEachDatabase('retention rules', (kind) => {
  // Not reused: refusals of an earlier file are written down up to a second late.
  const database = setUpDatabase(kind, openFreshDatabase)
  let clock: TestClock
  beforeEach(async () => {
    clock = createTestClock()
    await database.db.deleteFrom('profiles').execute()
  })
  const ago = (ms: number) => new Date(clock() - ms)
  const applyRules = async () => {
    const run = { db: database.db, log: createLog('silent'), shouldContinue: () => true }
    return (await applyRetention(run, RULES, clock())).deleted
  }

  test('deletes data exactly when its period has passed', async () => {
    const { db } = database
    const now = new Date(clock())
    const person = await db
      .insertInto('profiles')
      .values({ email: 'ana@x.br', email_verified_at: now, created_at: now })
      .returning('user_id')
      .executeTakeFirstOrThrow()
    const { user_id } = person
    const [id, request] = [Buffer.from('a'), Buffer.from('b')]
    await db.insertInto('idempotency_keys').values({ id, request, created_at: now }).execute()
    await db.insertInto('rate_limits').values({ key: 'a', taken: 1, resets_at: now }).execute()
    await db
      .insertInto('sign_in_attempts')
      .values({ key: 'a', failures: 9, locked_until: now, forget_at: new Date(clock() + HOUR) })
      .execute()
    await db
      .insertInto('used_human_checks')
      .values({ id: randomUUID(), expires_at: new Date(clock() + 2 * HOUR) })
      .execute()
    await db
      .insertInto('sessions')
      .values({
        id: randomUUID(),
        user_id,
        kind: 'full',
        refresh_key: Buffer.from('x'),
        created_at: now,
        refreshed_at: new Date(clock() + 3 * HOUR - 40 * MINUTE),
      })
      .execute()
    await db
      .insertInto('email_links')
      .values({
        token_hash: Buffer.from('x'),
        user_id,
        purpose: 'disown-change',
        expires_at: new Date(clock() + 7 * DAY),
      })
      .execute()
    const mail = { kind: 'recovery', recipient: 'ana@x.br', created_at: now }
    await db
      .insertInto('mail_outbox')
      .values([{ ...mail, sent_at: now }, mail])
      .execute()
    for (const table of ['support_messages', 'suspect_messages'] as const)
      await db
        .insertInto(table)
        .values({ name: 'Ana', email: 'ana@x.br', phone: '1', message: 'Olá', created_at: now })
        .execute()
    await db
      .insertInto('access_requests')
      .values({ user_id, requested_at: now, types: [], marcas: [], estados: [] })
      .execute()
    await db
      .insertInto('invitations')
      .values({
        email: 'rui@x.br',
        full_name: null,
        types: [],
        marcas: [],
        estados: [],
        invited_by: null,
        invited_at: now,
      })
      .execute()
    const view = { user_id, type: 'vendas', report_id: 'r', name: 'Mês', state: 'H4sI', updated_at: now }
    await db
      .insertInto('report_views')
      .values([view, { ...view, deleted_at: now }])
      .execute()
    const report = { type: 'vendas', position: 1, name: 'Metas', embed_mode: 'secure_sso' as const }
    await db
      .insertInto('further_reports')
      .values([report, { ...report, deleted_at: now }])
      .execute()
    const subscription = buildSubscription(user_id, now)
    await db
      .insertInto('report_subscriptions')
      .values([subscription, { ...subscription, next_run_at: null }])
      .execute()
    const notice = {
      text: 'Manutenção',
      severity: 'info' as const,
      types: null,
      starts_at: now,
      on_login: false,
      is_draft: false,
      updated_at: now,
    }
    await db
      .insertInto('notices')
      .values([
        { ...notice, ends_at: now },
        { ...notice, ends_at: null },
        { ...notice, ends_at: null, deleted_at: now },
      ])
      .execute()
    await db
      .insertInto('sign_in_devices')
      .values({ id: randomUUID(), user_id, created_at: now, seen_at: now })
      .execute()
    const job = { kind: 'export', user_id, input: '{}', payload: null, created_at: now, due_at: now }
    await db
      .insertInto('jobs')
      .values([job, { ...job, finished_at: now }])
      .execute()
    await db.insertInto('access_records').values({ at: now, user_id, action: 'sign-in' }).execute()
    await db.insertInto('audit_entries').values({ at: now, action: 'email-verified' }).execute()
    const day = new Date(clock()).toISOString().slice(0, 10)
    await db
      .insertInto('usage_sums')
      .values({ period: 'day', starts_on: day, kind: 'all', code: '', people: 9, openings: 9 })
      .execute()
    await db.insertInto('usage_timings').values({ day, report_id: user_id, step: 9, count: 1 }).execute()
    const failed = {
      subject: 'unknown 0a1b',
      outcome: 'invalid-credentials',
      attempts: 3,
      ips: ['203.0.113.7'],
    }
    await db
      .insertInto('failed_sign_ins')
      .values({ ...failed, hour: now, last_at: now })
      .execute()

    const steps: [number, string[]][] = [
      [0, ['rate limits']],
      [HOUR, ['sign-in attempts']],
      [2 * HOUR, ['human checks']],
      [3 * HOUR, ['sessions']],
      [DAY - MINUTE, []],
      [DAY, ['deleted notices', 'deleted views', 'finished jobs', 'idempotency keys', 'removed reports']],
      [7 * DAY - MINUTE, []],
      [7 * DAY, ['e-mail links']],
      [29 * DAY - MINUTE, []],
      [29 * DAY, ['suspect messages']],
      [30 * DAY - MINUTE, []],
      [30 * DAY, ['sent mails', 'undeliverable mails']],
      [31 * DAY - MINUTE, []],
      [31 * DAY, ['invitations']],
      [90 * DAY - MINUTE, []],
      [90 * DAY, ['failed sign-ins']],
      [91 * DAY, ['access requests']],
      [92 * DAY, ['stopped subscriptions']],
      [93 * DAY - MINUTE, []],
      [93 * DAY, ['ended notices']],
      [180 * DAY - MINUTE, []],
      [180 * DAY, ['sign-in devices']],
      [185 * DAY, ['access records']],
      [364 * DAY, []],
      [366 * DAY, ['support messages']],
      [729 * DAY, []],
      [732 * DAY, ['audit entries']],
      // That of the invitation.
      [800 * DAY, ['audit entries']],
      [1094 * DAY, []],
      [1097 * DAY, ['sums of the use', 'report timings']],
    ]
    const start = clock()
    for (const [after, gone] of steps) {
      clock.advance(start + after - clock())
      expect(await applyRules(), `after ${after / HOUR} h`).toEqual(
        Object.fromEntries(gone.map((name) => [name, 1])),
      )
    }
    expect(await db.selectFrom('profiles').select('email').execute()).toEqual([{ email: 'ana@x.br' }])
  })

  test('deletes sign-ups not verified, approved, changed or used for 7 days', async () => {
    const { db } = database
    const old = ago(7 * DAY)
    const young = ago(7 * DAY - MINUTE)
    const people = {
      'forgotten@x.br': {},
      'signed-in-long-ago@x.br': { last_sign_in_at: old },
      'recent@x.br': { created_at: young },
      'verified@x.br': { email_verified_at: old },
      'approved@x.br': { approved: true },
      'signed-in@x.br': { last_sign_in_at: young },
      'at-work@x.br': { last_sign_in_at: old },
      'unapproved-again@x.br': {},
      'administrator@x.br': {},
    }
    const ids: Record<string, string> = {}
    for (const [email, facts] of Object.entries(people)) {
      const row = await db
        .insertInto('profiles')
        .values({ email, created_at: old, ...facts })
        .returning('user_id')
        .executeTakeFirstOrThrow()
      ids[email] = row.user_id
    }
    const getId = (email: keyof typeof people) => ids[email] as string
    await db
      .insertInto('user_roles')
      .values({ user_id: getId('administrator@x.br'), role: 'admin' })
      .execute()
    for (const approved of [true, false])
      await db
        .updateTable('profiles')
        .set({ approved })
        .where('email', '=', 'unapproved-again@x.br')
        .execute()
    await db
      .insertInto('sessions')
      .values({
        id: randomUUID(),
        user_id: getId('at-work@x.br'),
        kind: 'full',
        refresh_key: Buffer.from('x'),
        created_at: old,
        refreshed_at: ago(MINUTE),
      })
      .execute()
    await db
      .insertInto('passwords')
      .values({ user_id: getId('forgotten@x.br'), hash: 'x', changed_at: old })
      .execute()

    for (const target_email of ['forgotten@x.br', 'signed-in@x.br'] as const)
      await db
        .insertInto('audit_entries')
        .values({ at: old, action: 'account-created', target_id: getId(target_email), target_email })
        .execute()

    expect(await applyRules()).toEqual({ 'unverified sign-ups': 2 })
    expect(await searchDatabase(db, 'signed-in@x.br')).toHaveLength(2)
    const left = await db.selectFrom('profiles').select('email').execute()
    expect(left.map(({ email }) => email).sort()).toEqual(Object.keys(people).slice(2).sort())
    const audited = await db
      .selectFrom('audit_entries')
      .select(['action', 'target_id', 'target_email', 'actor_id', 'before'])
      .where('action', '=', 'user-deleted')
      .execute()
    const entry = {
      action: 'user-deleted',
      target_id: expect.any(String),
      target_email: null,
      actor_id: null,
      before: { approved: false, verified: false },
    }
    expect(audited).toEqual([entry, entry])
    const names = ['forgotten@x.br', 'signed-in-long-ago@x.br'] as const
    for (const name of names) expect(await searchDatabase(db, name, getId(name))).toEqual([])
  })
})
