import { findSeriousViolations } from './axe-findings.ts'
import { expect, openAs, test } from './portal-fixture.ts'

test('the service status and ‘Saúde do portal’ show a failure, its start and what to do, until it is resolved', async ({
  page,
  demo,
}) => {
  test.setTimeout(120_000)
  // The overview calls Power BI too, and would show the fault before the press.
  const overview = page.waitForResponse('**/api/global-powerbi-settings/states')
  await openAs(page, 'admin', '/admin')
  await overview
  // Unknown before the first use, which is not green.
  const isWell = page.getByRole('link', { name: /^Saúde do portal (em ordem|ainda sem notícia de )/ })
  await expect(isWell).toBeVisible()
  await demo.script({ on: 'directory', status: 503, times: 1_000 })
  await isWell.click()
  const checks = page.getByRole('list', { name: 'Verificações' }).getByRole('listitem')
  await expect(checks.first()).toContainText(/Falha: Power BI: .*login\.microsoftonline\.com/, {
    timeout: 40_000,
  })
  await expect(page.getByRole('status').filter({ hasText: 'Verificado em' })).toContainText('1 falha e ')
  await page.getByText('Configuração: de onde vem cada valor').click()
  await expect(page.getByText('SESSION_SECRET: não definida.')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await findSeriousViolations(page)).toEqual([])

  await page.getByRole('link', { name: 'Visão geral' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'Power BI com problema desde' })
  await expect(alert).toContainText('Os relatórios podem não abrir.')
  await expect(isWell).toHaveCount(0)
  expect(await findSeriousViolations(page)).toEqual([])
  await demo.reset()
  await alert.getByRole('link', { name: 'Ver a saúde do portal' }).click()
  await page.getByRole('button', { name: 'Verificar de novo' }).click()
  await expect(checks.filter({ hasText: 'Em ordem: Power BI: as credenciais valem' })).toBeVisible({
    timeout: 40_000,
  })
  await page.goto('/admin')
  await expect(page.getByRole('link', { name: /^(Tudo|Saúde do portal) em ordem$/ })).toBeVisible()
})
