import type { Page } from '@playwright/test'
import { expect, openAs, test } from './portal-fixture.ts'
import { cardOf, sendMessages } from './support-calls.ts'

const CHANGES = '**/api/support-messages/changes'

async function signInAsAdmin(page: Page): Promise<void> {
  await openAs(page, 'admin')
}
const badge = (page: Page) => page.getByRole('link', { name: /^Mensagens, \d+ não lidas?$/ })
async function unreadIn(page: Page): Promise<number> {
  await expect(badge(page)).toBeVisible()
  return Number(/\d+/.exec((await badge(page).getAttribute('aria-label')) ?? '')?.[0])
}
const expectUnread = (page: Page, count: number) =>
  expect(page.getByRole('link', { name: `Mensagens, ${count} não lidas` })).toBeVisible({ timeout: 10_000 })

/** Marks every page that is loaded, to show that it was never loaded again. */
async function expectNoReload(page: Page, work: () => Promise<void>): Promise<void> {
  await page.evaluate(() => document.body.setAttribute('data-stays', ''))
  await work()
  await expect(page.locator('body[data-stays]')).toHaveCount(1)
}

async function writeAsVisitor(page: Page, name: string): Promise<void> {
  await page.goto('/contato')
  await page.getByLabel('Nome').fill(name)
  await page.getByLabel('E-mail').fill('visita@exemplo.com.br')
  await page.getByLabel('Celular').fill('21987654321')
  await page.getByLabel('Sugestão / Mensagem').fill('Olá')
  await page.getByRole('button', { name: 'Enviar Mensagem' }).click()
  await expect(page.getByText('Mensagem enviada com sucesso!')).toBeVisible({ timeout: 15_000 })
}

test('what a visitor writes shows in the badge, the title and the list at once', async ({
  page,
  browser,
  demo,
}) => {
  const visitor = await (await browser.newContext({ baseURL: demo.url, locale: 'pt-BR' })).newPage()
  await signInAsAdmin(page)
  const before = await unreadIn(page)
  await expect(page).toHaveTitle(new RegExp(`^\\(${before}\\) Vendas · Relatórios · `))
  await expectNoReload(page, async () => {
    await writeAsVisitor(visitor, 'Visita Um')
    await expectUnread(page, before + 1)
    await expect(page).toHaveTitle(new RegExp(`^\\(${before + 1}\\) Vendas · Relatórios · `))
    await page.getByRole('link', { name: /^Mensagens/ }).click()
    await expect(cardOf(page, 'Visita Um')).toBeVisible()
    await expect(page).toHaveTitle(new RegExp(`^\\(${before + 1}\\) Mensagens de Suporte · `))
    await writeAsVisitor(visitor, 'Visita Dois')
    await expect(cardOf(page, 'Visita Dois')).toBeVisible()
    await expect(page.getByRole('article').first()).toContainText('Visita Dois')
    await expectUnread(page, before + 2)
  })
  await visitor.context().close()
})

test('what another administrator does is followed too, in every tab by one stream', async ({
  page,
  browser,
  demo,
}) => {
  await sendMessages(demo, { name: 'Lida por outra' }, { name: 'Excluída por outra' })
  await signInAsAdmin(page)
  await page.goto('/mensagens')
  const secondTab = await page.context().newPage()
  const ownStreams: string[] = []
  secondTab.on('request', (request) => {
    if (request.url().endsWith('/changes')) ownStreams.push(request.url())
  })
  await secondTab.goto('/mensagens?q=outra')
  await expect(secondTab.getByRole('article')).toHaveCount(2)
  const before = await unreadIn(page)

  const other = await (await browser.newContext({ baseURL: demo.url, locale: 'pt-BR' })).newPage()
  await signInAsAdmin(other)
  await other.goto('/mensagens')
  await cardOf(other, 'Lida por outra').getByRole('button', { name: 'Marcar como lida' }).click()
  await cardOf(other, 'Excluída por outra').getByRole('button', { name: 'Excluir' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Excluir' }).click()
  for (const tab of [page, secondTab]) {
    await expect(cardOf(tab, 'Lida por outra').getByText('Nova')).toHaveCount(0)
    await expect(cardOf(tab, 'Excluída por outra')).toHaveCount(0)
    await expectUnread(tab, before - 2)
  }
  expect(ownStreams).toEqual([])
  // It takes over when the tab that had the stream goes.
  await page.close()
  await expect.poll(() => ownStreams.length).toBe(1)
  await other.context().close()
})

test('after a break the list catches up by the stream itself', async ({ page, demo }) => {
  await page.route(CHANGES, (route) => route.abort())
  await signInAsAdmin(page)
  await page.goto('/mensagens')
  await expect(page.getByRole('article').first()).toBeVisible()
  await sendMessages(demo, { name: 'Durante a pausa' })
  await expect(cardOf(page, 'Durante a pausa')).toHaveCount(0)
  let isOpen = false
  page.on('response', (response) => {
    if (response.url().endsWith('/changes') && response.ok()) isOpen = true
  })
  await page.unroute(CHANGES)
  await expect(cardOf(page, 'Durante a pausa')).toBeVisible({ timeout: 20_000 })
  expect(isOpen).toBe(true)
})

test('what changes while the browser is offline is there when it comes back', async ({
  page,
  demo,
  context,
}) => {
  await signInAsAdmin(page)
  await page.goto('/mensagens')
  await expect(page.getByRole('article').first()).toBeVisible()
  await context.setOffline(true)
  await sendMessages(demo, { name: 'Sem rede' })
  await expect(cardOf(page, 'Sem rede')).toHaveCount(0)
  await context.setOffline(false)
  await expect(cardOf(page, 'Sem rede')).toBeVisible({ timeout: 20_000 })
})

test('without a stream the page asks every 15 seconds, while it is seen', async ({ page, demo }) => {
  await page.route(CHANGES, (route) =>
    route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'rate-limited', detail: 'Muitas.' }),
    }),
  )
  await signInAsAdmin(page)
  await page.goto('/mensagens')
  await expect(page.getByRole('article').first()).toBeVisible()
  await sendMessages(demo, { name: 'Sem fluxo' })
  await expect(cardOf(page, 'Sem fluxo')).toBeVisible({ timeout: 20_000 })
})

test('it ends with the session', async ({ page }) => {
  let ended = 0
  page.on('requestfailed', (request) => {
    if (request.url().endsWith('/changes')) ended += 1
  })
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
  // Neither the stream's next try nor the question of every 15 seconds comes.
  await page.clock.fastForward(60_000)
  expect(again.filter((url) => url.includes('support-messages'))).toEqual([])
})
