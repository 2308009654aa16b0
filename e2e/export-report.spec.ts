import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'

const openDialog = async (page: Page, area: string) => {
  await expect(getReportFrame(page, area).locator('[data-card]').first()).toBeVisible()
  await page.getByRole('button', { name: 'Exportar', exact: true }).click()
  return page.getByRole('dialog', { name: `Exportar ${area}` })
}

const save = async (page: Page) => {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Baixar', exact: true }).click()
  const file = await download
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'latin1') }
}

test('a PDF of what one sees is made in the background, and its file offered in another area', async ({
  page,
  demo,
}) => {
  await openAs(page, 'diretoria')
  const report = getReportFrame(page, 'Vendas')
  await report
    .getByRole('button', { name: /estado/i })
    .first()
    .click()
  await report.getByRole('group', { name: 'Estado' }).getByRole('button', { name: 'MG' }).click()
  const tab = page.getByRole('tab', { name: 'Oficina' })
  const place = await tab.boundingBox()
  await page.getByRole('button', { name: 'Exportar', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Exportar Vendas' })
  await expect(dialog.getByRole('radio', { name: 'Como está agora' })).toBeChecked()
  await dialog.getByRole('button', { name: 'Exportar' }).click()
  await expect(page.getByRole('progressbar', { name: 'Exportando Vendas em PDF' })).toBeVisible()
  expect(await tab.boundingBox()).toEqual(place)
  await page.getByRole('tab', { name: 'Oficina' }).click()
  await expect(page.getByText('Vendas em PDF: o arquivo está pronto')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('progressbar')).toHaveCount(0)
  const { name, text } = await save(page)
  expect(name).toMatch(/^Vendas \d{4}-\d\d-\d\d \d\dh\d\d\.pdf$/)
  expect(text).toMatch(/^%PDF/)
  expect(text).toContain('(Para diretoria@grupopatio.com.br)')
  expect(text).toContain('(Estados: MG)')
  const calls = await demo.calls()
  expect(calls.filter(({ path }) => path.endsWith('/ExportTo'))).toHaveLength(1)
})

test('the end of an export is told on another screen, too', async ({ page, demo }) => {
  await openAs(page, 'vendas.rj')
  const dialog = await openDialog(page, 'Vendas')
  await demo.script({ on: 'exportTo', status: 429, headers: { 'Retry-After': '3' } })
  await dialog.getByRole('button', { name: 'Exportar' }).click()
  await expect(page.getByRole('progressbar', { name: 'Exportando Vendas em PDF' })).toBeVisible()
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
  await expect(page.getByText('Vendas em PDF: o arquivo está pronto')).toBeVisible({ timeout: 30_000 })
  const { text } = await save(page)
  expect(text).toMatch(/^%PDF/)
})

test('an export survives a reload, and its file can be fetched again from the dialog', async ({
  page,
  demo,
}) => {
  await openAs(page, 'vendas.rj')
  const dialog = await openDialog(page, 'Vendas')
  // Power BI is not ready until the dialog has shown that it is not.
  await demo.script({ on: 'exportStatus', body: { status: 'Running', percentComplete: 5 }, times: 999 })
  await dialog.getByText('PowerPoint').click()
  await dialog.getByText('Como foi publicado').click()
  await dialog.getByRole('button', { name: 'Exportar' }).click()
  await expect(page.getByRole('progressbar', { name: 'Exportando Vendas em PowerPoint' })).toBeVisible()
  await page.reload()
  const meanwhile = await openDialog(page, 'Vendas')
  await expect(meanwhile.getByRole('listitem')).toHaveText(
    /^Vendas em PowerPoint\d+% · o Power BI ainda prepara/,
  )
  await meanwhile.getByRole('button', { name: 'Cancelar' }).click()
  await demo.reset()
  await expect(page.getByText('Vendas em PowerPoint: o arquivo está pronto')).toBeVisible({ timeout: 30_000 })
  const again = await openDialog(page, 'Vendas')
  // The toast would cover the dialog of a phone, which lists the same file.
  await expect(page.getByText('o arquivo está pronto')).toHaveCount(0)
  const download = page.waitForEvent('download')
  await again.getByRole('button', { name: 'Baixar Vendas em PowerPoint' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/\.pptx$/)
  expect(await readFile(await file.path(), 'latin1')).toMatch(/^PK/)
})

test('a sentence says why a report is not exported', async ({ page, demo, portal }) => {
  await openAs(page, 'diretoria', '/power-bi?area=Operadores')
  const dialog = await openDialog(page, 'Operadores')
  await expect(dialog).toContainText('abre com a sua própria conta do Power BI')
  await dialog.getByRole('button', { name: 'Fechar' }).click()

  await demo.script({ on: 'exportStatus', status: 200, body: { status: 'Failed' } })
  await page.getByRole('tab', { name: 'Vendas' }).click()
  const vendas = await openDialog(page, 'Vendas')
  await vendas.getByRole('button', { name: 'Exportar' }).click()
  await expect(page.getByText('O Power BI não conseguiu exportar este relatório.')).toBeVisible({
    timeout: 20_000,
  })

  const off = { exports: false }
  await portal.database.db
    .updateTable('global_powerbi_settings')
    .set(off)
    .where('type', '=', 'vendas')
    .execute()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Tela cheia' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Exportar', exact: true })).toHaveCount(0)
})

test('administrators switch exports of an area off', async ({ page }) => {
  await openAs(page, 'admin', '/admin?area=Vendas')
  const box = page.getByRole('checkbox', { name: 'As pessoas podem exportar este relatório' })
  await expect(box).toBeChecked()
  await box.uncheck()
  await page.getByRole('button', { name: 'Salvar Configurações' }).click()
  await expect(page.getByText('Configuração do Power BI para Vendas salva com sucesso')).toBeVisible()
  await page.reload()
  await expect(box).not.toBeChecked()
})
