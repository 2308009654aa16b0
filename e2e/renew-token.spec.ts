import { expect, reportOf, signIn, test } from './portal-fixture.ts'

// The short token is scripted into a call that a remembered one would save.
test.use({ ownPortal: 'renew-token' })

test('a token of 60 seconds is renewed without a reload of the frame', async ({ page, demo }) => {
  test.setTimeout(120_000)
  await demo.script({ on: 'generateToken', tokenLifeS: 60, times: 1 })
  await signIn(page, 'vendas.rj')
  const report = reportOf(page, 'Vendas')
  await expect(report.locator('[data-card]').first()).toBeVisible()
  const frame = page.frames().find((candidate) => candidate.url().includes('reportEmbed'))
  await frame?.evaluate(() => {
    document.body.dataset.witness = 'the same document'
  })
  const renewed = page.waitForRequest('**/api/functions/get-powerbi-token', { timeout: 60_000 })
  await renewed
  // Past the end of the first token: a frame that had kept it would say TokenExpired by now.
  await page.waitForTimeout(25_000)
  await expect(report.locator('body')).toHaveAttribute('data-witness', 'the same document')
  await report
    .getByRole('button', { name: /estado/i })
    .first()
    .click()
  await expect(report.locator('[data-card]').first()).toBeVisible()
  await expect(page.getByText('Erro ao carregar o relatório do Power BI')).toHaveCount(0)
})
