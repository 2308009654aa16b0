import type { Page } from '@playwright/test'
import { EMULATED_THIN_REPORT } from '#emulators/power-bi/catalogue.ts'
import { expect, test } from './portal-fixture.ts'
import { getDatasetField, getForm, getTab, OFICINA, openSettings, toast } from './settings-card.ts'

async function openVendas(page: Page) {
  const form = await openSettings(page, 'Vendas')
  const button = form.getByRole('button', { name: 'Testar relatório' })
  return { form, button, result: form.locator('[aria-live]') }
}

test('testing a report shows its name or a one-sentence fault, and the service’s reply can be copied', async ({
  page,
  demo,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { form, button, result } = await openVendas(page)
  const { promise: isSeen, resolve: goOn } = Promise.withResolvers<void>()
  const path = '**/api/global-powerbi-settings/vendas/test'
  await page.route(path, (route) => isSeen.then(() => route.continue()), { times: 1 })
  await button.click()
  await expect(button).toHaveAttribute('aria-busy', 'true')
  await expect(result).toHaveText('Testando o relatório…')
  goOn()
  await expect(result).toHaveText(
    /^Tudo certo: o relatório “Vendas do grupo” .* \d\d\/\d\d\/\d{4}, \d\d:\d\d \(horário de Brasília\)\.$/,
  )
  await demo.reset()
  await demo.script({ on: 'report', status: 404, times: 1 })
  await button.click()
  await expect(result).toHaveText(
    /^O relatório não existe neste espaço de trabalho \(código [^)]+\): o administrador do portal precisa/,
  )
  await demo.reset()
  const message = 'The model of ana@exemplo.com.br is busy'
  await demo.script({ on: 'generateToken', status: 400, errorCode: 'UnknownError', message, times: 1 })
  await button.click()
  await expect(result).toHaveText(
    /^O Power BI recusou o token do relatório \(código UnknownError, pedido [0-9a-f-]{36}\)/,
  )
  await form.getByRole('button', { name: 'Copiar para o chamado' }).click()
  await expect(toast(page, 'Copiado para o chamado')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^Power BI: código UnknownError · pedido [0-9a-f-]{36}\nO que o Power BI respondeu: The model of \*\*\*@exemplo\.com\.br is busy$/,
  )
  await page.route(path, (route) => route.abort())
  await button.click()
  await expect(result).toHaveText(
    'Não foi possível testar o relatório. Sem conexão com o portal. Verifique sua internet e tente novamente.',
  )
})

test('the unsaved input is tested, and the result is cleared by the next key', async ({ page, demo }) => {
  const { form, button, result } = await openVendas(page)
  await demo.reset()
  const unknown = '00000000-0000-4000-8000-000000000000'
  await form.getByLabel('Report ID').fill(unknown)
  await button.click()
  await expect(result).toHaveText(/^O relatório não existe neste espaço de trabalho/)
  expect((await demo.calls()).map(({ path }) => path).join(' ')).toContain(unknown)
  await form.getByLabel('Report ID').fill('x')
  await expect(result).toHaveText('')
  // Input that the form itself rejects is not sent.
  await demo.reset()
  await button.click()
  await expect(form.getByLabel('Report ID')).toHaveAccessibleDescription(/^Report ID inválido/)
  expect(await demo.calls()).toEqual([])

  await form.getByRole('radio', { name: 'URL Direta (SSO)' }).check()
  await form.getByLabel('URL do relatório').fill('https://app.powerbi.com/reportEmbed?reportId=1')
  await button.click()
  await expect(result).toHaveText(/^Links de SSO não podem ser testados pelo portal/)
  await form.getByRole('radio', { name: 'Nenhum' }).check()
  await expect(button).toHaveCount(0)
})

