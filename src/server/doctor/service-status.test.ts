import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '#server/log.ts'
import { describeOnEachDatabase, openFreshDatabase } from '#server/testing/test-database.ts'
import { VERSION } from '#server/version.ts'
import { createReplicaCheck } from './check-replicas.ts'
import { runChecks } from './run-checks.ts'
import { createServiceStatus } from './service-status.ts'

const MINUTE_MS = 60_000

describeOnEachDatabase('the status of services', (kind) => {
  async function openReplicas() {
    const database = await openFreshDatabase(kind)
    onTestFinished(() => database.close())
    const { db } = database
    let now = Date.parse('2026-11-28T12:00:00.000Z')
    const [one, other] = [VERSION, VERSION].map((version) =>
      createServiceStatus(() => now, { db, version, log: createLog('silent') }),
    ) as [ReturnType<typeof createServiceStatus>, ReturnType<typeof createServiceStatus>]
    /** Reads what both say of the mail server, as a request to either does. */
    const readMail = async () => {
      for (const replica of [one, other, one]) await replica.share()
      return [one, other].map((replica) => replica.read().mail)
    }
    const pass = (minutes: number) => {
      now += minutes * MINUTE_MS
    }
    return { db, one, other, readMail, pass }
  }

  test('is the same on all replicas, unknown before the first use, and bad while one of them fails', async () => {
    const { one, other, readMail, pass } = await openReplicas()
    const unknown = { isGood: null, since: null }
    expect(await readMail()).toEqual([unknown, unknown])
    one.record('mail', true)
    const good = { isGood: true, since: '2026-11-28T12:00:00.000Z' }
    expect(await readMail()).toEqual([good, good])
    pass(1)
    other.record('mail', false)
    pass(1)
    one.record('mail', true)
    const bad = { isGood: false, since: '2026-11-28T12:01:00.000Z' }
    expect(await readMail()).toEqual([bad, bad])
    other.record('mail', true)
    expect(await readMail()).toMatchObject([{ isGood: true }, { isGood: true }])
  })

  test('does not keep a failure that another replica has outlived for minutes', async () => {
    const { one, other, readMail, pass } = await openReplicas()
    other.record('mail', false)
    pass(6)
    expect(await readMail()).toMatchObject([{ isGood: false }, { isGood: false }])
    one.record('mail', true)
    expect(await readMail()).toMatchObject([{ isGood: true }, { isGood: true }])
    other.record('mail', false)
    expect(await readMail()).toMatchObject([{ isGood: false }, { isGood: false }])
  })

  test('forgets a replica that has stopped', async () => {
    const { one, other, readMail } = await openReplicas()
    other.start()
    other.record('mail', false)
    await other.share()
    await other.stop()
    await one.share()
    expect(one.read().mail).toEqual({ isGood: null, since: null })
    expect(await readMail()).toHaveLength(2)
  })

  test('names the clock and the version of another replica', async () => {
    const { db, readMail } = await openReplicas()
    const look = async () => (await runChecks([createReplicaCheck(db)])).map(({ says }) => says)
    expect(await look()).toEqual(['Réplicas: nenhuma no ar.'])
    await readMail()
    expect(await look()).toEqual([`Réplicas: 2 no ar, versão ${VERSION}.`])
    const skewed = { host: 'patio-b', version: '9.9.9', clock_ahead_ms: -12_340, services: '{}' }
    await db
      .insertInto('replicas')
      .values({ id: crypto.randomUUID(), ...skewed })
      .execute()
    const [versions, ...clocks] = await look()
    expect(versions).toMatch(/ e a 9\.9\.9 em patio-b\.$/)
    expect([versions, ...clocks]).toEqual([
      expect.stringContaining(`versões lado a lado: a ${VERSION} em `),
      'Relógio de patio-b: 12,3 s atrasado em relação ao banco de dados.',
    ])
  })
  test.skipIf(kind === 'embedded')('names a replica of 0.2 beside this version', async () => {
    const { db, readMail } = await openReplicas()
    await readMail()
    await db.connection().execute(async (connection) => {
      await sql`set application_name = 'patio-listen'`.execute(connection)
      const [found] = await runChecks([createReplicaCheck(db)])
      expect(found?.says).toContain(`versões lado a lado: a 0.2 e a ${VERSION} em `)
      await sql`reset application_name`.execute(connection)
    })
  })
})
