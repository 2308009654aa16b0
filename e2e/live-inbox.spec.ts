import type { Page, Request } from '@playwright/test'
import { expect, openAs, test } from './portal-fixture.ts'
import { getCard, sendMessages } from './support-calls.ts'

const CHANGES = '**/api/changes'

async function signInAsAdmin(page: Page): Promise<void> {
  await openAs(page, 'admin')
}
const badge = (page: Page) => page.getByRole('link', { name: /^Mensagens, \d+ não lidas?$/ })
async function countUnread(page: Page): Promise<number> {
  await expect(badge(page)).toBeVisible()
  return Number(/\d+/.exec((await badge(page).getAttribute('aria-label')) ?? '')?.[0])
}
const expectUnread = (page: Page, count: number) =>
  expect(page.getByRole('link', { name: `Mensagens, ${count} não lidas` })).toBeVisible({ timeout: 10_000 })

/** Marks every loaded page, to prove that it is not reloaded. */
async function expectNoReload(page: Page, work: () => Promise<void>): Promise<void> {
  await page.evaluate(() => document.body.setAttribute('data-stays', ''))
  await work()
  await expect(page.locator('body[data-stays]')).toHaveCount(1)
}

test('a visitor’s message shows at once in the badge, the title and the list', async ({ page, demo }) => {
  await signInAsAdmin(page)
  const before = await countUnread(page)
  await expect(page).toHaveTitle(new RegExp(`^\\(${before}\\) Vendas · Relatórios · `))
  await expectNoReload(page, async () => {
    await sendMessages(demo, { name: 'Visita Um' })
    await expectUnread(page, before + 1)
    await expect(page).toHaveTitle(new RegExp(`^\\(${before + 1}\\) Vendas · Relatórios · `))
    await badge(page).click()
    await expect(getCard(page, 'Visita Um')).toBeVisible()
    await expect(page).toHaveTitle(new RegExp(`^\\(${before + 1}\\) Mensagens de Suporte · `))
    await sendMessages(demo, { name: 'Visita Dois' })
    await expect(getCard(page, 'Visita Dois')).toBeVisible()
    await expect(page.getByRole('article').first()).toContainText('Visita Dois')
    await expectUnread(page, before + 2)
  })
})

test('another administrator’s actions show in every tab, by one stream', async ({ page, browser, demo }) => {
  await sendMessages(demo, { name: 'Lida por outra' }, { name: 'Excluída por outra' })
  const leads = page.waitForResponse(CHANGES)
  await openAs(page, 'admin', '/mensagens')
  await leads
  const secondTab = await page.context().newPage()
  const ownStreams: string[] = []
  secondTab.on('request', (request) => {
    if (request.url().endsWith('/changes')) ownStreams.push(request.url())
  })
  await secondTab.goto('/mensagens?q=outra')
  await expect(secondTab.getByRole('article')).toHaveCount(2)
  const before = await countUnread(page)

  const other = await (await browser.newContext({ baseURL: demo.url, locale: 'pt-BR' })).newPage()
  await signInAsAdmin(other)
  await other.goto('/mensagens')
  await getCard(other, 'Lida por outra').getByRole('button', { name: 'Marcar como lida' }).click()
  await getCard(other, 'Excluída por outra').getByRole('button', { name: 'Excluir' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Excluir' }).click()
  for (const tab of [page, secondTab]) {
    await expect(getCard(tab, 'Lida por outra').getByText('Nova')).toHaveCount(0)
    await expect(getCard(tab, 'Excluída por outra')).toHaveCount(0)
    await expectUnread(tab, before - 2)
  }
  expect(ownStreams).toEqual([])
  // Another tab takes over when the tab with the stream closes.
  await page.close()
  await expect.poll(() => ownStreams.length).toBe(1)
  await other.context().close()
})

test('the stream ends with the session', async ({ page }) => {
  let ended = 0
  const countEnd = (request: Request) => {
    if (request.url().endsWith('/changes')) ended += 1
  }
  // The page aborts it, unless the server has closed it first.
  page.on('requestfailed', countEnd)
  page.on('requestfinished', countEnd)
  await page.clock.install()
  const opened = page.waitForResponse(CHANGES)
  await signInAsAdmin(page)
  expect((await opened).headers()['content-type']).toContain('text/event-stream')
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect(page).toHaveURL('/login')
  await expect.poll(() => ended).toBe(1)
  await expect(page).toHaveTitle(/^Entrar · /)
  const again: string[] = []
  page.on('request', (request) => again.push(request.url()))
  // Neither a reconnect of the stream nor a poll follows.
  await page.clock.fastForward(60_000)
  expect(again.filter((url) => url.includes('support-messages'))).toEqual([])
})
