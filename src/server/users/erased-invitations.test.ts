import { beforeEach, expect, test } from 'vitest'
import { readConfig } from '#server/config.ts'
import { createLog } from '#server/log.ts'
import { applyRetention } from '#server/operations/retention-job.ts'
import { createRetentionRules } from '#server/operations/retention-rules.ts'
import { NEW_PASSWORD, receiveMail, signIn, signUp } from '#server/testing/account-calls.ts'
import { type Admin, openAdmin, readTrail, removeAllPeople } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { searchDatabase } from '#server/testing/canaries.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const GIVEN = { types: ['Vendas'], marcas: [], estados: [] }
const DAY = 24 * 60 * 60_000
const at = (name: string) => `${name}@grupopatio.com.br`
const [LEAVER, NEIGHBOR, OWNER] = [at("sant'anna"), at('anna'), at('conta')]

describeOnEachDatabase('the address of an invited person', (kind) => {
  const portal = setUpPortal({ kind })
  let admin: Admin
  beforeEach(async () => {
    for (const table of ['invitations', 'rate_limits'] as const)
      await portal.database.db.deleteFrom(table).execute()
    await removeAllPeople(portal)
    admin = await openAdmin(portal)
  })

  const call = (method: string, path = '', body?: object) =>
    send(portal, method, `/api/invitations${path}`, { token: admin.token, body })

  /** Invites with mails, a resend and a failed sign-in. @returns the ids by address */
  async function inviteAll() {
    await addPerson(portal, { email: OWNER, email_verified_at: null, approved: false })
    await call('POST', '', { addresses: [LEAVER, NEIGHBOR, OWNER].join('\n'), defaults: GIVEN })
    const { items } = (await call('GET')).body as { items: { id: string; email: string }[] }
    for (const { id, email } of items) {
      await call('POST', `/${id}/resend`)
      await receiveMail(portal, email)
      await signIn(portal, email, NEW_PASSWORD)
    }
    return new Map(items.map(({ id, email }) => [email, id]))
  }
  const find = (email: string) => searchDatabase(portal.database.db, email)
  const listNamed = async () =>
    (await readTrail(portal))
      .filter(({ action }) => action.startsWith('invitation-'))
      .flatMap(({ action, before, after }) => {
        const { email } = (before ?? after) as { email: string }
        return email === NEIGHBOR || email === OWNER ? [] : [{ action, email }]
      })
  const applyRules = (unverifiedDays: number) => {
    const months = { messagesMonths: 99, accessMonths: 99, auditMonths: 99, usageMonths: 99 }
    const periods = {
      ...readConfig({}).retention,
      unverifiedDays,
      mailDays: 999,
      attemptsDays: 999,
      ...months,
    }
    const rules = createRetentionRules(periods)
    const run = { db: portal.database.db, log: createLog('silent'), shouldContinue: () => true }
    return applyRetention(run, rules, portal.clock())
  }

  test('is erased everywhere when the invitation is withdrawn, and no other one', async () => {
    const ids = await inviteAll()
    const neighbor = (await find(NEIGHBOR)).length - (await find(LEAVER)).length
    expect((await call('DELETE', `/${ids.get(LEAVER)}`)).status).toBe(204)
    expect(await find(LEAVER)).toEqual([])
    expect(await find(NEIGHBOR)).toHaveLength(neighbor)
    const named = await listNamed()
    expect(named.map(({ action }) => action)).toEqual([
      'invitation-sent',
      'invitation-resent',
      'invitation-withdrawn',
    ])
    expect(new Set(named.map(({ email }) => email)).size).toBe(1)
    expect(named[0]?.email).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('stays when there is an account', async () => {
    const ids = await inviteAll()
    expect((await call('DELETE', `/${ids.get(OWNER)}`)).status).toBe(204)
    const entries = (await readTrail(portal)).filter(
      ({ before }) => (before as { email?: string })?.email === OWNER,
    )
    expect(entries.map(({ action }) => action)).toEqual(['invitation-withdrawn'])
    expect((await find(OWNER)).some((row) => row.startsWith('mail_outbox'))).toBe(true)
  })

  test('is erased when an unanswered invitation is deleted, which leaves an entry', async () => {
    await inviteAll()
    portal.clock.advance(30 * DAY)
    expect((await applyRules(999)).deleted).toMatchObject({ invitations: 3 })
    for (const email of [LEAVER, NEIGHBOR]) expect(await find(email)).toEqual([])
    expect((await listNamed()).map(({ action }) => action).toSorted()).toEqual([
      ...Array(2).fill('invitation-lost'),
      ...Array(2).fill('invitation-resent'),
      ...Array(2).fill('invitation-sent'),
    ])
    expect((await readTrail(portal)).at(-1)).toMatchObject({
      action: 'invitation-lost',
      actor_id: null,
      after: { reason: 'expired' },
    })
  })

  test('stays with its invitation when a sign-up of a stranger is deleted', async () => {
    await inviteAll()
    await signUp(portal, LEAVER)
    await signUp(portal, at('estranha'))
    portal.clock.advance(7 * DAY)
    await applyRules(7)
    expect(await find(at('estranha'))).toEqual([])
    const kept = await portal.database.db.selectFrom('invitations').select('email').execute()
    expect(kept.map(({ email }) => email)).toContain(LEAVER)
    const named = (await listNamed()).map(({ email }) => email)
    expect(named).toEqual([LEAVER, LEAVER])
  })
})
