import { readFileSync } from 'node:fs'
import { findSeriousViolations } from './axe-findings.ts'
import { expect, openAs, test } from './portal-fixture.ts'
import { hasHorizontalOverflow } from './user-table-fixture.ts'

test('‘Uso’ answers who comes and what is read, for the time in its address', async ({ page }) => {
  test.setTimeout(120_000)
  await openAs(page, 'admin', '/admin/uso')
  const main = page.getByRole('main')
  await expect(main.getByRole('region', { name: 'Ninguém abriu' })).toContainText('Gerentes')
  await expect(main.getByRole('region', { name: 'Falharam ao abrir' })).toContainText('HPD')
  await expect(main.getByRole('figure', { name: 'Pessoas por dia' })).toBeVisible()
  expect(await findSeriousViolations(page)).toEqual([])

  await main.getByRole('link', { name: '12 meses' }).click()
  await expect(page).toHaveURL(/\?from=\d{4}-\d\d-01&to=[\d-]+&by=month$/)
  await expect(main.getByRole('figure', { name: 'Pessoas por mês' })).toBeVisible()
  await main.getByText('Os números dos gráficos').click()
  const numbers = main.getByRole('table', { name: 'Números dos gráficos' })
  await expect(numbers.getByRole('row')).toHaveCount(13)
  const downloading = page.waitForEvent('download')
  await main.getByRole('button', { name: 'Baixar CSV' }).click()
  const csv = readFileSync(await (await downloading).path(), 'utf8')
  expect(csv).toMatch(/Vendas;\d+;\d+;\d+,\d;/)
  // The month before the current one, by day.
  await numbers.getByRole('link').nth(1).click()
  await expect(page).toHaveURL(/\?from=\d{4}-\d\d-01&to=\d{4}-\d\d-\d\d&by=day$/)
  await expect(main.getByRole('figure', { name: 'Pessoas por dia' })).toBeVisible()

  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(() => hasHorizontalOverflow(page)).toBe(false)
  const wanted = main.getByRole('checkbox', { name: 'Receber por e-mail um resumo no começo de cada mês' })
  await wanted.click()
  await expect(wanted).toBeChecked()
  await page.reload()
  await expect(wanted).toBeChecked()

  await main
    .getByRole('region', { name: 'Nunca vieram' })
    .getByRole('listitem')
    .first()
    .getByRole('link')
    .click()
  await expect(page).toHaveURL(/\/admin\/pessoas\?pessoa=/)
  await expect(page.getByRole('region', { name: /^Pessoa: / })).toBeVisible()
})

test('an opened report is counted once, and one that fails as a failure', async ({ page }) => {
  const counted: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/usage/timings')) counted.push(request.postDataJSON())
  })
  await page.addInitScript(() => {
    Math.random = () => 0.1
  })
  await openAs(page, 'vendas.rj', '/power-bi')
  await expect
    .poll(() => counted)
    .toEqual([{ report: expect.any(String), outcome: 'shown', ms: expect.any(Number) }])
  await page.getByRole('tab', { name: 'CRM' }).click()
  await expect.poll(() => counted).toHaveLength(2)
  await page.getByRole('tab', { name: 'Vendas' }).click()
  await page.route('**/api/functions/get-powerbi-token', (route) => route.fulfill({ status: 503, json: {} }))
  await page.reload()
  await expect.poll(() => counted).toHaveLength(3)
  expect(counted.slice(1)).toEqual([
    { report: expect.any(String), outcome: 'shown' },
    { report: expect.any(String), outcome: 'failed' },
  ])
})
