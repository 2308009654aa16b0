import type { Page } from '@playwright/test'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'
import { openSettings, save, toast, VENDAS } from './settings-card.ts'

const ADDRESS = `https://app.powerbi.com/groups/${VENDAS.workspaceId}/reports/${VENDAS.reportId}`

/** Pastes a link into the form of Vendas, saves, and opens the report as a reader. */
async function openFrom(page: Page, link: string) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const form = await openSettings(page, 'Vendas')
  const dataset = form.getByLabel('Dataset ID (opcional)')
  const datasetId = await dataset.inputValue()
  await page.evaluate((text) => navigator.clipboard.writeText(text), link)
  await form.getByLabel('Report ID').focus()
  await page.keyboard.press('Control+V')
  await dataset.fill(datasetId)
  await save(page)
  await expect(toast(page, 'Configuração do Power BI para Vendas salva com sucesso')).toBeVisible()
  await openAs(page, 'vendas.rj')
  const report = getReportFrame(page, 'Vendas')
  const openPage = report.locator('[data-key^="page-"][aria-current="page"]')
  // The person's own marcas, whatever the bookmark was saved with.
  await expect(report.locator('.scope')).toContainText('FIAT, JEEP  ·  RJ')
  return openPage
}

test('a report opens at the page of the link that was pasted', async ({ page }) => {
  const openPage = await openFrom(page, `${ADDRESS}/detalhe-por-estado?ctid=1`)
  await expect(openPage).toHaveText('Detalhe por estado')
})

test('a report opens at its bookmark, filtered by the marcas of the person', async ({ page }) => {
  const openPage = await openFrom(page, `${ADDRESS}?bookmarkGuid=Bookmarkeb9e787c137d047a58b9`)
  await expect(openPage).toHaveText('Detalhe por estado')
})

test('a report without that bookmark opens as it was published', async ({ page }) => {
  const openPage = await openFrom(page, `${ADDRESS}?bookmarkGuid=Bookmark0000`)
  await expect(openPage).toHaveText('Visão geral')
})
