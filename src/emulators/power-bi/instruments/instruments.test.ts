import { beforeEach, describe, expect, it } from 'vitest'
import {
  CLIENT_SECRET,
  callEmulator,
  decodePayload,
  VENDAS,
} from '#emulators/power-bi/testing/call-emulator.ts'

const REPORT = `/groups/${VENDAS.workspaceId}/reports/${VENDAS.reportId}`
const DATASET = `/groups/${VENDAS.workspaceId}/datasets/${VENDAS.datasetId}`
let { call, rest, generate, signIn } = callEmulator()
beforeEach(() => {
  ;({ call, rest, generate, signIn } = callEmulator())
})
const scriptFault = (fault: unknown) => call('PUT', '/faults', fault)

describe('calls', () => {
  it('lists calls to directory and REST API, oldest first, without secrets', async () => {
    await generate()
    const calls = await call('GET', '/calls')
    expect(calls.text).not.toContain(CLIENT_SECRET)
    const [directory, token] = calls.json()
    expect(directory).toMatchObject({ method: 'POST', status: 200, body: { client_secret: '***' } })
    expect(directory.at).toBe(new Date(directory.at).toISOString())
    expect(token).toMatchObject({ method: 'POST', status: 200, body: { reports: [{ id: VENDAS.reportId }] } })
    expect(token.path).toBe('/api/v1.0/myorg/GenerateToken')
    expect(calls.json()).toHaveLength(2)
  })

  it('masks a certificate assertion, keeps malformed bodies as text, and clears on DELETE', async () => {
    await signIn({ client_assertion: 'a.b.c' })
    await call('POST', '/api/v1.0/myorg/GenerateToken', '{broken')
    const [first, second] = (await call('GET', '/calls')).json()
    expect(first.body.client_assertion).toBe('***')
    expect(second).toMatchObject({ body: '{broken', status: 401 })
    expect((await call('DELETE', '/calls')).status).toBe(204)
    expect((await call('GET', '/calls')).json()).toEqual([])
  })

  it('keeps the last 5,000', async () => {
    for (let i = 0; i <= 5_000; i++) await call('GET', `/api/v1.0/myorg/${i}`)
    const calls = (await call('GET', '/calls')).json()
    expect([calls.length, calls[0].path]).toEqual([5_000, '/api/v1.0/myorg/1'])
  })

  it('lists pending calls', async () => {
    await scriptFault({ on: 'directory', delayMs: 80 })
    const pending = signIn()
    await new Promise((later) => setTimeout(later, 20))
    expect((await call('GET', '/calls')).json()).toMatchObject([{ status: null }])
    await pending
    expect((await call('GET', '/calls')).json()).toMatchObject([{ status: 200 }])
  })
})

