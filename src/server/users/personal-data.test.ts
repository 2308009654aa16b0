import { beforeAll, expect, test } from 'vitest'
import { formatOwnData, OWN_DATA_LABELS } from '#contract/own-data.ts'
import { type Admin, openAdmin } from '#server/testing/admin-calls.ts'
import { configureReports, openTestSession, send } from '#server/testing/builders.ts'
import { readEveryTable, searchDatabase } from '#server/testing/canaries.ts'
import { createTraces } from '#server/testing/create-traces.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

/** Tables with data of people, and the part of the export that shows it. createTraces fills each. */
const EXPORTED: Record<string, string> = {
  access_records: 'access_records',
  access_requests: 'access_requests',
  access_review_people: 'reviews_of_the_person',
  access_reviews: 'access_reviews',
  audit_entries: 'changes_to_the_person',
  closed_notices: 'notices_closed',
  email_links: 'waiting_links',
  factor_settings: 'second_factor_required',
  factors: 'factors',
  failed_sign_ins: 'failed_sign_ins',
  identities: 'microsoft_account',
  invitations: 'invitations',
  jobs: 'report_exports',
  mail_outbox: 'mails',
  opened_report_views: 'views_opened',
  password_history: 'passwords',
  passwords: 'passwords',
  profiles: 'profile',
  recovery_codes: 'recovery_codes',
  report_subscriptions: 'report_subscriptions',
  report_views: 'report_views',
  sessions: 'sessions',
  sign_in_devices: 'known_browsers',
  support_messages: 'support_messages',
  suspect_messages: 'suspect_messages',
  usage_mails: 'usage_mail',
  usage_open: 'use_in_open_periods',
}

/** Tables that the export leaves out, and why. */
const EXEMPT: Record<string, string> = {
  access_templates: 'names nobody',
  catalogue_items: 'names nobody',
  changes: 'ids of the last hour, for open pages; says nothing but that something changed',
  further_reports: 'names nobody',
  report_faults: 'names nobody',
  global_powerbi_settings: 'names nobody',
  idempotency_keys: 'answers encrypted with a key that only the browser has, for a day',
  group_mappings: 'names nobody',
  job_claims: 'names nobody',
  microsoft_sign_ins: 'a sign-in under way, until it expires',
  open_streams: 'pages while they are open; their sessions are exported',
  notices: 'names nobody; their author is in the trail',
  portal_facts: 'names nobody',
  rate_limits: 'counters for minutes to a day; what they refuse is in failed_sign_ins',
  replicas: 'names nobody',
  schema_migrations: 'names nobody',
  sign_in_attempts: 'counters under hashes; the refusals are in failed_sign_ins',
  sign_ups: 'a counter and a hash until the address is verified',
  trail_chains: 'names nobody',
  trail_cursors: 'names nobody',
  trail_erasures: 'ids of entries that are exported',
  trail_seals: 'hashes and salted commitments of entries that are exported',
  usage_sums: 'names nobody',
  usage_timings: 'names nobody',
  used_human_checks: 'names nobody',
  user_roles: 'the role is in the profile',
}

describeOnEachDatabase('personal data', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let admin: Admin
  beforeAll(async () => {
    await configureReports(portal, 'Vendas')
    admin = await openAdmin(portal)
  })

  test('every table is exported, or exempt with a reason', async () => {
    const tables = Object.keys(await readEveryTable(portal.database.db))
    expect(tables.toSorted()).toEqual([...Object.keys(EXPORTED), ...Object.keys(EXEMPT)].toSorted())
  })

  test('the export has it from every table, the own one too, and deletion leaves none', async () => {
    const { db } = portal.database
    const person = await createTraces(portal, 'rita@grupopatio.com.br')
    const findTables = async () => {
      const rows = await searchDatabase(db, person.user_id, person.email)
      return [...new Set(rows.map((row) => row.split(':')[0] as string))]
    }
    const found = await findTables()
    expect(found.filter((table) => !(table in EXEMPT)).toSorted()).toEqual(Object.keys(EXPORTED).toSorted())
    const path = `/api/profiles/${person.user_id}/export`
    const { access_token: token } = await openTestSession(portal, person)
    const replies = [
      await send(portal, 'GET', path, admin),
      await send(portal, 'GET', '/api/profiles/me/export', { token }),
    ]
    for (const { status, body } of replies) {
      expect(status).toBe(200)
      for (const section of Object.values(EXPORTED)) expect(body[section], section).not.toEqual([])
      expect(Object.keys(body)).toEqual(expect.arrayContaining(Object.values(EXPORTED)))
    }
    expect(Object.keys(replies[1]?.body)).toEqual(Object.keys(replies[0]?.body))
    const sections = Object.entries<object>(replies[1]?.body)
    const fields = sections.flatMap(([name, rows]) =>
      [name].concat([rows].flat().flatMap((row) => (typeof row === 'object' ? Object.keys(row) : []))),
    )
    expect([...new Set(fields)].filter((field) => !(field in OWN_DATA_LABELS))).toEqual([])
    const page = formatOwnData(replies[1]?.body, 'Grupo <b>Pátio</b>')
    expect(page).toContain('<h1>Meus dados no portal Grupo &lt;b&gt;Pátio&lt;/b&gt;</h1>')
    expect(page).toContain(`<th scope="row">E-mail</th><td>${person.email}</td>`)
    expect(page).toContain('Entrou no portal')
    expect(page).toContain('<td>a senha</td>')
    expect(page).not.toMatch(/\dT\d\d:|undefined|\[object|<td>([a-z]+-[a-z-]+|queued)<\/td>/)
    const entries = db.selectFrom('audit_entries').select('after').where('action', '=', 'data-exported')
    expect(await entries.orderBy('id').execute()).toEqual([{ after: null }, { after: { own: true } }])

    await send(portal, 'POST', '/api/functions/delete-users', {
      token: admin.token,
      body: { userIds: [person.user_id] },
    })
    expect(await findTables()).toEqual([])
  })
})
