import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { TrailEntry } from '#contract/audit.ts'
import type { Profile } from '#contract/users.ts'
import { editMany, openAdmin, patchProfile, removeAllPeople, undoEdit } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
  UNKNOWN_ID,
} from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { TRAIL_PAGE } from './trail.ts'

describeOnEachDatabase('reading the audit trail', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let admin: Awaited<ReturnType<typeof openAdmin>>
  let ana: Profile
  let bia: Profile
  beforeAll(() => configureReports(portal, 'Vendas'))
  beforeEach(async () => {
    await removeAllPeople(portal)
    await portal.database.db.deleteFrom('failed_sign_ins').execute()
    admin = await openAdmin(portal)
    ana = await addPerson(portal, { email: 'ana@grupopatio.com.br', types: ['CRM'] })
    bia = await addPerson(portal, { email: 'bia@grupopatio.com.br', types: ['CRM'] })
  })
  const read = async (query: Record<string, string> = {}) => {
    const { status, body } = await send(portal, 'GET', `/api/audit?${new URLSearchParams(query)}`, admin)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as { items: TrailEntry[]; next: string | null }
  }
  const list = async (query: Record<string, string> = {}) =>
    (await read(query)).items.map(({ action, target_email }) => `${action} ${target_email ?? '-'}`)
  const addAccess = async (minutes: number, rest: object) => {
    const at = new Date(portal.clock() + minutes * 60_000)
    const access = { at, user_id: ana.user_id, action: 'report' as const, report_id: null }
    const origin = { ip: '203.0.113.7', user_agent: 'Navegador', request_id: null }
    await portal.database.db
      .insertInto('access_records')
      .values({ ...access, ...origin, ...rest })
      .execute()
  }
  /** One of each source: an act, a sign-in, a refusal, an opened report and a 'Ver como'. */
  const addOfEach = async () => {
    const { reportId } = getEmulatedReport('Vendas')
    const hour = new Date(Math.floor(portal.clock() / 3_600_000) * 3_600_000 - 3_600_000)
    await portal.database.db
      .insertInto('failed_sign_ins')
      .values({
        hour,
        subject: ana.user_id,
        user_id: ana.user_id,
        outcome: 'invalid-credentials',
        attempts: 3,
        ips: ['203.0.113.9'],
        last_at: new Date(hour.getTime() + 60_000),
      })
      .execute()
    await patchProfile(portal, admin, ana.user_id, { types: ['CRM', 'HPD'] })
    await addAccess(1, { action: 'sign-in', method: 'password' })
    await addAccess(2, { report_id: reportId })
    await addAccess(3, { report_id: reportId, user_id: admin.user_id, viewed_as: bia.user_id })
  }

  test('merges acts, sign-ins, opened reports and refusals, newest first', async () => {
    await addOfEach()
    const { items } = await read()
    expect(items).toMatchObject([
      { action: 'report', actor_email: admin.email, target_email: bia.email, after: { viewed_as: true } },
      { action: 'report', actor_email: ana.email, target_email: null, after: { type: 'Vendas' } },
      { action: 'sign-in', actor_email: ana.email, after: { method: 'password' }, user_agent: 'Navegador' },
      { action: 'types-set', actor_email: admin.email, target_email: ana.email, before: { types: ['CRM'] } },
      { action: 'sign-in-refused', actor_id: null, target_email: ana.email, after: { attempts: 3 } },
    ])
  })

  test('filters by person, actor, act, area and time, alone and together', async () => {
    await addOfEach()
    expect(await list({ person: ana.email })).toEqual([
      'report -',
      'sign-in -',
      `types-set ${ana.email}`,
      `sign-in-refused ${ana.email}`,
    ])
    expect(await list({ person: bia.user_id })).toEqual([`report ${bia.email}`])
    expect(await list({ actor: admin.email })).toEqual([`report ${bia.email}`, `types-set ${ana.email}`])
    expect(await list({ actor: 'portal' })).toEqual([`sign-in-refused ${ana.email}`])
    expect(await list({ action: 'acts' })).toEqual([`types-set ${ana.email}`])
    expect(await list({ action: 'settings' })).toEqual([])
    expect(await list({ action: 'sign-in' })).toEqual(['sign-in -'])
    expect(await list({ action: 'accesses', person: bia.email })).toEqual([`report ${bia.email}`])
    expect(await list({ area: 'HPD' })).toEqual([`types-set ${ana.email}`])
    // What was held before and after is no change of the area.
    expect(await list({ area: 'CRM' })).toEqual([])
    expect(await list({ area: 'Vendas', actor: ana.email })).toEqual(['report -'])
    const tomorrow = new Date(portal.clock() + 86_400_000).toISOString().slice(0, 10)
    expect(await list({ from: tomorrow })).toEqual([])
    expect(await list({ to: tomorrow, action: 'acts' })).toEqual([`types-set ${ana.email}`])
  })

  test('finds people and areas however they are written, and never answers nothing about nobody', async () => {
    await addOfEach()
    const ofAna = await list({ person: ana.email })
    expect(ofAna).toHaveLength(4)
    await portal.database.db
      .updateTable('profiles')
      .set({ full_name: 'Ana Lúcia Prado' })
      .where('user_id', '=', ana.user_id)
      .execute()
    for (const person of ['ana lucia', 'Prado', 'ANA@grupopatio', ana.user_id, ana.user_id.toUpperCase()])
      expect(await list({ person }), person).toEqual(ofAna)
    expect(await list({ actor: 'Portal' })).toEqual([`sign-in-refused ${ana.email}`])
    expect(await list({ area: 'hpd' })).toEqual(await list({ area: 'HPD' }))
    const refuse = async (query: Record<string, string>) => {
      for (const path of ['/api/audit', '/api/audit/export']) {
        const { status, body } = await send(portal, 'GET', `${path}?${new URLSearchParams(query)}`, admin)
        expect([status, body.detail]).toEqual([400, expect.stringContaining('“')])
      }
    }
    await refuse({ person: 'ninguem@grupopatio.com.br' })
    await refuse({ actor: 'grupopatio' })
    await refuse({ person: '45a97728' })
    await refuse({ area: 'Nada' })
    await send(portal, 'POST', '/api/functions/delete-users', { ...admin, body: { userIds: [ana.user_id] } })
    const pseudonym = (await read({ action: 'user-deleted' })).items[0]?.target_id ?? ''
    for (const written of [pseudonym.slice(0, 8), `conta excluída ${pseudonym.slice(0, 8)}`])
      expect(await list({ person: written }), written).toEqual(await list({ person: pseudonym }))
  })

  test('lists the files that people took away, also those that the page makes', async () => {
    const body = { what: 'person-access', userId: ana.user_id }
    const saved = await send(portal, 'POST', '/api/audit/downloads', { token: admin.token, body })
    expect(saved.status).toBe(204)
    await send(portal, 'GET', '/api/profiles/export', admin)
    expect(await list({ action: 'exports' })).toEqual(['list-exported -', `file-downloaded ${ana.email}`])
    const call = { token: admin.token, body: { ...body, userId: UNKNOWN_ID } }
    expect((await send(portal, 'POST', '/api/audit/downloads', call)).status).toBe(404)
  })

  test('has pages that meet without gap or repetition, even among entries of the same instant', async () => {
    const at = new Date(portal.clock())
    const entries = Array.from({ length: TRAIL_PAGE }, () => ({ at, action: 'message-read' }))
    await portal.database.db.insertInto('audit_entries').values(entries).execute()
    for (let index = 0; index < TRAIL_PAGE + 5; index++) await addAccess(0, { action: 'sign-in' })
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read(cursor ? { cursor } : {})
      expect(page.items.length).toBeLessThanOrEqual(TRAIL_PAGE)
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next
    }
    expect(new Set(seen).size).toBe(TRAIL_PAGE * 2 + 5)
    expect(seen).toHaveLength(TRAIL_PAGE * 2 + 5)
    expect((await send(portal, 'GET', '/api/audit?cursor=1', admin)).status).toBe(400)
  })

  test('keeps a deleted person as one pseudonym, which can be searched for', async () => {
    await addOfEach()
    const body = { userIds: [ana.user_id] }
    await send(portal, 'POST', '/api/functions/delete-users', { token: admin.token, body })
    const { items } = await read({ action: 'user-deleted' })
    const pseudonym = items[0]?.target_id ?? ''
    expect(pseudonym).not.toBe(ana.user_id)
    expect((await list({ person: pseudonym })).sort()).toEqual([
      'report -',
      'sign-in -',
      'types-set -',
      'user-deleted -',
    ])
    expect(JSON.stringify(await read())).not.toContain(ana.email)
  })

  test('names the undo of one’s own changes for a day, while they are not undone', async () => {
    const other = await openAdmin(portal)
    const { undoId } = (await patchProfile(portal, admin, ana.user_id, { types: ['HPD'] })).body
    await patchProfile(portal, other, bia.user_id, { types: ['HPD'] })
    const undone = (await patchProfile(portal, admin, bia.user_id, { types: ['CRM', 'HPD'] })).body.undoId
    await undoEdit(portal, admin, undone)
    const listUndo = async () => (await read({ action: 'acts' })).items.map(({ undo_id }) => undo_id)
    expect(await listUndo()).toEqual([undefined, undefined, undefined, undoId])
    portal.clock.advance(24 * 3_600_000)
    const { access_token } = await openTestSession(portal, admin)
    admin = { ...admin, token: access_token }
    expect(await listUndo()).toEqual([undefined, undefined, undefined, undefined])
  })

  test('shows a bulk act as one entry with one undo, and person by person where asked', async () => {
    const userIds = [ana.user_id, bia.user_id]
    const { undoId } = (await editMany(portal, admin, { userIds, action: 'add', types: ['HPD', 'Slack'] }))
      .body
    const listActs = async (filter = {}) => (await read({ action: 'acts', ...filter })).items
    for (const filter of [{}, { area: 'HPD' }, { actor: admin.email }])
      expect(await listActs(filter)).toMatchObject([
        { action: 'entitlements-added', people: 2, batch: undoId, undo_id: undoId },
      ])
    const each = await listActs({ batch: undoId })
    expect(each.map(({ target_id }) => target_id).toSorted()).toEqual(userIds.toSorted())
    expect(each.every(({ people }) => people === undefined)).toBe(true)
    expect(await listActs({ person: ana.email })).toMatchObject([{ target_id: ana.user_id, undo_id: undoId }])
    await undoEdit(portal, admin, undoId)
    expect(await listActs()).toMatchObject([
      { action: 'bulk-edit-undone', people: 2 },
      { action: 'entitlements-added', people: 2 },
    ])
  })

  test('exports all that matches as CSV and as JSON lines, and records the export without the name', async () => {
    await addOfEach()
    const fetchText = async (format: string) => {
      const url = `${portal.url}/api/audit/export?format=${format}&person=${ana.email}`
      return (await fetch(url, { headers: { authorization: `Bearer ${admin.token}` } })).text()
    }
    const csv = await fetchText('csv')
    expect(csv.split('\r\n')).toHaveLength(6)
    expect(csv).toContain(`${admin.email} mudou os tipos: + HPD;tipos: CRM;tipos: HPD, CRM`)
    const lines = (await fetchText('jsonl')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).action)).toEqual([
      'report',
      'sign-in',
      'types-set',
      'sign-in-refused',
    ])
    const { items } = await read({ action: 'trail-exported' })
    expect(items).toMatchObject([
      { after: { format: 'jsonl', searched: true } },
      { after: { format: 'csv', searched: true } },
    ])
    expect(JSON.stringify(items)).not.toContain(ana.email)
  })

  test('cuts an export under way once the administrator is demoted', async () => {
    const { db } = portal.database
    await sql`
      insert into access_records (at, user_id, action, user_agent)
      select ${new Date(portal.clock())}::timestamptz - n * interval '1 second', ${ana.user_id}, 'sign-in', repeat('x', 400)
      from generate_series(1, 40000) n`.execute(db)
    const url = `${portal.url}/api/audit/export?format=csv`
    const reply = await fetch(url, { headers: { authorization: `Bearer ${admin.token}` } })
    const reader = reply.body?.getReader()
    await reader?.read()
    await db.updateTable('user_roles').set({ role: 'user' }).where('user_id', '=', admin.user_id).execute()
    const readRest = async () => {
      while (!(await reader?.read())?.done);
    }
    await expect(readRest()).rejects.toThrow('terminated')
  })
})