test('a report is chosen from those the application can access, and tested at once', async ({
  page,
  demo,
}) => {
  const form = await openSettings(page, 'Slack')
  await form.getByRole('radio', { name: 'Service Principal' }).check()
  await demo.script({ on: 'groups', status: 403, times: 1 })
  await form.getByRole('button', { name: 'Escolher no Power BI' }).click()
  const dialog = page.getByRole('dialog', { name: 'Escolher no Power BI' })
  await expect(dialog).toContainText('o administrador do Power BI precisa')
  await dialog.getByRole('button', { name: 'Tentar novamente' }).click()
  await dialog.getByLabel('Procurar espaço de trabalho').fill('ordens de servico')
  await expect(dialog.getByRole('listitem')).toHaveText(['BI · Ordens de serviço para imprimir'])
  await dialog.getByLabel('Procurar espaço de trabalho').fill('MODELO COMP')
  await dialog.getByRole('button', { name: 'BI · Vendas com modelo compartilhado' }).click()
  await expect(dialog.getByLabel('Procurar relatório')).toBeFocused()
  await dialog.getByRole('button', { name: 'Vendas com modelo compartilhado' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(form.getByLabel('Workspace ID')).toHaveValue(EMULATED_THIN_REPORT.workspaceId)
  await expect(form.getByLabel('Report ID')).toHaveValue(EMULATED_THIN_REPORT.reportId)
  await expect(getDatasetField(page)).toHaveValue(EMULATED_THIN_REPORT.datasetId)
  await expect(form.locator('[aria-live]')).toHaveText(/^Tudo certo: o relatório “Vendas com modelo/)
})

test('a pasted report URL fills in the ids', async ({ page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const form = await openSettings(page, 'Vendas')
  const { workspaceId, reportId } = OFICINA
  const address = `https://app.powerbi.com/groups/${workspaceId}/reports/${reportId}/ReportSection?experience=power-bi`
  await page.evaluate((text) => navigator.clipboard.writeText(text), address)
  await form.getByLabel('Report ID').focus()
  await page.keyboard.press('Control+V')
  await expect(form.getByLabel('Workspace ID')).toHaveValue(workspaceId)
  await expect(form.getByLabel('Report ID')).toHaveValue(reportId)
  // The other report's dataset would be wrong.
  await expect(getDatasetField(page)).toHaveValue('')
  await expect(form.getByText(/foram preenchidos pelo link colado/)).toBeVisible()
})

test('all areas are tested at once, and each fault links to its form', async ({ page, demo }) => {
  await openSettings(page, 'Vendas')
  await demo.script({ on: 'report', status: 404, times: 1 })
  await demo.script({ on: 'dataset', status: 403, times: 2 })
  await page.getByRole('button', { name: 'Testar tudo' }).click()
  const dialog = page.getByRole('dialog', { name: 'Testar tudo' })
  await expect(dialog.getByRole('status')).toHaveText('3 de 7 com problema.', { timeout: 20_000 })
  await expect(dialog.getByRole('listitem')).toHaveCount(9)
  await expect(dialog.getByText(/^Tudo certo: o relatório/)).toHaveCount(3)
  // A fault shared by two areas is shown once.
  await expect(dialog.getByText(/^O portal não tem acesso ao modelo/)).toHaveCount(1)
  await expect(dialog.getByText(/^Vale para [A-Z][A-Za-z]+ e [A-Z][A-Za-z]+\.$/)).toBeVisible()
  await expect(dialog.getByText('A causa está acima.')).toHaveCount(2)
  await expect(dialog.getByText('Sem relatório')).toHaveCount(2)
  await expect(dialog.getByText(/^O relatório não existe neste espaço de trabalho/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Testar de novo' }).click()
  await expect(dialog.getByRole('status')).toHaveText(
    'Nenhum problema encontrado; 1 de 7 sem resposta completa.',
    { timeout: 20_000 },
  )
  await dialog.getByRole('button', { name: 'CRM' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(getTab(page, 'CRM')).toHaveAttribute('aria-selected', 'true')
  await expect(getForm(page)).toHaveAccessibleName('Relatório de CRM')
})

test('the data are refreshed after a confirmation that names the daily limit, and followed', async ({
  page,
  demo,
}) => {
  await openVendas(page)
  await demo.reset()
  const panel = page.getByRole('tabpanel')
  const refresh = panel.getByRole('button', { name: 'Atualizar agora' })
  const confirm = async () => {
    await refresh.click()
    const dialog = page.getByRole('dialog', { name: 'Atualizar os dados de Vendas agora?' })
    await expect(dialog).toContainText('só oito atualizações por dia')
    await dialog.getByRole('button', { name: 'Atualizar agora' }).click()
    await expect(dialog).toHaveCount(0)
  }
  await demo.script({ on: 'refreshes', status: 403, times: 1 })
  await confirm()
  await expect(panel.getByText(/^O aplicativo do portal não pode atualizar os dados/)).toBeVisible()
  await confirm()
  await expect(panel.getByText(/^(O Power BI começou a|Atualização em andamento)/)).toBeVisible()
  const failed = { status: 'Failed', startTime: '2026-11-21T09:00:00Z', endTime: '2026-11-21T09:01:00Z' }
  await demo.script({ on: 'refreshes', body: { value: [failed] }, times: 1 })
  await expect(panel.getByText(/^A última atualização falhou em 21\/11\/2026/)).toBeVisible({
    timeout: 15_000,
  })
  // Only the saved report can be refreshed.
  await panel.getByLabel('Report ID').fill('x')
  await expect(refresh).toHaveCount(0)
})
