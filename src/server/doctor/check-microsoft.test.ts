import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '#server/config.ts'
import { type Directory, enterWithMicrosoft, startDirectory } from '#server/testing/directory-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { listMicrosoftChecks } from './check-microsoft.ts'
import { runChecks } from './run-checks.ts'

describeOnEachDatabase('the doctor about the sign-in with Microsoft', (kind) => {
  const portal = setUpPortal({ kind })
  let directory: Directory
  beforeAll(async () => {
    directory = await startDirectory(1)
  })
  afterAll(() => directory.stop())

  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  const diagnose = async (entra: object = {}, publicUrl = 'http://localhost') => {
    const options = { ...directory.options, clientCertificate: undefined, secretEnds: day(300), ...entra }
    const config = { entra: options, publicUrl } as unknown as Config
    const found = await runChecks(listMicrosoftChecks(config, portal.database.db))
    return found.filter(({ grade }) => grade !== 'good').map(({ grade, says }) => [grade, says])
  }
  const about = 'Entrada com a Microsoft'

  test('finds nothing where all is well, and checks nothing without configuration', async () => {
    expect(await diagnose()).toEqual([])
    expect(listMicrosoftChecks({ entra: undefined } as Config, portal.database.db)).toEqual([])
  })

  test('finds a wrong secret, and an address that is not registered', async () => {
    expect(await diagnose({ clientSecret: 'wrong' })).toEqual([
      ['fault', `${about}: a Microsoft recusa o segredo do aplicativo.`],
    ])
    expect(await diagnose({}, 'http://elsewhere.example')).toEqual([
      ['fault', `${about}: o endereço de retorno não está registrado.`],
    ])
  })

  test('finds a secret that ends, has ended, or whose end is unknown', async () => {
    expect(await diagnose({ secretEnds: day(-2) })).toEqual([['fault', `${about}: o segredo venceu.`]])
    expect((await diagnose({ secretEnds: day(20) }))[0]?.[1]).toMatch(/vence em (19|20) dias/)
    expect((await diagnose({ secretEnds: undefined }))[0]?.[1]).toContain('não sabe quando')
  })

  test('finds another issuer, and a directory that does not answer', async () => {
    const [[grade] = []] = await diagnose({ issuer: `${directory.issuer}/other` })
    expect(grade).toBe('fault')
  })

  test('finds claims that were missing lately', async () => {
    await portal.database.db
      .insertInto('failed_sign_ins')
      .values({
        hour: new Date(),
        subject: 'unknown',
        user_id: null,
        outcome: 'microsoft kind-unknown',
        attempts: 1,
        ips: [],
        last_at: new Date(),
      })
      .execute()
    expect(await diagnose()).toEqual([
      ['warning', `${about}: a declaração acct faltou: ninguém entra sem ela (últimos 7 dias).`],
    ])
    await portal.database.db.deleteFrom('failed_sign_ins').execute()
  })

  test('finds claims that the tokens of people who came in lacked, each with what to do', async () => {
    const signing = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      microsoft: directory.createClient('c1'),
    })
    for (const id of ['novata', 'vendas.rj']) directory.find(id).contexts = ['c1']
    const { claims } = directory.find('novata')
    const enter = async (change: object) => {
      const before = { ...claims }
      Object.assign(claims, change)
      portal.clock.advance(1000)
      expect((await enterWithMicrosoft(signing, directory, 'novata')).status).toBe(200)
      Object.assign(claims, { _claim_names: undefined, ...before })
      const check = listMicrosoftChecks(
        { entra: directory.options, publicUrl: 'http://localhost' } as unknown as Config,
        portal.database.db,
      ).filter(({ name }) => name === 'microsoft-claims')
      return (await runChecks(check)).map(({ says, todo }) => `${says} ${todo ?? ''}`)
    }
    const whole = [expect.stringContaining('nenhuma declaração faltou')]
    expect(await enter({})).toEqual(whole)
    expect(await enter({ xms_edov: undefined })).toEqual([
      expect.stringMatching(/xms_edov faltou: .* link na primeira entrada .*em Manifest do aplicativo/),
    ])
    // Known, and not vouched for: an address of that person alone.
    expect(await enter({ xms_edov: false })).toEqual(whole)
    expect(await enter({ groups: undefined })).toEqual(whole)
    const { db } = portal.database
    const template = { name: 'Oficina', types: ['Oficina'], marcas: [], estados: [] }
    const { id } = await db
      .insertInto('access_templates')
      .values(template)
      .returning('id')
      .executeTakeFirstOrThrow()
    const group_id = '1a2b3c4d-0000-4000-8000-000000000001'
    await db.insertInto('group_mappings').values({ group_id, name: 'Oficina', template_id: id }).execute()
    expect(await enter({ groups: undefined })).toEqual([
      expect.stringMatching(/groups faltou: .* Add groups claim/),
    ])
    expect(await enter({ groups: undefined, _claim_names: { groups: 'src1' } })).toEqual([
      expect.stringMatching(/mais de 200 grupos.*Groups assigned to the application/),
    ])
    expect(await enter({})).toEqual(whole)
    // Whoever is in no group has no claim: another person shows that it is sent.
    expect((await enterWithMicrosoft(signing, directory, 'vendas.rj')).status).toBe(200)
    expect(await enter({ groups: undefined })).toEqual(whole)
    directory.find('novata').contexts = ['c2']
    expect(await enter({})).toEqual([
      expect.stringMatching(/acrs veio sem o contexto .* publique o contexto e exija a MFA/),
    ])
    await signing.stop()
  })
})
