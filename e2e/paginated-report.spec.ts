import type { Page } from '@playwright/test'
import { EMULATED_PAGINATED_REPORT } from '#emulators/power-bi/catalogue.ts'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'

const MINUTE = 60_000
const RELOADED = 'O relatório Vendas foi recarregado'

test.beforeEach(async ({ page, portal, demo }) => {
  const { workspaceId, reportId, datasetId } = EMULATED_PAGINATED_REPORT
  await portal.database.db
    .updateTable('global_powerbi_settings')
    .set({ workspace_id: workspaceId, report_id: reportId, dataset_id: datasetId })
    .where('type', '=', 'vendas')
    .execute()
  await page.clock.install()
  // The server first asks for a token as if the report were an ordinary one.
  await demo.script({ on: 'generateToken', tokenLifeS: 600, times: 2 })
})

const getTable = (page: Page) => getReportFrame(page, 'Vendas').getByRole('table')
/** Marks the frame's document, which a reload replaces. */
const markFrame = async (page: Page) => {
  await expect(getTable(page)).toBeVisible({ timeout: 30_000 })
  const frame = page.frames().find((candidate) => candidate.url().includes('rdlEmbed'))
  await frame?.evaluate(() => {
    document.body.dataset.witness = ''
    window.addEventListener('message', ({ data }) => {
      if (data.url === '/report/token') document.body.dataset.renewed = ''
    })
  })
  return getReportFrame(page, 'Vendas').locator('body')
}

test('a paginated report is reloaded with a new token while nobody acts, and says so', async ({
  page,
  portal,
}) => {
  await openAs(page, 'vendas.rj')
  const body = await markFrame(page)
  portal.advance(8.5 * MINUTE)
  await page.clock.fastForward(8.5 * MINUTE)
  await page.clock.runFor(2_000)
  await expect(page.getByText(RELOADED)).toBeVisible()
  await expect(page.getByText('Se você tinha mudado os parâmetros, escolha-os de novo.')).toBeVisible()
  await expect(getTable(page)).toBeVisible()
  await expect(body).not.toHaveAttribute('data-witness')
  // After the end of the first token.
  await page.clock.fastForward(2 * MINUTE)
  await expect(getReportFrame(page, 'Vendas').getByText('O acesso a este relatório expirou.')).toHaveCount(0)
})

test('a reload waits for somebody who acts, but not beyond the last minute', async ({ page, portal }) => {
  await openAs(page, 'vendas.rj')
  const body = await markFrame(page)
  portal.advance(8.5 * MINUTE)
  // The focus in the frame shows that somebody may act there.
  await page.locator('iframe').first().focus()
  await page.clock.fastForward(8.5 * MINUTE)
  const renewed = page.waitForResponse('**/get-powerbi-token')
  await page.clock.runFor(2_000)
  await renewed
  await page.clock.runFor(10_000)
  await expect(body).toHaveAttribute('data-witness')
  await expect(body).not.toHaveAttribute('data-renewed')
  await page.clock.fastForward(MINUTE)
  await page.clock.runFor(2_000)
  await expect(page.getByText(RELOADED)).toBeVisible()
  await expect(body).not.toHaveAttribute('data-witness')
  await expect(getTable(page)).toBeVisible()
})

test('without a token in time it reconnects, and returns with the next one', async ({ page, portal }) => {
  const reconnecting = page.getByText('Tentando reconectar…')
  await openAs(page, 'vendas.rj')
  await markFrame(page)
  await page.route('**/api/functions/get-powerbi-token', (route) => route.abort())
  portal.advance(11 * MINUTE)
  await page.clock.fastForward(11 * MINUTE)
  await page.clock.runFor(2_000)
  await expect(reconnecting).toBeVisible()
  await page.unroute('**/api/functions/get-powerbi-token')
  await page.clock.fastForward(MINUTE)
  await expect(reconnecting).toHaveCount(0)
  await expect(page.getByText(RELOADED)).toBeVisible()
  await expect(getTable(page)).toBeVisible()
})

test('TokenExpired is never shown as a report', async ({ page, demo }) => {
  await openAs(page, 'vendas.rj')
  const body = await markFrame(page)
  await page.route('**/api/functions/get-powerbi-token', (route) => route.abort())
  await demo.script({ on: 'frame', message: 'TokenExpired', errorCode: '403' })
  await page.clock.runFor(2_000)
  await expect(page.getByText('Tentando reconectar…')).toBeVisible()
  await page.unroute('**/api/functions/get-powerbi-token')
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByText('Tentando reconectar…')).toHaveCount(0)
  await expect(body).not.toHaveAttribute('data-witness')
  await expect(getTable(page)).toBeVisible()
})
