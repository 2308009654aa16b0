import { expect, test } from 'vitest'
import type { Role } from '#contract/access.ts'
import { EMULATED_REPORT_WITHOUT_RLS } from '#emulators/power-bi/catalogue.ts'
import { addPerson, configureReports } from '#server/testing/builders.ts'
import { fetchToken, listCalls, toTokenBody } from '#server/testing/embed-token-calls.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

describeOnEachDatabase('a report without row-level security', (kind) => {
  const { workspaceId, reportId, datasetId } = EMULATED_REPORT_WITHOUT_RLS
  const startPortal = async (allowWithoutRls: boolean) => {
    const portal = await startTestPortal({ kind, allowWithoutRls, rateLimits: false })
    const ids = { workspace_id: workspaceId, report_id: reportId, dataset_id: datasetId }
    await portal.database.db
      .insertInto('global_powerbi_settings')
      .values({ type: 'vendas', embed_mode: 'service_principal', ...ids })
      .execute()
    return portal
  }
  const requestToken = async (portal: TestPortal, role: Role = 'user') =>
    fetchToken(
      portal,
      await addPerson(portal, { role }),
      toTokenBody('Vendas', { workspaceId, reportId, datasetId }),
    )

  test('is refused with what is to be done for administrators alone', async () => {
    const portal = await startPortal(false)
    const advice = 'o administrador do Power BI precisa criar nele a função “Portal”'
    const { status, body } = await requestToken(portal)
    expect([status, body.code]).toEqual([502, 'power-bi-rejected'])
    expect(body.detail).not.toContain(advice)
    expect((await requestToken(portal, 'admin')).body.detail).toContain(advice)
    await portal.stop()
  })

  test('is shown without an identity where the installation allows it', async () => {
    const portal = await startPortal(true)
    expect((await requestToken(portal)).status).toBe(200)
    const [call] = (await listCalls(portal)).generateToken
    expect(call?.body.identities).toBeUndefined()
    await portal.stop()
  })

  test('keeps the identity for other reports', async () => {
    const portal = await startPortal(true)
    await configureReports(portal, 'Oficina')
    const person = await addPerson(portal, { types: ['Oficina'] })
    expect((await fetchToken(portal, person, toTokenBody('Oficina'))).status).toBe(200)
    const [call] = (await listCalls(portal)).generateToken
    expect(call?.body.identities).toHaveLength(1)
    await portal.stop()
  })
})
