import { describe, expect, it } from 'vitest'
import { EMULATED_REPORTS, EMULATED_THIN_REPORT } from '#emulators/power-bi/catalogue.ts'
import { callEmulator, VENDAS } from '#emulators/power-bi/testing/call-emulator.ts'

const OFICINA = EMULATED_REPORTS[1] as typeof VENDAS
const REPORT = `/groups/${VENDAS.workspaceId}/reports/${VENDAS.reportId}`
const DATASET = `/groups/${VENDAS.workspaceId}/datasets/${VENDAS.datasetId}`

describe('REST API', () => {
  const { call, rest, signIn } = callEmulator()

  it('returns a report with an embedUrl on the real host', async () => {
    const reply = await rest('GET', REPORT)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('RequestId')).toMatch(/^[0-9a-f-]{36}$/)
    const { id, datasetId, reportType, embedUrl } = reply.json()
    expect({ id, datasetId, reportType }).toEqual({
      id: VENDAS.reportId,
      datasetId: VENDAS.datasetId,
      reportType: 'PowerBIReport',
    })
    const url = new URL(embedUrl)
    expect(url.origin + url.pathname).toBe('https://app.powerbi.com/reportEmbed')
    expect(url.searchParams.get('groupId')).toBe(VENDAS.workspaceId)
    expect(JSON.parse(Buffer.from(url.searchParams.get('config') ?? '', 'base64').toString())).toHaveProperty(
      'clusterUrl',
    )
  })

  it('returns that the dataset needs an identity with roles', async () => {
    const expected = {
      id: VENDAS.datasetId,
      isEffectiveIdentityRequired: true,
      isEffectiveIdentityRolesRequired: true,
    }
    expect((await rest('GET', DATASET)).json()).toMatchObject(expected)
  })

  it('finds the dataset of a thin report only in its own workspace', async () => {
    const { workspaceId, reportId, datasetId, datasetWorkspaceId } = EMULATED_THIN_REPORT
    const report = (await rest('GET', `/groups/${workspaceId}/reports/${reportId}`)).json()
    expect(report).toMatchObject({ datasetId, datasetWorkspaceId })
    expect((await rest('GET', `/groups/${datasetWorkspaceId}/datasets/${datasetId}`)).status).toBe(200)
    expect((await rest('GET', `/groups/${workspaceId}/datasets/${datasetId}`)).status).toBe(404)
  })

  it('lists all workspaces or one', async () => {
    const filter = encodeURIComponent(`id eq '${VENDAS.workspaceId}'`)
    const [found, ...others] = (await rest('GET', `/groups?$filter=${filter}`)).json().value
    expect([found, others]).toMatchObject([{ id: VENDAS.workspaceId, isOnDedicatedCapacity: true }, []])
    expect((await rest('GET', '/groups')).json().value.length).toBeGreaterThan(7)
    expect((await rest('GET', '/groups?$filter=x')).status).toBe(400)
  })

  it('lists the capacity of the workspaces', async () => {
    const [group] = (await rest('GET', '/groups?$top=1')).json().value
    const [capacity, ...others] = (await rest('GET', '/capacities')).json().value
    expect([capacity, others]).toMatchObject([
      { id: group.capacityId.toLowerCase(), sku: 'F8', state: 'Active', capacityUserAccessRight: 'Assign' },
      [],
    ])
  })

  it('returns a finished last refresh', async () => {
    const [last] = (await rest('GET', `${DATASET}/refreshes?$top=1`)).json().value
    expect(last.status).toBe('Completed')
    expect(Date.parse(last.endTime)).toBeLessThan(Date.now())
  })

  it('starts a refresh, one at a time, which ends after 20 s', async () => {
    let now = Date.UTC(2026, 10, 1, 12)
    const tenant = callEmulator({ clock: () => now })
    const start = (body: object) => tenant.rest('POST', `${DATASET}/refreshes`, body)
    const readNewest = async () => (await tenant.rest('GET', `${DATASET}/refreshes?$top=1`)).json().value[0]
    expect((await start({})).status).toBe(400)
    const accepted = await start({ notifyOption: 'NoNotification' })
    expect([accepted.status, accepted.text]).toEqual([202, ''])
    expect(await readNewest()).toMatchObject({ refreshType: 'ViaApi', status: 'Unknown' })
    expect((await readNewest()).endTime).toBeUndefined()
    const second = await start({ notifyOption: 'NoNotification' })
    expect([second.status, second.json().error.message]).toEqual([
      400,
      expect.stringMatching(/Another refresh request is already executing/),
    ])
    now += 20_000
    expect(await readNewest()).toMatchObject({ status: 'Completed', endTime: new Date(now).toISOString() })
  })

  it.each([
    ['an unknown report', `/groups/${VENDAS.workspaceId}/reports/${VENDAS.datasetId}`],
    ['a report of another workspace', `/groups/${OFICINA.workspaceId}/reports/${VENDAS.reportId}`],
    ['an unknown dataset', `/groups/${VENDAS.workspaceId}/datasets/${VENDAS.reportId}`],
    ['an unknown workspace', `/groups/${VENDAS.reportId}/reports/${VENDAS.reportId}`],
  ])('returns 404 PowerBIEntityNotFound for %s', async (_, path) => {
    const reply = await rest('GET', path)
    expect(reply.status).toBe(404)
    expect(reply.json().error.code).toBe('PowerBIEntityNotFound')
    expect(reply.headers.has('RequestId')).toBe(true)
  })

  it('accepts only tokens signed by the directory', async () => {
    const token: string = (await signIn()).json().access_token
    const path = `/api/v1.0/myorg${REPORT}`
    const [head, payload, signature] = token.split('.')
    const forged = `${head}.${Buffer.from(JSON.stringify({ exp: 9e9 })).toString('base64url')}.${signature}`
    for (const authorization of ['', 'Bearer x', `Bearer ${forged}`, `Bearer ${head}.${payload}.`]) {
      const reply = await call('GET', path, undefined, { authorization })
      expect(reply.status).toBe(401)
      expect(reply.json().error.code).toBe('InvalidToken')
      expect(reply.headers.get('WWW-Authenticate')).toMatch(/^Bearer/)
    }
  })

  it('rejects an expired directory token', async () => {
    let now = Date.UTC(2026, 10, 1)
    const portal = callEmulator({ clock: () => now })
    const authorization = `Bearer ${(await portal.signIn()).json().access_token}`
    now += 3_598_000
    expect((await portal.call('GET', `/api/v1.0/myorg${REPORT}`, undefined, { authorization })).status).toBe(
      200,
    )
    now += 1_000
    const reply = await portal.call('GET', `/api/v1.0/myorg${REPORT}`, undefined, { authorization })
    expect([reply.status, reply.json().error.code]).toEqual([403, 'TokenExpired'])
  })

  it('returns JSON with no-store and nosniff', async () => {
    const { headers } = await rest('GET', REPORT)
    expect(headers.get('content-type')).toContain('application/json')
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ])
  })
})
