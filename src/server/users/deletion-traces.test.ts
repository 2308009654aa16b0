import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type AuditEntry, recordAccess, recordAudit } from '#server/operations/audit.ts'
import { type Admin, openAdmin, readTrail } from '#server/testing/admin-calls.ts'
import { addPerson, configureReports, send } from '#server/testing/builders.ts'
import { searchDatabase } from '#server/testing/canaries.ts'
import { createTraces } from '#server/testing/create-traces.ts'
import { fetchToken } from '#server/testing/embed-token-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

type Person = Awaited<ReturnType<typeof addPerson>>

describeOnEachDatabase('deleting a person', (kind) => {
  const portal = setUpPortal({ kind })
  let admin: Admin
  beforeAll(async () => {
    await configureReports(portal, 'Vendas')
    admin = await openAdmin(portal)
  })

  const request = {
    requestId: randomUUID(),
    ip: '203.0.113.7',
    forwarded: 'none' as const,
    userAgent: 'Navegador',
  }
  const audit = (entry: AuditEntry, from = request) =>
    recordAudit({ db: portal.database.db, clock: portal.clock, request: from }, entry)
  const readEntries = async (requestId: string) =>
    (await readTrail(portal)).filter((entry) => entry.request_id === requestId)
  const deletePeople = async (...people: Person[]) => {
    const userIds = people.map((person) => person.user_id)
    const reply = await send(portal, 'POST', '/api/functions/delete-users', {
      token: admin.token,
      body: { userIds },
    })
    expect(reply.body).toEqual({ success: userIds, errors: [] })
  }

  test('removes id and address everywhere, and keeps the data of others', async () => {
    const { db } = portal.database
    const person = await createTraces(portal, 'ana@grupopatio.com.br')
    const other = await createTraces(portal, 'banana@grupopatio.com.br')
    await audit({ action: 'types-set', actor: person, target: other, before: { types: [] } })
    await audit({ action: 'types-set', actor: other, target: person, before: { types: [] } })
    const named = {
      quem: [person.email, { id: person.user_id, e: 'ANA@grupopatio.com.br' }],
      outra: other.email,
    }
    await audit({ action: 'account-disowned', before: named, after: { userId: person.user_id } })
    await audit({ action: 'account-disowned', before: { outra: other.email, id: other.user_id } })
    const sessions = await db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', person.user_id)
      .execute()
    const ids = [person.user_id, ...sessions.map(({ id }) => id)]
    const findTables = async (...texts: string[]) =>
      [...new Set((await searchDatabase(db, ...texts)).map((row) => row.split(':')[0]))].sort()
    expect((await findTables(person.user_id, '"ana@grupopatio', ' ana@grupopatio')).length).toBeGreaterThan(
      20,
    )
    const attempts = await db.selectFrom('sign_in_attempts').selectAll().execute()
    const keptBefore = await searchDatabase(db, other.user_id, other.email)

    await deletePeople(person)
    expect(ids.length).toBeGreaterThan(1)
    expect(await searchDatabase(db, ...ids)).toEqual([])
    const left = await searchDatabase(db, 'ana@grupopatio')
    expect(left.filter((row) => /(?<!ban)ana@grupopatio/i.test(row))).toEqual([])
    const attemptsLeft = await db.selectFrom('sign_in_attempts').selectAll().execute()
    expect(attemptsLeft).toHaveLength(attempts.length / 2)

    const dropAuditRows = (rows: string[]) => rows.filter((row) => !row.startsWith('audit_entries'))
    const keptAfter = await searchDatabase(db, other.user_id, other.email)
    expect(dropAuditRows(keptAfter)).toEqual(dropAuditRows(keptBefore))
    expect(keptAfter).toHaveLength(keptBefore.length)
  })

  test('leaves one pseudonym in the trail and in the access records', async () => {
    const { db } = portal.database
    const [person, other] = [await addPerson(portal), await addPerson(portal)]
    await fetchToken(portal, person)
    const requestId = randomUUID()
    const here = { ...request, requestId }
    const change = { before: { types: [] }, after: { types: ['CRM'] } }
    await audit({ action: 'types-set', actor: person, target: other, ...change }, here)
    await audit({ action: 'types-set', actor: other, target: person, ...change }, here)
    await audit({ action: 'account-created', target: person }, here)
    const terminal = { requestId, ip: 'terminal', forwarded: 'none' as const, userAgent: 'npm' }
    await audit({ action: 'role-changed', target: person }, terminal)
    await audit({ action: 'account-disowned', after: { userId: person.user_id } }, here)
    await audit({ action: 'types-set', actor: other, target: other, ...change }, here)
    await deletePeople(person)

    const deletion = await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('action', '=', 'user-deleted')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    const pseudonym = deletion.target_id
    expect(pseudonym).toMatch(/^[0-9a-f-]{36}$/)
    expect(deletion).toMatchObject({ actor_id: admin.user_id, actor_email: admin.email, target_email: null })
    const gone = { ip: null, user_agent: null }
    const kept = { ip: request.ip, user_agent: request.userAgent }
    const otherAs = (role: string) => ({ [`${role}_id`]: other.user_id, [`${role}_email`]: other.email })
    const personAs = (role: string) => ({ [`${role}_id`]: pseudonym, [`${role}_email`]: null })
    expect(await readEntries(requestId)).toMatchObject([
      { ...personAs('actor'), ...otherAs('target'), ...gone, ...change },
      { ...otherAs('actor'), ...personAs('target'), ...kept, ...change },
      { actor_id: null, ...personAs('target'), ...gone },
      { actor_id: null, ...personAs('target'), ip: 'terminal', user_agent: 'npm' },
      { after: { userId: pseudonym }, ...kept },
      { ...otherAs('actor'), ...otherAs('target'), ...kept, ...change },
    ])
    const accesses = await db
      .selectFrom('access_records')
      .selectAll()
      .where('user_id', '=', pseudonym as string)
      .execute()
    expect(accesses).toMatchObject([{ action: 'report', ip: '127.0.0.1' }])
  })

  test('writes no access record when the report arrives after the deletion', async () => {
    const person = await addPerson(portal)
    await deletePeople(person)
    const context = { db: portal.database.db, clock: portal.clock, request }
    await recordAccess(context, { action: 'report', userId: person.user_id })
    expect(await searchDatabase(portal.database.db, person.user_id)).toEqual([])
  })

  test('gives each person their own pseudonym', async () => {
    const people = [await addPerson(portal), await addPerson(portal)] as [Person, Person]
    for (const person of people) await fetchToken(portal, person)
    const { db } = portal.database
    const before = await db.selectFrom('access_records').select('id').orderBy('id', 'desc').limit(2).execute()
    await deletePeople(...people)
    const after = await db
      .selectFrom('access_records')
      .select('user_id')
      .where(
        'id',
        'in',
        before.map(({ id }) => id),
      )
      .execute()
    expect(new Set(after.map(({ user_id }) => user_id)).size).toBe(2)
  })
})
