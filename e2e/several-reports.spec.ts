import { getEmulatedReport } from '#server/testing/builders.ts'
import type { RunningPortal } from './portal.ts'
import { expect, getReportFrame, muteChanges, openAs, test, toEmail } from './portal-fixture.ts'
import { addReportView } from './report-view-fixture.ts'

/** Adds the emulator's report of another area to Vendas. @returns its id */
async function addReport(portal: RunningPortal, type: string, name: string, position = 1): Promise<string> {
  const { workspaceId, reportId, datasetId } = getEmulatedReport(type)
  const { id } = await portal.database.db
    .insertInto('further_reports')
    .values({
      type: 'vendas',
      name,
      position,
      embed_mode: 'service_principal',
      report_url: null,
      workspace_id: workspaceId,
      report_id: reportId,
      dataset_id: datasetId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

test('an area with several reports offers them by name, and keeps each as it was left', async ({
  page,
  portal,
}) => {
  await openAs(page, 'vendas.rj')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^Relatório:/ })).toHaveCount(0)

  const id = await addReport(portal, 'Gerentes', 'Metas')
  await addReport(portal, 'Oficina', 'Serviços', 2)
  await page.reload()
  await expect(page.getByRole('tab')).toHaveText(['Vendas', 'CRM'])
  await page.getByRole('button', { name: 'Relatório: Vendas' }).click()
  const list = page.getByRole('dialog', { name: 'Relatórios da área' })
  await expect(list.getByRole('button')).toHaveText(['Vendas', 'Metas', 'Serviços'])
  await expect(list.getByRole('button', { name: 'Vendas' })).toHaveAttribute('aria-current', 'true')
  await list.getByRole('button', { name: 'Metas' }).click()
  await expect(page).toHaveURL(`/power-bi?area=Vendas&relatorio=${id}`)
  await expect(page).toHaveTitle(/^Vendas · Metas/)
  const goals = getReportFrame(page, 'Vendas · Metas')
  await expect(goals.locator('.scope')).toContainText('FIAT, JEEP  ·  RJ')
  await expect(page.locator('iframe[title="Vendas"]')).toBeHidden()

  // The other page of the report stays open while other tabs are looked at.
  const pages = goals.locator('[data-key^="page-"]')
  await pages.nth(1).click()
  await expect(pages.nth(1)).toHaveAttribute('aria-current', 'page')
  await page.getByRole('tab', { name: 'CRM' }).click()
  await expect(page.getByRole('button', { name: /^Relatório:/ })).toHaveCount(0)
  await page.getByRole('tab', { name: 'Vendas' }).click()
  await expect(page).toHaveURL(`/power-bi?area=Vendas&relatorio=${id}`)
  await expect(pages.nth(1)).toHaveAttribute('aria-current', 'page')
  await page.reload()
  await expect(goals.locator('[data-card]').first()).toBeVisible()
  await page.getByRole('button', { name: 'Relatório: Metas' }).press('Enter')
  await list.getByRole('button', { name: 'Vendas' }).press('Enter')
  await expect(page).toHaveURL('/power-bi?area=Vendas')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Relatório: Metas' })).toBeVisible()
})

