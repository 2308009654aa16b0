import { beforeEach, expect, test } from 'vitest'
import { EMULATED_REPORTS, EMULATED_THIN_REPORT } from '#emulators/power-bi/catalogue.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { listCalls, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

describeOnEachDatabase('Power BI lists', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  beforeEach(() => resetEmulator(portal))

  const list = (path = '') => send(portal, 'GET', `/api/power-bi/workspaces${path}`, { token: admin.token })
  const [vendas] = EMULATED_REPORTS

  test('hold the workspaces by name, and their reports with their model', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    const names = body.items.map(({ name }: { name: string }) => name)
    expect(names).toContain('BI · Vendas do grupo')
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'pt-BR')))
    for (const { workspaceId, reportId, name, datasetId } of [vendas, EMULATED_THIN_REPORT].flatMap(
      (r) => r ?? [],
    ))
      expect((await list(`/${workspaceId}/reports`)).body.items).toEqual([{ id: reportId, name, datasetId }])
    expect((await list(`/${EMULATED_THIN_REPORT.datasetWorkspaceId}/reports`)).body.items).toEqual([])
    const { all } = await listCalls(portal)
    expect(all.map(({ path }) => path)).toContain('/api/v1.0/myorg/groups?$top=1000')
  })

  test('include reports without a model, and skip malformed items', async () => {
    const value = [{ id: 'p', name: 'Paginado', datasetId: '' }, null, { id: 1, name: 'x' }, { id: 'z' }]
    await scriptFault(portal, { on: 'reports', body: { value } })
    const { body } = await list(`/${vendas?.workspaceId}/reports`)
    expect(body.items).toEqual([{ id: 'p', name: 'Paginado', datasetId: null }])
  })

  test.each([
    ['', { on: 'groups', status: 403 }, 502, /não deixa o aplicativo do portal usar esta API/],
    ['', { on: 'groups', status: 503, times: 2 }, 503, /^O Power BI não respondeu/],
    [
      `/${vendas?.workspaceId}/reports`,
      { on: 'reports', status: 403, message: 'No access' },
      404,
      /não tem acesso a este espaço.* precisa incluir.* respondeu: No access$/,
    ],
  ] as const)('name who can fix a failure: %s %j', async (path, fault, status, detail) => {
    await scriptFault(portal, fault)
    const reply = await list(path)
    expect([reply.status, reply.body.detail]).toEqual([status, expect.stringMatching(detail)])
  })

  test('are only for administrators and rate-limited', async () => {
    const { access_token: token } = await openTestSession(portal, await addPerson(portal))
    expect((await send(portal, 'GET', '/api/power-bi/workspaces', { token })).status).toBe(403)
    expect((await list('/nada/reports')).status).toBe(400)
    expect((await listCalls(portal)).all).toEqual([])
    let reply = await list()
    for (let count = 0; count < 60 && reply.status === 200; count += 1) reply = await list()
    expect([reply.status, reply.body.code]).toEqual([429, 'rate-limited'])
  })
})
