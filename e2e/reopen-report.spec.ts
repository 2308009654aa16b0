import type { Page } from '@playwright/test'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'

const getReportCard = (page: Page, area: string) => getReportFrame(page, area).locator('[data-card]').first()

/** A change to the person's areas or approval, made on the server. */
type Change = { types?: string[]; approved?: boolean }

test('ten consecutive reloads each show the report in one frame', async ({ page }) => {
  await openAs(page, 'vendas.rj')
  for (let reload = 1; reload <= 10; reload++) {
    await page.reload()
    await expect(getReportCard(page, 'Vendas')).toBeVisible()
    expect(await page.locator('iframe').count(), `frames after reload ${reload}`).toBe(1)
  }
  await page.getByRole('tab', { name: 'CRM' }).click()
  await expect(getReportCard(page, 'CRM')).toBeVisible()
  await page.reload()
  await expect(getReportCard(page, 'CRM')).toBeVisible()
  await expect(page.locator('iframe')).toHaveCount(1)
})

test('changed entitlements apply after a reload, and a new approval restores every area', async ({
  page,
  portal,
}) => {
  const change = (to: Change) =>
    portal.database.db
      .updateTable('profiles')
      .set(to)
      .where('email', '=', 'vendas.rj@grupopatio.com.br')
      .execute()
  await change({ types: ['HPD', 'CRM'] })
  await openAs(page, 'vendas.rj')
  await expect(getReportCard(page, 'HPD')).toBeVisible()

  await change({ approved: false })
  await page.reload()
  await expect(page.getByText(/^Sua conta está pendente de aprovação/)).toBeVisible()
  await expect(page.locator('iframe')).toHaveCount(0)

  // Without the stream, the button asks.
  await page.route('**/api/changes', (route) => route.abort())
  await page.reload()
  await expect(page.getByText(/^Sua conta está pendente de aprovação/)).toBeVisible()
  await change({ approved: true })
  await page.getByRole('button', { name: 'Verificar agora' }).click()
  await expect(getReportCard(page, 'HPD')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText(['HPD', 'CRM'])

  await change({ types: ['CRM'] })
  await page.reload()
  await expect(getReportCard(page, 'CRM')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText(['CRM'])
  await expect(page.getByText(/Erro ao gerar token/)).toHaveCount(0)
})
