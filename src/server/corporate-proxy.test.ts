import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EMULATED_CLIENT_ID, EMULATED_REPORTS, EMULATED_TENANT_ID } from '#emulators/power-bi/catalogue.ts'
import { CLIENT_SECRET } from '#emulators/power-bi/testing/call-emulator.ts'
import { serveEmulator } from '#emulators/power-bi/testing/serve-emulator.ts'
import { useCorporateProxy } from './corporate-proxy.ts'
import { createLog } from './log.ts'
import { CLOUDS, type CloudName } from './power-bi/clouds.ts'
import { createPowerBi, type PowerBiOptions } from './power-bi/power-bi-client.ts'

const [VENDAS] = EMULATED_REPORTS as [(typeof EMULATED_REPORTS)[number]]
const IDENTITY = {
  username: 'ana@grupopatio.com.br',
  roles: ['Portal'],
  customData: 'M:FIAT|U:RJ',
  auditableContext: 'ana@grupopatio.com.br',
}
const DIRECTORY = { tenantId: EMULATED_TENANT_ID, clientId: EMULATED_CLIENT_ID, clientSecret: CLIENT_SECRET }

let emulator: Awaited<ReturnType<typeof serveEmulator>>
let proxy: Server
let proxyUrl: string
/** Hosts requested from the proxy. */
let asked: string[]
let undo: (() => void) | undefined

beforeEach(async () => {
  emulator = await serveEmulator({ secret: 'chave', clientSecret: CLIENT_SECRET })
  asked = []
  // The emulator answers to any name: only the proxy knows it.
  const { hostname, port } = new URL(emulator.at)
  proxy = createServer((_, response) => response.writeHead(501).end())
  proxy.on('connect', (request, socket) => {
    asked.push(String(request.url))
    if (request.url?.endsWith(':443')) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
})
afterEach(async () => {
  undo?.()
  proxy.closeAllConnections()
  proxy.close()
  await emulator.close()
})

function testVendas(options: Pick<PowerBiOptions, 'directory' | 'apiBase'>) {
  const rules = { tokenMinutes: 30, allowWithoutRls: false, countCall: () => {}, clock: Date.now }
  return createPowerBi({ ...options, ...rules, log: createLog('silent') }).testReport(VENDAS, IDENTITY)
}

test('useCorporateProxy routes directory and Power BI through the proxy', async () => {
  undo = useCorporateProxy({ HTTP_PROXY: proxyUrl })
  const { pathname } = new URL(emulator.at)
  const found = await testVendas({
    directory: {
      ...DIRECTORY,
      tokenEndpoint: `http://login.invalid${pathname}/directory/${EMULATED_TENANT_ID}/oauth2/v2.0/token`,
    },
    apiBase: `http://api.invalid${pathname}/api`,
  })
  expect(found).toMatchObject({ outcome: 'ok', reportName: 'Vendas do grupo' })
  expect(new Set(asked)).toEqual(new Set(['login.invalid:80', 'api.invalid:80']))
})

test('useCorporateProxy bypasses the proxy for NO_PROXY and this machine', async () => {
  undo = useCorporateProxy({ http_proxy: proxyUrl, NO_PROXY: 'interno.example' })
  expect((await fetch(`${emulator.at}/calls`)).status).toBe(200)
  await fetch('http://interno.example.invalid/')
  expect(asked).toEqual(['interno.example.invalid:80'])
  asked.length = 0
  await fetch('http://interno.example/').catch(() => {})
  expect(asked).toEqual([])
})

test.each<[CloudName, string]>([
  ['public', 'login.microsoftonline.com:443'],
  ['us-gov', 'login.microsoftonline.com:443'],
  ['us-gov-high', 'login.microsoftonline.us:443'],
  ['us-gov-dod', 'login.microsoftonline.us:443'],
  ['china', 'login.partner.microsoftonline.cn:443'],
])('the cloud %s has the directory %s', async (name, host) => {
  undo = useCorporateProxy({ HTTPS_PROXY: proxyUrl })
  const { authority, scope, apiBase } = CLOUDS[name]
  const found = await testVendas({ directory: { ...DIRECTORY, authority, scope }, apiBase })
  expect(found).toMatchObject({
    outcome: 'unreachable',
    code: `UND_ERR_ABORTED de ${host.replace(':443', '')}`,
  })
  expect(new Set(asked)).toEqual(new Set([host]))
})

test('useCorporateProxy does nothing without a proxy, and rejects an invalid one', () => {
  expect(useCorporateProxy({ NO_PROXY: '*' })).toBeUndefined()
  for (const HTTPS_PROXY of ['nada', 'proxy:3128', 'proxy.example.com:3128'])
    expect(() => useCorporateProxy({ HTTPS_PROXY }), HTTPS_PROXY).toThrow(
      expect.objectContaining({ code: 'ERR_PROXY_INVALID_CONFIG' }),
    )
})
