import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '#server/log.ts'
import { parseProxies } from './caller-ip.ts'
import { createHttpApp } from './http-app.ts'
import { listen } from './listen.ts'

test('headers must be there within 10 s, a request within 30 s', async () => {
  const log = createLog('silent')
  const app = createHttpApp({ log, trustedProxies: parseProxies([]), allowedHosts: undefined }, () => {})
  const options = { host: '127.0.0.1', port: 0, headers: [], requestLog: log, countRequest: () => {} }
  const server = await listen(app, options)
  onTestFinished(() => void server.close())
  // Node enforces what it says here; waiting for it would take as long.
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 })
})