test('a further report has its own views, exports and links', async ({ page, portal }) => {
  const id = await addReport(portal, 'Gerentes', 'Metas')
  const { reportId } = getEmulatedReport('Gerentes')
  await addReportView(portal, 'vendas.rj', { name: 'Do primeiro' })
  const view = await addReportView(portal, 'vendas.rj', { name: 'Das metas', report_id: reportId })
  // Also by a link without the report's id.
  for (const path of [`relatorio=${id}&visao=${view}`, `visao=${view}`]) {
    await openAs(page, 'vendas.rj', `/power-bi?area=Vendas&${path}`)
    await page.getByRole('button', { name: 'Visões: Das metas' }).click()
    await expect(page.getByRole('button', { name: 'Das metas', exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Do primeiro' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(`/power-bi?area=Vendas&relatorio=${id}&visao=${view}`)
  }
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const share = page.getByRole('button', { name: 'Compartilhar', exact: true })
  await share.click()
  await page.getByRole('button', { name: 'Copiar link' }).click()
  await expect(page.getByText('Link copiado')).toBeVisible()
  await share.click()
  await expect(page.getByLabel('Link')).toHaveValue(
    `${portal.url}/power-bi?area=Vendas&relatorio=${id}&visao=${view}`,
  )
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Exportar' }).click()
  await page
    .getByRole('dialog', { name: 'Exportar Vendas · Metas' })
    .getByRole('button', { name: 'Exportar' })
    .click()
  await expect(page.getByText('Vendas · Metas em PDF: o arquivo está pronto')).toBeVisible({
    timeout: 20_000,
  })
})

test('a long name of a view leaves the report’s its room', async ({ page, portal }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await addReport(portal, 'Gerentes', 'Metas')
  const name = 'Comparativo de todas as marcas por estado'
  const view = await addReportView(portal, 'diretoria', { name })
  await openAs(page, 'diretoria', `/power-bi?area=Vendas&visao=${view}`)
  await expect(page.getByRole('button', { name: `Visões: ${name}` })).toBeVisible()
  const label = page.getByRole('button', { name: 'Relatório: Vendas' }).getByText('Vendas')
  await expect(label).toBeVisible()
  expect(await label.evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)).toBe(0)
  const tab = await page.getByRole('tab').first().boundingBox()
  const choice = await page.getByRole('button', { name: 'Relatório: Vendas' }).boundingBox()
  expect((choice?.x ?? 0) + (choice?.width ?? 0)).toBeLessThanOrEqual(tab?.x ?? 0)
})

test('a report that was removed is said to be gone, and the area’s first opens', async ({ page, portal }) => {
  // The event stream could tell the page before it is reloaded.
  await muteChanges(page)
  const id = await addReport(portal, 'Gerentes', 'Metas')
  await openAs(page, 'vendas.rj', `/power-bi?area=Vendas&relatorio=${id}`)
  await expect(getReportFrame(page, 'Vendas · Metas').locator('[data-card]').first()).toBeVisible()
  await portal.database.db.updateTable('further_reports').set({ deleted_at: new Date() }).execute()
  await page.reload()
  await expect(
    page.getByText('Este relatório não está mais na área Vendas. O primeiro dela foi aberto.'),
  ).toBeVisible()
  await expect(page).toHaveURL('/power-bi?area=Vendas')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
})

test('a phone offers the reports of an area too, and nothing overflows', async ({ page, portal }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await addReport(portal, 'Gerentes', 'Metas e resultados por loja e vendedor')
  await openAs(page, 'diretoria')
  await page.getByRole('button', { name: 'Relatório: Vendas' }).click()
  const item = page.getByRole('button', { name: 'Metas e resultados por loja e vendedor' })
  const { width, height } = (await item.boundingBox()) ?? { width: 0, height: 0 }
  expect([width <= 390, height >= 44]).toEqual([true, true])
  await item.click()
  await expect(
    getReportFrame(page, 'Vendas · Metas e resultados por loja e vendedor').locator('.scope'),
  ).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

test('nothing in a phone’s header moves under a press while the report loads', async ({ page, portal }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await addReport(portal, 'Gerentes', 'Metas')
  const { promise: hasPressed, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/functions/get-powerbi-token', async (route) => {
    await hasPressed
    await route.continue()
  })
  await openAs(page, 'diretoria')
  const choice = page.getByRole('button', { name: 'Relatório: Vendas' })
  await choice.hover()
  await page.mouse.down()
  release()
  await expect(page.getByRole('button', { name: 'Ações do relatório' })).toBeVisible()
  await page.mouse.up()
  await expect(page.getByRole('dialog', { name: 'Relatórios da área' })).toBeVisible()
})

test('‘Ver como’ offers the person’s further reports, but no links', async ({ page, portal }) => {
  await addReport(portal, 'Gerentes', 'Metas')
  const { user_id } = await portal.database.db
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', toEmail('vendas.rj'))
    .executeTakeFirstOrThrow()
  await portal.database.db
    .insertInto('further_reports')
    .values({
      type: 'vendas',
      name: 'Link',
      position: 2,
      embed_mode: 'secure_sso',
      report_url: 'https://app.powerbi.com/reportEmbed?reportId=1',
      workspace_id: null,
      report_id: null,
      dataset_id: null,
    })
    .execute()
  await openAs(page, 'admin', `/admin/ver-como/${user_id}`)
  await page.getByRole('button', { name: 'Relatório: Vendas' }).click()
  await page.getByRole('button', { name: 'Metas' }).click()
  await expect(getReportFrame(page, 'Vendas · Metas').locator('.scope')).toContainText('FIAT, JEEP  ·  RJ')
  await page.getByRole('button', { name: 'Relatório: Metas' }).click()
  await page.getByRole('button', { name: 'Link' }).click()
  await expect(page.getByText(/Este relatório abre por um link que cada pessoa vê/)).toBeVisible()
})

test('administrators add, order, change and remove further reports, and undo a removal', async ({ page }) => {
  await openAs(page, 'admin', '/admin?area=Vendas')
  const section = page.getByRole('region', { name: 'Outros relatórios de Vendas' })
  const add = section.getByRole('button', { name: 'Adicionar relatório' })
  await add.click()
  const form = page.getByRole('form', { name: 'Novo relatório' })
  await expect(form.getByLabel('Nome do relatório')).toBeFocused()
  await expect(form.getByRole('radio', { name: 'Nenhum' })).toHaveCount(0)
  await form.getByRole('button', { name: 'Escolher no Power BI' }).click()
  const chooser = page.getByRole('dialog', { name: 'Escolher no Power BI' })
  await chooser.getByRole('button', { name: /BI · Gerentes/ }).click()
  await chooser.getByRole('button', { name: /^Gerentes/ }).click()
  await expect(form.getByLabel('Nome do relatório')).toHaveValue('Gerentes – Metas e resultados')
  await expect(form.getByText(/^Tudo certo: o relatório/)).toBeVisible()
  await form.getByLabel('Nome do relatório').fill('vendas')
  await form.getByRole('button', { name: 'Adicionar' }).click()
  await expect(form.getByLabel('Nome do relatório')).toHaveAccessibleDescription(
    /^Esta área já tem um relatório com este nome/,
  )
  await form.getByLabel('Nome do relatório').fill('Metas')
  await form.getByRole('button', { name: 'Adicionar' }).click()
  await expect(page.getByText('Relatório “Metas” salvo em Vendas')).toBeVisible()

  const { workspaceId, reportId } = getEmulatedReport('Oficina')
  await add.click()
  await form.getByLabel('Nome do relatório').fill('Serviços')
  await form.getByLabel('Workspace ID').fill(workspaceId)
  await form.getByLabel('Report ID').fill(reportId)
  await form.getByRole('button', { name: 'Adicionar' }).click()
  const rows = section.getByRole('listitem')
  await expect(rows).toHaveText([/^Vendas/, /^Metas/, /^Serviços/])
  const act = async (row: number, action: string) => {
    await rows.nth(row).getByRole('button', { name: 'Mais ações' }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await act(2, 'Mover para cima')
  await expect(rows).toHaveText([/^Vendas/, /^Serviços/, /^Metas/])
  await expect(page.getByText('“Serviços” mudou de lugar em Vendas')).toBeVisible()
  await page.getByRole('button', { name: 'Desfazer', exact: true }).last().click()
  await expect(rows).toHaveText([/^Vendas/, /^Metas/, /^Serviços/])
  await act(2, 'Mover para cima')
  await expect(rows).toHaveText([/^Vendas/, /^Serviços/, /^Metas/])

  await act(2, 'Editar')
  const edit = page.getByRole('form', { name: 'Editar “Metas”' })
  await expect(rows.nth(2).getByRole('button', { name: 'Atualizar agora' })).toBeVisible()
  await edit.getByLabel('Nome do relatório').fill('Metas do mês')
  await edit.getByRole('button', { name: 'Salvar relatório' }).click()
  await expect(rows).toHaveText([/^Vendas/, /^Serviços/, /^Metas do mês/])

  await act(2, 'Remover')
  const question = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await expect(question).toContainText(/\d+ pessoas deixam de ver este relatório/)
  await question.getByRole('button', { name: 'Remover relatório' }).click()
  await expect(rows).toHaveText([/^Vendas/, /^Serviços/])
  // The event stream may shorten the list before the toast, and the move can be undone too.
  await expect(page.getByText('Relatório “Metas do mês” removido de Vendas')).toBeVisible()
  await page.getByRole('button', { name: 'Desfazer', exact: true }).last().click()
  await expect(rows).toHaveText([/^Vendas/, /^Serviços/, /^Metas do mês/])

  // What is typed above stays, and can be saved afterwards.
  const exports = page.getByRole('checkbox', { name: /exportar/i }).first()
  await exports.uncheck()
  await act(0, 'Mudar o nome')
  const naming = page.getByRole('form', { name: 'Nome do primeiro relatório de Vendas' })
  await naming.getByLabel('Nome do relatório').fill('Serviços')
  await naming.getByRole('button', { name: 'Salvar nome' }).click()
  await expect(naming.getByLabel('Nome do relatório')).toHaveAccessibleDescription(/^Esta área já tem/)
  await naming.getByLabel('Nome do relatório').fill('Resumo do dia')
  await naming.getByRole('button', { name: 'Salvar nome' }).click()
  await expect(rows).toHaveText([/^Resumo do dia/, /^Serviços/, /^Metas do mês/])
  await page.getByRole('button', { name: 'Desfazer', exact: true }).last().click()
  await expect(rows).toHaveText([/^Vendas/, /^Serviços/, /^Metas do mês/])
  await act(0, 'Mudar o nome')
  await naming.getByLabel('Nome do relatório').fill('Resumo do dia')
  await naming.getByRole('button', { name: 'Salvar nome' }).click()
  await expect(rows).toHaveText([/^Resumo do dia/, /^Serviços/, /^Metas do mês/])
  await expect(exports).not.toBeChecked()
  await page.getByRole('button', { name: 'Salvar Configurações' }).click()
  await expect(page.getByText('Configuração do Power BI para Vendas salva com sucesso')).toBeVisible()

  await page.getByRole('button', { name: 'Testar tudo' }).click()
  const tests = page.getByRole('dialog', { name: 'Testar tudo' })
  const goals = tests.getByRole('listitem').filter({ hasText: 'Vendas · Metas do mês' })
  await expect(goals).toContainText('“Gerentes – Metas e resultados” abre no portal', { timeout: 20_000 })
  await tests.getByRole('button', { name: 'Fechar' }).last().click()
  await page.getByRole('banner').getByRole('link', { name: 'Relatórios', exact: true }).click()
  await page.getByRole('button', { name: 'Relatório: Resumo do dia' }).click()
  await expect(page.getByRole('dialog', { name: 'Relatórios da área' }).getByRole('button')).toHaveText([
    'Resumo do dia',
    'Serviços',
    'Metas do mês',
  ])
})
