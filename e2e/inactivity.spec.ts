import type { Page } from '@playwright/test'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'

const WARNING = 'Sua sessão expirará em 2 minutos devido à inatividade.'
const EXPIRED = 'Sessão expirada devido à inatividade. Faça login novamente.'

async function openReports(page: Page): Promise<void> {
  await openAs(page, 'vendas.rj')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
}

/** Acts and waits until the page knows of it: only then may its clock advance. */
async function recordUse(page: Page, use: () => Promise<void>): Promise<void> {
  const lastActivity = () => page.evaluate(() => localStorage.getItem('patio.last-activity'))
  const before = await lastActivity()
  await use()
  await expect.poll(lastActivity).not.toBe(before)
}

test('inactivity shows a warning after 28 minutes and signs out after 30, in every tab', async ({
  page,
  context,
}) => {
  await page.clock.install()
  await openReports(page)
  const other = await context.newPage()
  await other.goto('/profile')
  await expect(other).toHaveURL('/profile')

  await page.clock.fastForward('20:00')
  // Storage reaches another tab a moment later.
  await recordUse(other, () => page.mouse.move(200, 20))
  await page.clock.fastForward('20:00')
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByText(WARNING)).toHaveCount(0)

  await page.clock.fastForward('08:30')
  await expect(page.getByText(WARNING)).toBeVisible()
  await expect(other.getByText(WARNING)).toBeVisible()
  await page.clock.fastForward('01:40')
  for (const tab of [page, other]) {
    await expect(tab).toHaveURL('/login')
    await expect(tab.getByText(EXPIRED)).toBeVisible()
  }
  expect(await page.evaluate(() => localStorage.getItem('patio.session'))).toBeNull()
})

// Within the token's 30 minutes: the emulated report follows the fake clock too.
test('a click into the report’s frame counts as activity, detected by the loss of focus', async ({
  page,
}) => {
  await page.clock.install()
  await openReports(page)
  await page.clock.fastForward('20:00')
  await recordUse(page, () => getReportFrame(page, 'Vendas').getByRole('heading').first().click())
  await page.clock.fastForward('12:00')
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByText(WARNING)).toHaveCount(0)
})

test('use of the report inside its frame counts as activity, by the report’s events', async ({ page }) => {
  await page.clock.install()
  await openReports(page)
  const report = getReportFrame(page, 'Vendas')
  await report.getByRole('heading').first().click()
  await page.clock.fastForward('20:00')
  const state = report.getByRole('button', { name: /estado/i }).first()
  await recordUse(page, () => state.click())
  await page.clock.fastForward('12:00')
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByText(WARNING)).toHaveCount(0)
  await page.clock.fastForward('19:00')
  await expect(page).toHaveURL('/login')
  await expect(page.getByText(EXPIRED)).toBeVisible()
})

test('while the warning shows, mouse, wheel and keys over a frame count as activity, but not a resting mouse', async ({
  page,
  demo,
}) => {
  // Longer than the test: a jump of the clock would time out a renewal.
  await demo.script({ on: 'generateToken', tokenLifeS: 4 * 3_600, times: 9 })
  await page.clock.install()
  await openReports(page)
  const heading = getReportFrame(page, 'Vendas').getByRole('heading').first()
  const warning = page.getByRole('alert').filter({ hasText: WARNING })
  const box = await heading.boundingBox()
  const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 10]
  for (const read of [
    () => page.mouse.move(x + 40, y, { steps: 4 }),
    () => page.mouse.wheel(0, 40),
    () => page.keyboard.press('ArrowDown'),
  ]) {
    await heading.click({ position: { x: 20, y: 10 } })
    await page.clock.fastForward('28:30')
    await expect(warning).toContainText(/Faltam 1:(30|2\d)\./)
    await expect(warning.getByRole('button', { name: 'Continuar conectado' })).toBeVisible()
    await expect(page).toHaveTitle(/^Sessão expira em 1:\d\d · Vendas · Relatórios/)
    await read()
    await expect(warning).toBeHidden()
    await expect(page).toHaveTitle(/^Vendas · Relatórios/)
  }
  await page.clock.fastForward('28:30')
  await expect(warning).toBeVisible()
  await page.clock.fastForward('01:40')
  await expect(page).toHaveURL('/login')
})
