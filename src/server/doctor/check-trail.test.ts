import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createMetrics } from '#server/operations/metrics.ts'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { VERSION } from '#server/version.ts'
import { listTrailChecks } from './check-trail.ts'
import { runChecks } from './run-checks.ts'

const SECRET = 'a secret of the receiver, long enough'

describeOnEachDatabase('checks of the trail', (kind) => {
  const database = setUpDatabase(kind)
  const run = (statement: string) => sql.raw(statement).execute(database.db)
  const look = async (webhook?: { url: string; secret: string }) => {
    const trail = { hashMail: undefined, isOnStdout: false, webhook }
    const findings = await runChecks(listTrailChecks(database.db, { trail }))
    const inside = findings.filter(({ check }) => check !== 'trail-outside')
    return inside.map(({ grade, says }) => `${grade} ${says}`)
  }

  test('warn of rows without seals, and of a replica of 0.2', async () => {
    expect(await look()).toEqual([expect.stringMatching(/^good .* ainda nenhum/)])
    await run(`insert into trail_seals (chain, position, kind, entry_id, at, action, sealed_at, commitment, hash)
      values ('audit', 1, 'entry', 0, now(), 'types-set', now() - interval '3 hours', '', '')`)
    expect(await look()).toEqual(['good Selos da trilha: em dia.'])
    await run(`insert into audit_entries (at, action) values (now() - interval '3 hours', 'types-set')`)
    expect(await look()).toEqual([expect.stringMatching(/^warning .* espera há 3 h/)])
    await run(`insert into profiles (email) values ('ana@grupopatio.com.br')`)
    await run(`insert into sessions (id, user_id, kind, refresh_key, created_at, refreshed_at)
      select gen_random_uuid(), user_id, 'full', '', now(), now() from profiles`)
    expect(await look()).toEqual([expect.stringMatching(/^warning .* última réplica da versão 0\.2/)])
    await run('delete from profiles')
  })

  test('tell for seven days that the end of the trail was cut off', async () => {
    await run(`insert into audit_entries (at, action) values (now() - interval '6 days', 'trail-broken'),
      (now() - interval '8 days', 'trail-broken')`)
    expect(await look()).toEqual([expect.stringMatching(/^fault .* o fim já enviado tinha sido retirado/)])
    const metrics = createMetrics(database, { version: VERSION, clock: Date.now })
    expect(await metrics.write()).toMatch(/^patio_trail_broken 1$/m)
  })

  test('tell how far a receiver is behind, and why', async () => {
    const webhook = { url: 'https://siem.example.com/', secret: SECRET }
    const [, before] = await look(webhook)
    expect(before).toMatch(/^good .*AUDIT_WEBHOOK_URL.* ainda não começou/)
    await run(
      `insert into trail_cursors (receiver, chain, position) values ('webhook', 'audit', 1), ('webhook', 'access', 0)`,
    )
    expect((await look(webhook))[1]).toMatch(/^good .* em dia/)
    const fail = (cause: string) =>
      run(`update trail_cursors set position = 0, last_error = '${cause}' where chain = 'audit'`)
    await fail('HTTP 503')
    expect((await look(webhook))[1]).toMatch(/^warning .* atrasado há 3 h: a última tentativa deu HTTP 503/)
    await fail('DEPTH_ZERO_SELF_SIGNED_CERT')
    expect((await look(webhook))[1]).toMatch(
      /atrasado há 3 h: o certificado não é de uma autoridade conhecida/,
    )
    expect(await look()).toHaveLength(1)
  })
})
