import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

const folder = mkdtempSync(join(tmpdir(), 'assets-'))
const PICTURE = 'a picture of the yard'
const SCRIPT = 'export {}\n'.repeat(50)
let portal: TestPortal

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets/index-abc.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/index-abc.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'secret.txt'), 'a secret')
  writeFileSync(join(folder, 'patio.JPG'), PICTURE)
  const settings = { powerBiHosts: [], humanCheck: { kind: 'altcha' }, reportEmbedBase: '' } as never
  const html = '<link href="/brand.css"><script id="portal-settings"></script>'
  const page = {
    folder,
    brand: { color: '#0f5c7d', logo: undefined, picture: join(folder, 'patio.JPG') },
    portal: { html, settings, screens: [] },
  }
  portal = await startTestPortal({ kind: 'embedded', page })
})
afterAll(async () => {
  await portal.stop()
  rmSync(folder, { recursive: true })
})

test.each(['GET', 'HEAD'])('%s of a built file returns a compressed, immutable response', async (method) => {
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['identity', null],
  ] as const) {
    const headers = { 'accept-encoding': accepted }
    const reply = await fetch(`${portal.url}/assets/index-abc.js`, { method, headers })
    expect(reply.status).toBe(200)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    })
    expect(reply.headers.get('content-encoding')).toBe(encoding)
    expect(await reply.text()).toBe(method === 'GET' ? SCRIPT : '')
  }
})

test.each([
  '/assets/../secret.txt',
  '/assets/%2e%2e/secret.txt',
  '/assets/..%2fsecret.txt',
  '/assets//../secret.txt',
  '/secret.txt',
])('%s returns no file', async (path) => {
  const reply = await fetch(portal.url + path)
  expect(reply.status).toBeLessThan(500)
  expect(await reply.text()).not.toContain('a secret')
})

test('a built file cannot be written', async () => {
  const reply = await fetch(`${portal.url}/assets/index-abc.js`, { method: 'PUT', body: 'x' })
  expect(reply.status).toBe(404)
})

test('the group’s color is immutable under its hash, and revalidated otherwise', async () => {
  const page = await (await fetch(portal.url)).text()
  const [name = ''] = /\/brand\.css\?v=\w{8}/.exec(page) ?? []
  const readCaching = async (path: string) => (await fetch(portal.url + path)).headers.get('cache-control')
  expect(await readCaching(name)).toBe('public, max-age=31536000, immutable')
  expect(await readCaching('/brand.css?v=00000000')).toBe('no-cache')
  expect(await readCaching('/brand.css')).toBe('no-cache')
})

test('the group’s picture is named in the style sheet, immutable under its hash', async () => {
  const styles = await (await fetch(`${portal.url}/brand.css`)).text()
  const [, name = ''] = /--brand-picture:url\(([^)]+)\)/.exec(styles) ?? []
  const reply = await fetch(portal.url + name)
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  expect(await reply.text()).toBe(PICTURE)
})
