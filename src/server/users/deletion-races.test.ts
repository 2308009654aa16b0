import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createCliRequest } from '#server/operations/admin-commands.ts'
import { type Admin, openAdmin } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { searchDatabase } from '#server/testing/canaries.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { removePeople } from './delete-users.ts'

type Reply = ReturnType<typeof send>

describeOnEachDatabase('a request during a deletion', (kind) => {
  const portal = setUpPortal({ kind })
  let admin: Admin
  beforeAll(async () => {
    admin = await openAdmin(portal)
  })

  const hasWaitingQuery = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(portal.database.db)
    expect(rows).toHaveLength(1)
  }

  /** Sends a request after a deletion's last statement; it commits once the request waits or is done. */
  async function sendBeforeCommit(person: Awaited<ReturnType<typeof addPerson>>, request: () => Reply) {
    const { database, clock } = portal
    let reply: Reply | undefined
    await database.db.transaction().execute(async (db) => {
      await removePeople({ db, clock, request: createCliRequest() }, [person])
      reply = request()
      // The embedded database runs nothing beside a transaction.
      if (kind === 'server') await Promise.race([reply, waitFor(hasWaitingQuery)])
    })
    return reply
  }

  test.each(['export', 'reports'])('as an administrator for GET …/%s leaves no address', async (read) => {
    const person = await addPerson(portal)
    const reply = await sendBeforeCommit(person, () =>
      send(portal, 'GET', `/api/profiles/${person.user_id}/${read}`, admin),
    )
    expect(await searchDatabase(portal.database.db, person.email, person.user_id)).toEqual([])
    expect(reply?.status).toBe(404)
  })

  test('as that person leaves no problem report', async () => {
    const person = await addPerson(portal)
    const { access_token: token } = await openTestSession(portal, person)
    const body = { type: 'Vendas', failure: 'x', embedMode: 'service_principal', reportId: null }
    const reply = await sendBeforeCommit(person, () =>
      send(portal, 'POST', '/api/support-messages/problem-reports', { token, body }),
    )
    expect(await searchDatabase(portal.database.db, person.email)).toEqual([])
    expect(reply?.status).toBe(401)
  })
})
