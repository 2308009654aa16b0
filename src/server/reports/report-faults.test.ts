import { beforeEach, expect, test } from 'vitest'
import { addPerson, getEmulatedReport, send } from '#server/testing/builders.ts'
import { fetchToken, resetEmulator, scriptFault, toTokenBody } from '#server/testing/embed-token-calls.ts'
import { type EventFollower, followEvents } from '#server/testing/follow-events.ts'
import { setUpReportSettings, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const WRONG = '7d0ad3a5-5b3e-4f44-9a3c-0d9c6a1b2e3f'

describeOnEachDatabase('reports that give no token', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const { admin, save } = setUpReportSettings(portal)
  beforeEach(async () => {
    await portal.database.db.deleteFrom('report_faults').execute()
    await resetEmulator(portal)
    await save('vendas', toSetting('Vendas'))
  })
  const readFaults = async () =>
    (await send(portal, 'GET', '/api/health/lamps', { token: admin.token })).body.reports
  const open = async (reportId = getEmulatedReport('Vendas').reportId) =>
    (await fetchToken(portal, await addPerson(portal), toTokenBody('Vendas', { reportId }))).status
  const countHealth = ({ events }: EventFollower) => events().filter(({ health }) => health).length

  test('are told to administrators at once when the answer is definite, until one is given', async () => {
    const follower = await followEvents(portal, admin.token)
    await waitFor(() => expect(countHealth(follower)).toBe(1))
    await save('vendas', toSetting('Vendas', { report_id: WRONG }))
    expect(await readFaults()).toEqual([])
    expect(await open(WRONG)).toBe(502)
    const heard = countHealth(follower)
    await waitFor(() => expect(countHealth(follower)).toBeGreaterThanOrEqual(Math.max(2, heard)))
    expect(await readFaults()).toEqual([
      {
        area: 'vendas',
        label: 'Vendas',
        name: 'Vendas',
        since: new Date(portal.clock()).toISOString(),
        says: expect.stringMatching(/^O relatório não existe neste espaço de trabalho/),
      },
    ])
    // Another report is another matter.
    await save('vendas', toSetting('Oficina'))
    expect(await readFaults()).toEqual([])
    await save('vendas', toSetting('Vendas', { report_id: WRONG }))
    expect(await readFaults()).toHaveLength(1)
    follower.stop()
  })

  test('count from the third temporary failure in a row', async () => {
    for (const faults of [0, 0, 1]) {
      await scriptFault(portal, { on: 'generateToken', status: 429, times: 2 })
      expect(await open()).toBe(503)
      expect(await readFaults()).toHaveLength(faults)
    }
    await resetEmulator(portal)
    expect(await open()).toBe(200)
    expect(await readFaults()).toEqual([])
  })
})
