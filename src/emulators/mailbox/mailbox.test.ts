import { expect, test } from 'vitest'
import { createMailbox } from './mailbox.ts'

const BASE = 'http://localhost:4000/demo/mailbox'
const LINK = 'http://localhost:4000/auth/callback#token_hash=abc&type=signup'

function createFilledMailbox(count: number) {
  let now = Date.parse('2026-03-01T02:30:00Z')
  const mailbox = createMailbox(() => now)
  for (let i = 1; i <= count; i++) {
    mailbox.deliver({
      to: `p${i % 2}@grupopatio.com.br`,
      kind: 'verification',
      subject: `Assunto ${i}`,
      text: `Olá!\n\n${LINK}\n\nFim`,
      link: LINK,
    })
    now += 60_000
  }
  const get = (path = '', method = 'GET') => mailbox.handle(new Request(BASE + path, { method }))
  return { mailbox, get }
}

test('the JSON list is oldest first and can be filtered by address', async () => {
  const { get } = createFilledMailbox(3)
  const all = await (await get('.json')).json()
  expect(all).toHaveLength(3)
  expect(all[0]).toEqual({
    id: '1',
    to: 'p1@grupopatio.com.br',
    kind: 'verification',
    subject: 'Assunto 1',
    link: LINK,
    text: `Olá!\n\n${LINK}\n\nFim`,
    sentAt: '2026-03-01T02:30:00.000Z',
  })
  const own = await (await get('.json?to=P1%40grupopatio.com.br')).json()
  expect(own.map(({ id }: { id: string }) => id)).toEqual(['1', '3'])
  expect(await (await get('.json?to=ninguem%40x.y')).json()).toEqual([])
})

test('the last 500 mails are kept', async () => {
  const { get } = createFilledMailbox(502)
  const all = await (await get('.json')).json()
  expect(all).toHaveLength(500)
  expect(all[0].id).toBe('3')
})

test('the page lists the newest first, in São Paulo time, with the link', async () => {
  const { get } = createFilledMailbox(2)
  const page = await (await get()).text()
  expect(page.indexOf('Assunto 2')).toBeLessThan(page.indexOf('Assunto 1'))
  expect(page).toContain('28/02/2026, 23:30:00')
  expect(page).toContain(`href="${LINK.replace('&', '&amp;')}"`)
})

test('a selected mail shows its text', async () => {
  const { get } = createFilledMailbox(2)
  expect(await (await get()).text()).not.toContain('Fim')
  const page = await (await get('?mail=1')).text()
  expect(page).toMatch(/<article>[\s\S]*Assunto 1[\s\S]*Fim[\s\S]*<\/article>/)
})

test('all parts of a mail are escaped', async () => {
  const { mailbox, get } = createFilledMailbox(0)
  const hostile = `<script>alert(1)</script>"'`
  mailbox.deliver({ to: hostile, kind: 'x', subject: hostile, text: hostile, link: null })
  for (const path of ['', '?mail=1']) expect(await (await get(path)).text()).not.toMatch(/<script|"'/)
})

test('the policy allows no scripts and only the page’s style', async () => {
  const policy = (await createFilledMailbox(0).get()).headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:;/)
  expect(policy).not.toContain('unsafe')
})

test('an empty mailbox has a notice; other paths and methods are rejected', async () => {
  const { get } = createFilledMailbox(0)
  expect(await (await get()).text()).toContain('Nenhum e-mail por aqui')
  expect(await (await get('.json')).json()).toEqual([])
  expect((await get('/1')).status).toBe(404)
  expect((await get('', 'POST')).status).toBe(405)
})
