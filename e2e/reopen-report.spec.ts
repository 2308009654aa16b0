import type { Page } from '@playwright/test'
import { expect, newSessionOf, openAs, reportOf, test } from './portal-fixture.ts'

const MEMORY = 'patio.last-report'
const frameOf = (page: Page, area: string) => page.locator(`iframe[title="${area}"]`)
const cardOf = (page: Page, area: string) => reportOf(page, area).locator('[data-card]').first()
const readMemory = (page: Page) => page.evaluate((key) => localStorage.getItem(key), MEMORY)

/** Holds the answers of a path back. @returns a function that lets them through */
async function hold(page: Page, path: string): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    await gate.promise
    await route.continue()
  })
  return gate.resolve
}

/** What becomes of the person's areas, or of the approval, behind the page's back. */
type Change = { types?: string[]; approved?: boolean }

test.beforeEach(async ({ page }) => {
  await openAs(page, 'vendas.rj')
  await expect(cardOf(page, 'Vendas')).toBeVisible()
})

test('the frame of the report that was open starts before anything is answered, and its token is asked for beside it', async ({
  page,
}) => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/get-powerbi-token')) asked.push(request.postDataJSON().reportId)
  })
  const answer = await hold(page, '**/api/reports/me')
  await page.reload()
  await expect(frameOf(page, 'Vendas')).toBeAttached()
  await expect.poll(() => asked.length).toBe(1)
  await expect(page.getByRole('tab')).toHaveCount(0)
  await frameOf(page, 'Vendas').evaluate((frame) => Object.assign(frame, { isFirst: true }))
  answer()
  await expect(cardOf(page, 'Vendas')).toBeVisible()
  // The frame that was begun is the one that shows, with the token that was asked for.
  expect(await frameOf(page, 'Vendas').evaluate((frame) => 'isFirst' in frame)).toBe(true)
  expect(asked.filter((id) => id === asked[0])).toHaveLength(1)
  const memory = Object.keys(JSON.parse((await readMemory(page)) ?? ''))
  expect(memory.sort()).toEqual(['emailVerified', 'estados', 'first', 'marcas', 'open', 'userId'])

  await page.getByRole('tab', { name: 'CRM' }).click()
  await expect(cardOf(page, 'CRM')).toBeVisible()
  await page.reload()
  await expect(frameOf(page, 'CRM')).toBeAttached()
  await expect(frameOf(page, 'Vendas')).toHaveCount(0)
})

test('the frame starts before the portal itself is there, which takes it over as it is, or drops it where the session has ended', async ({
  page,
  context,
}) => {
  const asked: string[] = []
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname
    if (/reportEmbed$|reports\/me$/.test(path)) asked.push(path.split('/').at(-1) as string)
    if (path.endsWith('/get-powerbi-token')) asked.push(request.postDataJSON().reportId)
  })
  const { reportId } = JSON.parse((await readMemory(page)) ?? '').open
  const start = await hold(page, '**/assets/libraries-*.js')
  await page.reload({ waitUntil: 'commit' })
  await expect(frameOf(page, 'Vendas')).toBeAttached()
  await expect.poll(() => asked.toSorted()).toEqual([reportId, 'me', 'reportEmbed'].toSorted())
  start()
  await expect(cardOf(page, 'Vendas')).toBeVisible()
  expect(asked.filter((each) => ['me', 'reportEmbed', reportId].includes(each))).toHaveLength(3)

  const startAgain = await hold(page, '**/assets/libraries-*.js')
  await page.reload({ waitUntil: 'commit' })
  await expect(frameOf(page, 'Vendas')).toBeAttached()
  const other = await context.newPage()
  await other.goto('/brand.css')
  await other.evaluate(() => localStorage.removeItem('patio.session'))
  await expect(page.locator('iframe')).toHaveCount(0)
  startAgain()
  await expect(page).toHaveURL('/login')
})

test('nobody else sees a frame of it: signing out forgets it, and it is bound to the person', async ({
  page,
}) => {
  const memory = await readMemory(page)
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect(page).toHaveURL('/login')
  expect(await readMemory(page)).toBeNull()

  // Even if it had been left behind.
  const session = await newSessionOf('naoverificado')
  const left = { [MEMORY]: memory as string, 'patio.session': JSON.stringify(session) }
  await page.evaluate((items) => Object.assign(localStorage, items), left)
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('iframe')) return
      performance.mark('frame')
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto('/power-bi')
  await expect(cardOf(page, 'Vendas')).toBeVisible()
  const [framed, answered] = await page.evaluate(() => [
    performance.getEntriesByName('frame')[0]?.startTime ?? 0,
    (performance.getEntriesByName(`${location.origin}/api/reports/me`)[0] as PerformanceResourceTiming)
      .responseEnd,
  ])
  expect(framed).toBeGreaterThan(answered as number)
})

test('what has been revoked meanwhile is dropped with the answer, unsaid, and its token is not made', async ({
  page,
  portal,
  demo,
}) => {
  const change = (to: Change) =>
    portal.database.db
      .updateTable('profiles')
      .set(to)
      .where('email', '=', 'vendas.rj@grupopatio.com.br')
      .execute()
  const { reportId } = JSON.parse((await readMemory(page)) ?? '').open
  await change({ types: ['CRM'] })
  await demo.reset()
  const answer = await hold(page, '**/api/reports/me')
  const refused = page.waitForResponse('**/get-powerbi-token')
  await page.reload()
  await expect(frameOf(page, 'Vendas')).toBeAttached()
  expect((await refused).status()).toBe(404)
  answer()
  await expect(page.getByRole('tab')).toHaveText(['CRM'])
  await expect(frameOf(page, 'Vendas')).toHaveCount(0)
  await expect(cardOf(page, 'CRM')).toBeVisible()
  await expect(page.getByText(/Erro ao gerar token/)).toHaveCount(0)
  expect(JSON.stringify(await demo.calls())).not.toContain(reportId)

  await change({ approved: false })
  await page.reload()
  await expect(page.getByText(/^Sua conta está pendente de aprovação/)).toBeVisible()
  await expect(page.locator('iframe')).toHaveCount(0)
})

test('a memory that is wrong or broken ends in the right report', async ({ page, demo }) => {
  const memory = JSON.parse((await readMemory(page)) ?? '')
  const { cards } = await demo.data('area=Vendas&marcas=FIAT,JEEP&estados=RJ')
  const wrong = { ...memory, marcas: ['BYD'], first: { ...memory.first, reportId: 'another' } }
  for (const left of [JSON.stringify(wrong), JSON.stringify({ ...memory, marcas: undefined }), '{']) {
    await page.evaluate(
      ([key, value]) => localStorage.setItem(key as string, value as string),
      [MEMORY, left],
    )
    await page.reload()
    for (const card of cards)
      await expect(reportOf(page, 'Vendas').locator(`[data-card="${card.id}"] [data-value]`)).toHaveText(
        card.formatted,
      )
  }
})
