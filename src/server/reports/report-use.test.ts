import { beforeEach, expect, test } from 'vitest'
import { addPerson, configureReports, getEmulatedReport, send, UNKNOWN_ID } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

describeOnEachDatabase('the reports of a person, for administrators', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  beforeEach(async () => {
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
    await configureReports(portal, 'Vendas', 'CRM')
  })
  const read = (userId: string) => send(portal, 'GET', `/api/profiles/${userId}/report-use`, admin)

  test.each([
    ['access-ended', { valid_until: '2020-01-01' }],
    ['not-approved', { approved: false }],
    ['no-types', { types: [] }],
    ['no-reports', { types: ['HPD'] }],
    ['no-marcas', { marcas: ['KIA'] }],
    ['no-estados', { estados: [] }],
  ])('are none with the reason %s', async (hindrance, rest) => {
    const { status, body } = await read((await addPerson(portal, rest)).user_id)
    expect(status).toBe(200)
    expect(body).toEqual({ hindrance, reports: [], opened: [] })
  })

  test('are those that the person sees, and the last opened ones, each once', async () => {
    const person = await addPerson(portal, { types: ['Vendas', 'CRM', 'HPD'] })
    const other = await addPerson(portal)
    const record = (at: string, report_id: string | null, rest: object = {}) => ({
      at: new Date(at),
      user_id: person.user_id,
      action: 'report-shown' as const,
      report_id,
      ip: null,
      user_agent: null,
      request_id: null,
      ...rest,
    })
    const { reportId } = getEmulatedReport('Vendas')
    await portal.database.db
      .insertInto('access_records')
      .values([
        record('2026-11-20T10:00:00Z', reportId),
        record('2026-11-21T10:00:00Z', 'gone'),
        record('2026-11-22T10:00:00Z', reportId),
        record('2026-11-23T10:00:00Z', null, { action: 'sign-in' }),
        // Fetched ahead for a tab, or by an administrator.
        record('2026-11-24T10:00:00Z', reportId, { action: 'report' }),
        record('2026-11-23T11:00:00Z', reportId, { viewed_as: other.user_id }),
      ])
      .execute()
    expect((await read(person.user_id)).body).toEqual({
      hindrance: null,
      reports: ['Vendas', 'CRM'],
      opened: [
        { at: '2026-11-22T10:00:00.000Z', title: 'Vendas' },
        { at: '2026-11-21T10:00:00.000Z', title: null },
      ],
    })
  })

  test('are not found for unknown people', async () => {
    expect((await read(UNKNOWN_ID)).status).toBe(404)
  })
})
