import { expect, getReportFrame, openAs, signIn, test } from './portal-fixture.ts'

test('an expiring embed token is renewed without reloading the frame', async ({ page, portal, demo }) => {
  await page.clock.install()
  await demo.script({ on: 'generateToken', tokenLifeS: 60, times: 1 })
  await openAs(page, 'vendas.rj')
  const report = getReportFrame(page, 'Vendas')
  await expect(report.locator('[data-card]').first()).toBeVisible()
  const frame = page.frames().find((candidate) => candidate.url().includes('reportEmbed'))
  await frame?.evaluate(() => {
    document.body.dataset.witness = 'the same document'
    window.addEventListener('message', ({ data }) => {
      if (data.url === '/report/token') document.body.dataset.renewed = ''
    })
  })
  // The portal too would cache the first token for most of its life.
  portal.advance(50_000)
  await page.clock.fastForward(50_000)
  await expect(report.locator('body')).toHaveAttribute('data-renewed')
  // After the first token's expiry: a frame that still had it would report TokenExpired.
  await page.clock.fastForward(30_000)
  await expect(report.locator('body')).toHaveAttribute('data-witness', 'the same document')
  await report
    .getByRole('button', { name: /estado/i })
    .first()
    .click()
  await expect(report.locator('[data-card]').first()).toBeVisible()
  await expect(page.getByText('Erro ao carregar o relatório do Power BI')).toHaveCount(0)
})

test('an outage beyond the token’s expiry is recovered from', async ({ page, portal, demo }) => {
  await page.clock.install()
  await demo.script({ on: 'generateToken', tokenLifeS: 60, times: 1 })
  await openAs(page, 'vendas.rj')
  const card = getReportFrame(page, 'Vendas').locator('[data-card]').first()
  await expect(card).toBeVisible()
  await page.route('**/api/functions/get-powerbi-token', (route) => route.abort())
  portal.advance(70_000)
  await page.clock.fastForward(70_000)
  await expect(page.getByText('Tentando reconectar…')).toBeVisible()
  await expect(page.getByText('Recarregue a página')).toHaveCount(0)
  await page.unroute('**/api/functions/get-powerbi-token')
  await page.clock.fastForward(60_000)
  await expect(page.getByText('Tentando reconectar…')).toHaveCount(0)
  await expect(card).toBeVisible()
})

for (const hours of [-5, 5])
  test(`a browser clock that is wrong by ${hours} hours ends no session and no report`, async ({
    page,
    demo,
  }) => {
    await page.addInitScript((ms) => {
      // The emulated report judges its token by the browser's clock, unlike Power BI.
      if (window !== top) return
      const now = Date.now
      Date.now = () => now.call(Date) + ms
    }, hours * 3_600_000)
    await demo.script({ on: 'generateToken', tokenLifeS: 10, times: 1 })
    let [issued, refreshed] = [0, 0]
    page.on('response', (response) => {
      if (response.url().endsWith('grant_type=refresh_token')) refreshed += 1
      if (response.url().endsWith('/get-powerbi-token') && response.ok()) issued += 1
    })
    await signIn(page, 'vendas.rj')
    const card = getReportFrame(page, 'Vendas').locator('[data-card]').first()
    // Both areas, and the short-lived token once more.
    await expect.poll(() => issued, { timeout: 20_000 }).toBeGreaterThanOrEqual(3)
    await expect(card).toBeVisible()
    await page.reload()
    await expect(card).toBeVisible()
    await expect(page).toHaveURL(/\/power-bi/)
    await expect(page.getByText('Erro ao carregar o relatório do Power BI')).toHaveCount(0)
    // The session is new: its token is good for minutes.
    expect(refreshed).toBe(0)
  })
