import { getEmulatedReport } from '#server/testing/builders.ts'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'

const PHONE = { width: 390, height: 844 }

test('the age of the data is always in sight', async ({ page }) => {
  await openAs(page, 'diretoria')
  for (const width of [1440, 1180, 768, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const age = page.getByTitle(/^Dados de (hoje|ontem), \d\d:\d\d$/)
    await expect(age).toBeInViewport({ ratio: 1 })
    const isCut = () =>
      age.evaluate((line) =>
        [...line.children].some(
          ({ clientWidth, scrollWidth }) => clientWidth > 1 && scrollWidth > clientWidth,
        ),
      )
    await expect.poll(isCut).toBe(false)
  }
})

test('no tab moves when the age of the data arrives', async ({ page }) => {
  let isHeld = Promise.withResolvers<void>()
  let hasFailed = false
  let days = 0
  await page.route('**/last-refresh', async (route) => {
    await isHeld.promise
    const refreshedAt = new Date(Date.now() - days * 86_400_000).toISOString()
    await route.fulfill({ json: { refreshedAt, hasFailed } })
  })
  await openAs(page, 'diretoria', '/api/health/live')
  const x = async () => (await page.getByRole('tab', { name: 'Vendas' }).boundingBox())?.x
  for (const [width, failed, age] of [
    [1024, false, 0],
    [1024, false, 1],
    [1024, false, 9],
    [1440, false, 9],
    [1024, true, 0],
    [1180, true, 1],
    [1440, true, 9],
    [1920, true, 0],
  ] as const) {
    hasFailed = failed
    days = age
    isHeld = Promise.withResolvers()
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/power-bi')
    await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
    const before = await x()
    const views = page.getByRole('button', { name: 'Visões' }).getByText('Visões')
    expect(await views.evaluate((name) => name.scrollWidth - name.clientWidth), `${width} px`).toBe(0)
    isHeld.resolve()
    await expect(page.getByTitle(hasFailed ? /falhou · dados de/ : /^Dados de/)).toBeVisible()
    expect(await x(), `${width} px, ${days} days`).toBe(before)
  }
})

test('a dot marks the tab of a report that is not open and whose refresh failed', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  const { reportId } = getEmulatedReport('Vendas')
  await page.route('**/last-refresh', (route) => {
    const hasFailed = !route.request().url().includes(reportId)
    return route.fulfill({ json: { refreshedAt: '2026-11-22T21:02:00Z', hasFailed } })
  })
  await openAs(page, 'vendas.rj')
  const dot = page.getByRole('tab').getByRole('img')
  await expect(dot).toHaveAttribute('title', 'A última atualização de CRM falhou')
  expect(await dot.evaluate((element) => getComputedStyle(element).borderTopWidth)).toBe('4px')
  await expect(page.getByTitle(/^Dados de/)).toBeVisible()
})

test.describe('on a phone', () => {
  test.use({ viewport: PHONE, hasTouch: true, isMobile: true })

  test('a failed refresh is shown beside the buttons, not below them', async ({ page }) => {
    await page.route('**/last-refresh', (route) =>
      route.fulfill({ json: { refreshedAt: new Date().toISOString(), hasFailed: true } }),
    )
    await openAs(page, 'admin')
    const age = page.getByRole('banner').getByText(/^Falhou · hoje, \d\d:\d\d$/)
    await expect(age).toBeVisible()
    const button = page.getByRole('button', { name: 'Ações do relatório' })
    const [text, menu] = [await age.boundingBox(), await button.boundingBox()]
    expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual(menu?.x ?? 0)
  })

  test('name and age stand on top; views and account within reach of the thumb', async ({ page }) => {
    await openAs(page, 'diretoria')
    await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
    const header = page.getByRole('banner')
    await expect(header).toContainText(/Vendas.*Dados de (hoje|ontem), \d\d:\d\d/)
    const bar = page.getByRole('navigation', { name: 'Barra inferior' })
    await expect(bar.getByRole('link', { name: 'Relatórios' })).toHaveAttribute('aria-current', 'page')
    expect((await bar.boundingBox())?.y).toBeGreaterThan(PHONE.height - 70)
    await bar.getByRole('button', { name: 'Visões' }).click()
    await expect(page.getByRole('button', { name: 'Salvar visão atual' })).toBeVisible()
    await page.keyboard.press('Escape')
    await bar.getByRole('button', { name: 'Conta' }).click()
    const account = page.getByRole('dialog', { name: 'Conta' })
    await expect(account.getByRole('link', { name: 'Minha conta' })).toBeFocused()
    for (const name of ['Site do grupo', 'Concessionárias', 'Contato'])
      await expect(account.getByRole('link', { name })).toBeVisible()
    await account.getByRole('link', { name: 'Minha conta' }).click()
    await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
    await expect(header).not.toContainText('Vendas')
    await bar.getByRole('link', { name: 'Relatórios' }).click()
    await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
    await bar.getByRole('button', { name: 'Conta' }).click()
    await page.getByRole('button', { name: 'Sair' }).click()
    await expect(page).toHaveURL(/\/login$/)
  })

  test('administrators keep messages and administration with their badges on top', async ({ page }) => {
    await openAs(page, 'admin')
    const header = page.getByRole('banner')
    await expect(header.getByRole('link', { name: /^Mensagens, \d+ não lidas?$/ })).toBeInViewport()
    await header.getByRole('link', { name: /^Administração, \d+ aguarda/ }).click()
    await expect(page).toHaveURL(/\/admin/)
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await overflow()).toBe(0)
  })
})