describe('faults', () => {
  it('replies as scripted, in order and count, then normally again', async () => {
    await scriptFault({ on: 'generateToken', status: 429, headers: { 'Retry-After': '7' }, times: 2 })
    await scriptFault({ on: 'generateToken', status: 503 })
    const first = await generate()
    expect([first.status, first.headers.get('Retry-After')]).toEqual([429, '7'])
    expect(first.json().error.code).toBe('TooManyRequests')
    expect(first.headers.has('RequestId')).toBe(true)
    expect([(await generate()).status, (await generate()).status, (await generate()).status]).toEqual([
      429, 503, 200,
    ])
  })

  it('replaces the body with a status, merges without one, and sends text raw', async () => {
    await scriptFault({ on: 'dataset', body: { isEffectiveIdentityRequired: false } })
    const merged = {
      id: VENDAS.datasetId,
      isEffectiveIdentityRequired: false,
      isEffectiveIdentityRolesRequired: true,
    }
    expect((await rest('GET', DATASET)).json()).toMatchObject(merged)
    await scriptFault({ on: 'report', status: 200, body: { id: 'x' } })
    expect((await rest('GET', REPORT)).json()).toEqual({ id: 'x' })
    await scriptFault({ on: 'report', body: '{"id":' })
    const broken = await rest('GET', REPORT)
    expect([broken.status, broken.text]).toEqual([200, '{"id":'])
  })

  it('affects only its target', async () => {
    await scriptFault({ on: 'report', status: 500 })
    expect((await rest('GET', DATASET)).status).toBe(200)
    expect((await generate()).status).toBe(200)
    expect((await rest('GET', REPORT)).status).toBe(500)
  })

  it('only delays the reply without other fields', async () => {
    await scriptFault({ on: 'report', delayMs: 60 })
    const start = performance.now()
    expect((await rest('GET', REPORT)).status).toBe(200)
    expect(performance.now() - start).toBeGreaterThan(55)
  })

  it('shortens the lifetime of embed and directory tokens', async () => {
    await scriptFault({ on: 'generateToken', tokenLifeS: 5 })
    const { token } = (await generate()).json()
    expect(decodePayload(token).exp * 1000 - Date.now()).toBeLessThanOrEqual(5_000)
    await scriptFault({ on: 'directory', tokenLifeS: 10 })
    expect((await signIn()).json().expires_in).toBe(10)
    await scriptFault({ on: 'directory', status: 503 })
    expect((await signIn()).json().error).toBe('temporarily_unavailable')
  })

  it('uses the directory’s error format', async () => {
    for (const [status, error, number] of [
      [401, 'invalid_client', 7000215],
      [503, 'temporarily_unavailable', 90033],
      [400, 'invalid_request', 90002],
    ] as const) {
      await scriptFault({ on: 'directory', status })
      const body = (await signIn()).json()
      expect(body).toMatchObject({ error, error_codes: [number] })
      expect(body.error_description).toContain(`AADSTS${number}: `)
    }
  })

  it('fails only the refresh history', async () => {
    await scriptFault({ on: 'refreshes', status: 403 })
    expect((await rest('GET', DATASET)).status).toBe(200)
    expect((await rest('GET', `${DATASET}/refreshes?$top=10`)).status).toBe(403)
  })

  it('sends an error event to a frame once', async () => {
    await scriptFault({ on: 'frame', message: 'TokenExpired', errorCode: '403' })
    const event = { message: 'TokenExpired', detailedMessage: 'TokenExpired', errorCode: '403' }
    expect((await call('GET', `/frame-faults?reportId=${VENDAS.reportId}`)).json()).toEqual([event])
    expect((await call('GET', `/frame-faults?reportId=${VENDAS.reportId}`)).json()).toEqual([])
  })

  it('lists pending faults and clears them on DELETE', async () => {
    await scriptFault({ on: 'report', status: 404, times: 3 })
    await rest('GET', REPORT)
    expect((await call('GET', '/faults')).json()).toEqual([{ on: 'report', status: 404, times: 2 }])
    expect((await call('DELETE', '/faults')).status).toBe(204)
    expect((await rest('GET', REPORT)).status).toBe(200)
  })

  it.each([
    ['text', 'x', /not JSON/],
    ['a list', [], /JSON object/],
    ['no target', { status: 500 }, /on must be/],
    ['an unknown target', { on: 'mail' }, /on must be one of/],
    ['an unknown field', { on: 'report', code: 1 }, /unknown field code/],
  ])('rejects %s', async (_, input, message) => {
    const reply = await scriptFault(input)
    expect(reply.status).toBe(400)
    expect(reply.json().error).toMatch(message)
  })
})

describe('data', () => {
  it('returns the sums of a scope', async () => {
    const data = (await call('GET', '/data?area=Vendas&marcas=FIAT,JEEP&estados=RJ')).json()
    expect(data).toMatchObject({ area: 'Vendas', marcas: ['FIAT', 'JEEP'], estados: ['RJ'] })
    expect(data.cards[0]).toEqual({
      id: 'unidades',
      label: 'Unidades vendidas',
      value: 1250,
      formatted: '1.250',
    })
    expect([data.byMonth.length, data.byMarca.length, data.table.rows.length]).toEqual([24, 2, 3])
  })

  it.each(['area=Slack', 'area=', 'area=Vendas&marcas=BMW', 'area=Vendas&estados=SP'])(
    'rejects %s',
    async (query) => {
      expect((await call('GET', `/data?${query}`)).status).toBe(400)
    },
  )
})

it('applies the configured latencies', async () => {
  const slow = callEmulator({ latencyMs: 50, directoryLatencyMs: 30 })
  const start = performance.now()
  await slow.signIn()
  const signedIn = performance.now()
  await slow.call('GET', '/api/v1.0/myorg/x')
  expect(signedIn - start).toBeGreaterThan(28)
  expect(performance.now() - signedIn).toBeGreaterThan(48)
})
