import { expect, test } from 'vitest'
import { openAdmin, undoEdit } from '#server/testing/admin-calls.ts'
import { ageAuthentication, openTestSession, send } from '#server/testing/builders.ts'
import { setUpReportSettings, toLinkSetting, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const LINK = 'https://app.powerbi.com/reportEmbed?reportId=1&autoAuth=true&ctid=2'
const HOUR_MS = 60 * 60_000

describeOnEachDatabase('undo of report settings', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const { admin, save, remove, list } = setUpReportSettings(portal)
  const undo = (reply: { body: { undoId: string } }, by = admin) => undoEdit(portal, by, reply.body.undoId)
  /** Ends sessions, so that the administrator signs in again. */
  const advance = async (ms: number) => {
    portal.clock.advance(ms)
    admin.token = (await openTestSession(portal, admin)).access_token
  }
  const listWithoutVersions = async () =>
    (await list()).map(({ id: _, updated_at: __, ...setting }: Record<string, string>) => setting)
  const call = async (method: string, path: string, body?: object) => {
    const url = `/api/global-powerbi-settings/vendas/reports${path}`
    const reply = await send(portal, method, url, { token: admin.token, body })
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
    return reply
  }
  const listFurther = async () =>
    (await call('GET', '')).body.items.map(({ name, report_id }: Record<string, string>) => [name, report_id])
  const readUndoIds = async () => {
    const query = `?action=settings&area=Vendas`
    const { items } = (await send(portal, 'GET', `/api/audit${query}`, { token: admin.token })).body
    return items.map(({ undo_id }: { undo_id?: string }) => undo_id)
  }

  test('restores every field of the former setting, once', async () => {
    const opening = { page_name: 'ReportSection', bookmark_name: 'Bookmark1', exports: false, name: 'Mês' }
    await save('vendas', toSetting('Vendas', opening))
    const before = await listWithoutVersions()
    const saved = await save('vendas', toLinkSetting(LINK))
    expect(await readUndoIds()).toEqual([saved.body.undoId, expect.any(String)])
    expect((await undo(saved)).status).toBe(200)
    expect(await listWithoutVersions()).toEqual(before)
    expect((await undo(saved)).body.detail).toBe('Esta alteração já foi desfeita.')
    expect(await readUndoIds()).toEqual([undefined, undefined, expect.any(String)])
  })

  test('brings a removed report back, and takes a new one away', async () => {
    const added = await save('vendas', toSetting('Vendas'))
    const before = await listWithoutVersions()
    const removed = await remove('vendas')
    await advance(23 * HOUR_MS)
    expect((await undo(removed)).status).toBe(200)
    expect(await listWithoutVersions()).toEqual(before)
    expect((await undo(added)).status).toBe(200)
    expect(await list()).toEqual([])
  })

  test('is refused where the setting was changed since, of others, and after a day', async () => {
    await save('vendas', toSetting('Vendas'))
    const saved = await save('vendas', toSetting('Oficina'))
    expect((await undo(saved, await openAdmin(portal))).status).toBe(404)
    const later = await save('vendas', toSetting('HPD'))
    const { status, body } = await undo(saved)
    expect([status, body.code]).toEqual([409, 'conflict'])
    expect((await list())[0]).toMatchObject(toSetting('HPD'))
    await advance(24 * HOUR_MS + 1)
    expect((await undo(later)).body.detail).toBe('O prazo de 24 horas para desfazer esta alteração terminou.')
    expect(await readUndoIds()).toEqual([undefined, undefined, undefined])
  })

  test('restores names, reports and places of further reports', async () => {
    await save('vendas', toSetting('Vendas'))
    const ids = new Map<string, string>()
    for (const name of ['CRM', 'HPD', 'Gerentes'])
      ids.set(name, (await call('POST', '', { name, ...toSetting(name) })).body.id)
    const first = await listFurther()
    const moved = await call('PATCH', `/${ids.get('Gerentes')}`, {
      name: 'Metas',
      ...toSetting('Oficina'),
      position: 0,
    })
    expect((await listFurther())[0][0]).toBe('Metas')
    expect((await undo(moved)).status).toBe(200)
    expect(await listFurther()).toEqual(first)
    const removed = await call('DELETE', `/${ids.get('HPD')}`)
    expect((await undo(removed)).status).toBe(200)
    expect(await listFurther()).toEqual(first)
    const added = await call('POST', '', { name: 'Marketing', ...toSetting('Marketing') })
    await call('PATCH', `/${added.body.id}`, { name: 'Campanhas', ...toSetting('Marketing') })
    expect((await undo(added)).status).toBe(409)
  })

  test('asks for a recent password, as the change did', async () => {
    const saved = await save('vendas', toSetting('Vendas'))
    const token = await ageAuthentication(portal, admin.token, 121 * 60_000)
    const { status, body } = await undo(saved, { ...admin, token })
    expect([status, body.code]).toEqual([403, 'reauthentication-needed'])
    expect(await list()).toHaveLength(1)
  })
})
