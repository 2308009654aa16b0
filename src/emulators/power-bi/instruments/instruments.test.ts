import { beforeEach, describe, expect, it } from 'vitest'
import { CLIENT_SECRET, callEmulator, decodePayload, VENDAS } from '#emulators/power-bi/testing/call-emulator.ts'

const REPORT = `/groups/${VENDAS.workspaceId}/reports/${VENDAS.reportId}`
const DATASET = `/groups/${VENDAS.workspaceId}/datasets/${VENDAS.datasetId}`
let { call, rest, generate, signIn } = callEmulator()
beforeEach(() => {
  ;({ call, rest, generate, signIn } = callEmulator())
})
const script = (fault: unknown) => call('PUT', '/faults', fault)

describe('calls', () => {
  it('records what directory and REST API received, oldest first, without secrets', async () => {
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

  it('masks a certificate assertion, keeps broken bodies as text, and forgets on DELETE', async () => {
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

  it('shows a call that is still being answered', async () => {
    await script({ on: 'directory', delayMs: 80 })
    const pending = signIn()
    await new Promise((later) => setTimeout(later, 20))
    expect((await call('GET', '/calls')).json()).toMatchObject([{ status: null }])
    await pending
    expect((await call('GET', '/calls')).json()).toMatchObject([{ status: 200 }])
  })
})

describe('faults', () => {
  it('answers as scripted, in order, so many times, then normally again', async () => {
    await script({ on: 'generateToken', status: 429, headers: { 'Retry-After': '7' }, times: 2 })
    await script({ on: 'generateToken', status: 503 })
    const first = await generate()
    expect([first.status, first.headers.get('Retry-After')]).toEqual([429, '7'])
    expect(first.json().error.code).toBe('TooManyRequests')
    expect(first.headers.has('RequestId')).toBe(true)
    expect([(await generate()).status, (await generate()).status, (await generate()).status]).toEqual([
      429, 503, 200,
    ])
  })

  it('replaces the body with a status, merges without one, and sends text raw', async () => {
    await script({ on: 'dataset', body: { isEffectiveIdentityRequired: false } })
    const merged = {
      id: VENDAS.datasetId,
      isEffectiveIdentityRequired: false,
      isEffectiveIdentityRolesRequired: true,
    }
    expect((await rest('GET', DATASET)).json()).toMatchObject(merged)
    await script({ on: 'report', status: 200, body: { id: 'x' } })
    expect((await rest('GET', REPORT)).json()).toEqual({ id: 'x' })
    await script({ on: 'report', body: '{"id":' })
    const broken = await rest('GET', REPORT)
    expect([broken.status, broken.text]).toEqual([200, '{"id":'])
  })

  it('touches its own target alone', async () => {
    await script({ on: 'report', status: 500 })
    expect((await rest('GET', DATASET)).status).toBe(200)
    expect((await generate()).status).toBe(200)
    expect((await rest('GET', REPORT)).status).toBe(500)
  })

  it('answers late with a delay alone', async () => {
    await script({ on: 'report', delayMs: 60 })
    const start = performance.now()
    expect((await rest('GET', REPORT)).status).toBe(200)
    expect(performance.now() - start).toBeGreaterThan(55)
  })

  it('shortens the life of embed and directory tokens', async () => {
    await script({ on: 'generateToken', tokenLifeS: 5 })
    const { token } = (await generate()).json()
    expect(decodePayload(token).exp * 1000 - Date.now()).toBeLessThanOrEqual(5_000)
    await script({ on: 'directory', tokenLifeS: 10 })
    expect((await signIn()).json().expires_in).toBe(10)
    await script({ on: 'directory', status: 503 })
    expect((await signIn()).json().error).toBe('temporarily_unavailable')
  })

  it('lets the directory fail in its own words', async () => {
    for (const [status, error, number] of [
      [401, 'invalid_client', 7000215],
      [503, 'temporarily_unavailable', 90033],
      [400, 'invalid_request', 90002],
    ] as const) {
      await script({ on: 'directory', status })
      const body = (await signIn()).json()
      expect(body).toMatchObject({ error, error_codes: [number] })
      expect(body.error_description).toContain(`AADSTS${number}: `)
    }
  })

  it('fails the refresh history alone', async () => {
    await script({ on: 'refreshes', status: 403 })
    expect((await rest('GET', DATASET)).status).toBe(200)
    expect((await rest('GET', `${DATASET}/refreshes?$top=10`)).status).toBe(403)
  })

  it('hands a frame its error event once', async () => {
    await script({ on: 'frame', message: 'TokenExpired', errorCode: '403' })
    const event = { message: 'TokenExpired', errorCode: '403' }
    expect((await call('GET', `/frame-faults?reportId=${VENDAS.reportId}`)).json()).toEqual([event])
    expect((await call('GET', `/frame-faults?reportId=${VENDAS.reportId}`)).json()).toEqual([])
  })

  it('lists what is to come and drops it on DELETE', async () => {
    await script({ on: 'report', status: 404, times: 3 })
    await rest('GET', REPORT)
    expect((await call('GET', '/faults')).json()).toEqual([{ on: 'report', status: 404, times: 2 }])
    expect((await call('DELETE', '/faults')).status).toBe(204)
    expect((await rest('GET', REPORT)).status).toBe(200)
  })

  it.each([
    ['text', 'x', /not JSON/],
    ['a list', [], /JSON object/],
    ['no target', { status: 500 }, /on must be/],
    ['a strange target', { on: 'mail' }, /on must be one of/],
    ['a strange field', { on: 'report', code: 1 }, /unknown field code/],
  ])('refuses %s', async (_, input, message) => {
    const reply = await script(input)
    expect(reply.status).toBe(400)
    expect(reply.json().error).toMatch(message)
  })
})

describe('data', () => {
  it('gives the sums of a scope', async () => {
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
    'refuses %s',
    async (query) => {
      expect((await call('GET', `/data?${query}`)).status).toBe(400)
    },
  )
})

it('waits as long as it is told to', async () => {
  const slow = callEmulator({ latencyMs: 50, directoryLatencyMs: 30 })
  const start = performance.now()
  await slow.signIn()
  const signedIn = performance.now()
  await slow.call('GET', '/api/v1.0/myorg/x')
  expect(signedIn - start).toBeGreaterThan(28)
  expect(performance.now() - signedIn).toBeGreaterThan(48)
})
