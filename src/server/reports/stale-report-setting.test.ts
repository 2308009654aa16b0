import { beforeEach, expect, test } from 'vitest'
import { type Admin, openAdmin } from '#server/testing/admin-calls.ts'
import { configureReports } from '#server/testing/builders.ts'
import { setUpReportSettings, toLinkSetting, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const LINK = 'https://app.powerbi.com/reportEmbed?reportId=1&autoAuth=true&ctid=2'

describeOnEachDatabase('report settings are not overwritten silently', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const { save, remove, list } = setUpReportSettings(portal)
  let other: Admin
  beforeEach(async () => {
    other = await openAdmin(portal)
  })
  const conflict = (detail: RegExp) => ({
    status: 409,
    body: { code: 'conflict', detail: expect.stringMatching(detail) },
  })

  test('after another administrator’s change', async () => {
    const seen = (await save('vendas', toLinkSetting(LINK))).body.updated_at
    const saved = await save('vendas', toSetting('Vendas'), { as: other.token, ifMatch: seen })
    const { undoId: _, ...now } = saved.body
    const changedBy = conflict(new RegExp(`^A configuração de Vendas foi alterada por ${other.email} `))
    expect(await save('vendas', toLinkSetting(LINK), { ifMatch: seen })).toMatchObject(changedBy)
    expect(await remove('vendas', { ifMatch: seen })).toMatchObject(changedBy)
    expect(await list()).toEqual([now])
    expect((await save('vendas', toLinkSetting(LINK), { ifMatch: now.updated_at })).status).toBe(200)
  })

  test('after a change and its revert within the same instant', async () => {
    const seen = (await save('vendas', toLinkSetting(LINK))).body.updated_at
    for (const body of [toSetting('Vendas'), toLinkSetting(LINK)])
      await save('vendas', body, { as: other.token })
    expect((await save('vendas', toSetting('Vendas'), { ifMatch: seen })).status).toBe(409)
  })

  test('after another administrator has configured an empty area', async () => {
    await save('vendas', toSetting('Vendas'), { as: other.token, ifMatch: 'none' })
    const changed = conflict(new RegExp(`alterada por ${other.email}`))
    expect(await save('vendas', toLinkSetting(LINK), { ifMatch: 'none' })).toMatchObject(changed)
    expect(await remove('vendas', { ifMatch: 'none' })).toMatchObject(changed)
  })

  test('after another administrator has removed them', async () => {
    const seen = (await save('vendas', toLinkSetting(LINK))).body.updated_at
    await remove('vendas', { as: other.token, ifMatch: seen })
    const removed = conflict(new RegExp(`removida por ${other.email}`))
    expect(await save('vendas', toLinkSetting(LINK), { ifMatch: seen })).toMatchObject(removed)
    // Removing a removed setting is no conflict.
    expect((await remove('vendas', { ifMatch: seen })).body).toEqual({ removed: false, undoId: null })
    expect((await save('vendas', toLinkSetting(LINK), { ifMatch: 'none' })).status).toBe(200)
  })

  test('by the same administrator in another window', async () => {
    const seen = (await save('vendas', toLinkSetting(LINK))).body.updated_at
    await save('vendas', toSetting('Vendas'))
    expect(await save('vendas', toLinkSetting(LINK), { ifMatch: seen })).toMatchObject(
      conflict(/por você, em outra/),
    )
  })

  test('by one of two concurrent writes', async () => {
    for (let round = 0; round < 10; round++) {
      // Every other round starts without a setting.
      if (round % 2 === 0) await portal.database.db.deleteFrom('global_powerbi_settings').execute()
      const ifMatch = (await list())[0]?.updated_at ?? 'none'
      const replies = await Promise.all([
        save('vendas', toLinkSetting(`${LINK}&round=${round}`), { ifMatch }),
        save('vendas', toLinkSetting(`${LINK}&other=${round}`), { ifMatch, as: other.token }),
      ])
      expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409])
      const { undoId: _, ...saved } = replies.find((reply) => reply.status === 200)?.body ?? {}
      expect(await list()).toEqual([saved])
    }
  })

  test('also when another program wrote them, to the millisecond', async () => {
    await configureReports(portal, 'Vendas')
    const seen = (await list())[0].updated_at
    expect((await save('vendas', toLinkSetting(LINK), { ifMatch: seen })).status).toBe(200)
  })
})
