import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '#server/log.ts'
import { parseProxies } from './client-ip.ts'
import { createHttpApp } from './http-app.ts'
import { listen } from './listen.ts'

async function listenForTest() {
  const log = createLog('silent')
  const app = createHttpApp({ log, trustedProxies: parseProxies([]), allowedHosts: undefined }, () => {})
  const options = { host: '127.0.0.1', port: 0, headers: [], requestLog: log, countRequest: () => {} }
  const server = await listen(app, options)
  onTestFinished(() => void server.close())
  return server
}

// Node enforces these; waiting for the timeouts would take as long.

test('headers time out after 10 s, requests after 30 s', async () => {
  expect(await listenForTest()).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 })
})

test('idle connections stay open longer than proxies reuse them', async () => {
  const { keepAliveTimeout } = await listenForTest()
  // Caddy's timeout is two minutes, nginx's one.
  expect(keepAliveTimeout).toBeGreaterThan(120_000)
  expect(readFileSync('deploy/Caddyfile', 'utf8')).not.toContain('keepalive')
  expect(readFileSync('deploy/nginx.conf', 'utf8')).not.toContain('keepalive_timeout')
})
