import { expect, getReportFrame, muteChanges, openAs, test } from './portal-fixture.ts'
import {
  fillIds,
  getDatasetField,
  getForm,
  getTab,
  OFICINA,
  openSettings,
  save,
  selectArea,
  toast,
  VENDAS,
} from './settings-card.ts'

test('nine ordered tabs show the state of each area, and the URL keeps the selected one', async ({
  page,
}) => {
  const form = await openSettings(page, 'Vendas')
  await expect(page.getByRole('heading', { name: 'Configuração Global do Power BI' })).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText([
    'Vendas com relatório',
    'Oficina com relatório',
    'HPD com relatório',
    'CRM com relatório',
    'Marketing com relatório',
    'Gerentes com relatório',
    'Operadores com relatório',
    'Administrativo sem relatório',
    'Slack sem relatório',
  ])
  await expect(form.getByRole('radio')).toHaveCount(3)
  for (const [mode, explanation] of [
    ['Nenhum', 'A área não mostra relatório.'],
    ['URL Direta (SSO)', 'Um link; cada pessoa entra com a própria conta.'],
    ['Service Principal', 'Exige credenciais configuradas no servidor.'],
  ] as const)
    await expect(form.getByRole('radio', { name: mode })).toHaveAccessibleDescription(explanation)
  await expect(form.getByRole('radio', { name: 'Service Principal' })).toBeChecked()
  await expect(form.getByLabel('Workspace ID')).toHaveValue(VENDAS.workspaceId)
  await expect(form.getByLabel('Report ID')).toHaveValue(VENDAS.reportId)
  await expect(form.getByLabel('Dataset ID (opcional)')).toHaveValue(VENDAS.datasetId)
  await expect(form.getByLabel('URL do relatório')).toHaveCount(0)

  await getTab(page, 'Oficina').click()
  await expect(page).toHaveURL(/[?&]area=Oficina/)
  await page.reload()
  await expect(getForm(page).getByLabel('Report ID')).toHaveValue(OFICINA.reportId)
  await page.goto('/admin?area=Estoque')
  await expect(getTab(page, 'Vendas')).toHaveAttribute('aria-selected', 'true')
})

test('a pasted iframe is reduced to its URL, and the saved report shows for people of the area', async ({
  page,
  browser,
  demo,
}) => {
  const embedUrl =
    'https://app.powerbi.com/reportEmbed?reportId=a1e90b7d-3c2f-4015-9e0c-5a9162d44f7b&autoAuth=true&ctid=22'
  const iframe = `<iframe title="Adm" width="1140" src="${embedUrl.replaceAll('&', '&amp;')}" allowFullScreen="true"></iframe>`
  const form = await openSettings(page, 'Administrativo')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await form.getByRole('radio', { name: 'URL Direta (SSO)' }).check()
  const url = form.getByLabel('URL do relatório')
  await page.evaluate((text) => navigator.clipboard.writeText(text), iframe)
  await url.focus()
  await page.keyboard.press('Control+V')
  await expect(url).toHaveValue(embedUrl)
  await expect(form.getByText('O código <iframe> colado foi reduzido ao seu endereço.')).toBeVisible()
  // Typed in, it is reduced on blur.
  await url.fill(iframe)
  await url.blur()
  await expect(url).toHaveValue(embedUrl)
  await save(page)
  await expect(toast(page, 'Configuração do Power BI para Administrativo salva com sucesso')).toBeVisible()
  await expect(getTab(page, 'Administrativo')).toHaveText('Administrativo com relatório')

  await selectArea(page, 'Slack')
  await fillIds(getForm(page), VENDAS.workspaceId, VENDAS.reportId)
  await save(page)
  await expect(toast(page, 'Configuração do Power BI para Slack salva com sucesso')).toBeVisible()
  // The administrator's own reports, by navigation within the portal.
  await page.getByRole('banner').getByRole('link', { name: 'Relatórios', exact: true }).click()
  await expect(page.getByRole('tab', { name: 'Slack' })).toBeVisible()

  const context = await browser.newContext({ baseURL: demo.url })
  const reader = await context.newPage()
  await context.route('https://app.powerbi.com/**', (route) => route.fulfill({ body: 'relatório' }))
  await openAs(reader, 'diretoria')
  await reader.getByRole('tab', { name: 'Slack' }).click()
  await expect(getReportFrame(reader, 'Slack').locator('[data-card]').first()).toBeVisible()
  await reader.getByRole('tab', { name: 'Administrativo' }).click()
  await expect(reader.locator('iframe[title="Administrativo"]')).toHaveAttribute(
    'src',
    /^https:\/\/app\.powerbi\.com\/reportEmbed\?reportId=a1e90b7d-3c2f-4015-9e0c-5a9162d44f7b&autoAuth=true&ctid=22&/,
  )
  await expect(reader.locator('iframe[title="Administrativo"]')).toHaveAttribute('allow', 'clipboard-write')
  await context.close()
})

test('removing a report asks for confirmation, and can be undone; without one there is nothing to remove', {
  tag: '@translated',
}, async ({ page }) => {
  const form = await openSettings(page, 'Marketing')
  const id = await form.getByLabel('Report ID').inputValue()
  await form.getByRole('radio', { name: 'Nenhum' }).check()
  await save(page)
  const dialog = page.getByRole('dialog', { name: 'Remover o relatório de Marketing?' })
  await dialog.getByRole('button', { name: 'Cancelar' }).click()
  await expect(dialog).toBeHidden()
  await expect(getTab(page, 'Marketing')).toHaveText('Marketing com alterações não salvas')
  await save(page)
  await dialog.getByRole('button', { name: 'Remover relatório' }).click()
  await expect(toast(page, 'Configuração do Power BI para Marketing removida com sucesso')).toBeVisible()
  await expect(getTab(page, 'Marketing')).toHaveText('Marketing sem relatório')
  await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  await expect(form.getByLabel('Report ID')).toHaveValue(id)
  await form.getByRole('radio', { name: 'Nenhum' }).check()
  await save(page)
  await dialog.getByRole('button', { name: 'Remover relatório' }).click()
  await expect(getTab(page, 'Marketing')).toHaveText('Marketing sem relatório')
  await save(page)
  await expect(toast(page, 'Nenhuma configuração para remover em Marketing')).toBeVisible()
  await page.reload()
  await expect(getForm(page).getByRole('radio', { name: 'Nenhum' })).toBeChecked()
})

test('a report that does not open replaces one that does only when insisted on, and can be undone', async ({
  page,
  demo,
}) => {
  const form = await openSettings(page, 'Oficina')
  const reportId = form.getByLabel('Report ID')
  const wrong = '7d0ad3a5-5b3e-4f44-9a3c-0d9c6a1b2e3f'
  await reportId.fill(wrong)
  await save(page)
  const dialog = page.getByRole('dialog', { name: 'O novo relatório de Oficina não abre' })
  await expect(dialog.getByText('O relatório não existe neste espaço de trabalho')).toBeVisible()
  await dialog.getByRole('button', { name: 'Voltar' }).click()
  await expect(getTab(page, 'Oficina')).toHaveText('Oficina com alterações não salvas')
  await save(page)
  await dialog.getByRole('button', { name: 'Salvar mesmo assim' }).click()
  const saved = toast(page, 'Configuração do Power BI para Oficina salva com sucesso')
  await expect(saved).toBeVisible()
  await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  await expect(reportId).toHaveValue(OFICINA.reportId)
  await expect(getTab(page, 'Oficina')).toHaveText('Oficina com relatório')

  // What may pass is no reason to ask.
  // The overview asks for the report too.
  await demo.script({ on: 'report', status: 503, times: 50 })
  await reportId.fill(wrong)
  await save(page)
  await expect(saved).toBeVisible()
  await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(reportId).toHaveValue(OFICINA.reportId)
})

test('the history of a report undoes its changes and goes back to one of them', async ({ page }) => {
  const form = await openSettings(page, 'HPD')
  const [field, saved] = [form.getByLabel('Página (opcional)'), /^Configuração do Power BI para HPD salva/]
  const history = page.getByRole('list', { name: /^Alterações/ })
  for (const name of ['ReportSectionA', 'ReportSectionB']) {
    await field.fill(name)
    await save(page)
    await expect(page.getByText(saved).last()).toBeVisible()
    await expect(getTab(page, 'HPD')).toHaveText('HPD com relatório')
  }
  await page.getByText('O que mudou por último').click()
  const last = history.getByRole('listitem').first()
  await expect(last).toContainText('página: ReportSectionA → ReportSectionB')
  await history.getByRole('listitem').nth(1).getByRole('link', { name: 'Voltar a este' }).click()
  await expect(page).toHaveURL(/\/admin\/relatorios\?area=HPD/)
  await expect(field).toHaveValue('ReportSectionA')
  await expect(getTab(page, 'HPD')).toHaveText('HPD com alterações não salvas')
  await page.getByRole('button', { name: 'Descartar alterações' }).click()
  await expect(field).toHaveValue('ReportSectionB')
  await page.getByText('O que mudou por último').click()
  await last.getByRole('button', { name: 'Desfazer esta alteração' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(field).toHaveValue('ReportSectionA')
  await expect(history.getByRole('listitem')).toHaveCount(3)
})

test('unsaved changes survive a change of tabs, are marked, and are not discarded unasked', async ({
  page,
}) => {
  await openSettings(page, 'CRM')
  // A previous screen of the portal, for the back button.
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await page.getByRole('link', { name: 'Administração' }).click()
  await selectArea(page, 'CRM')
  const form = getForm(page)
  await form.getByLabel('Dataset ID (opcional)').fill('outro')
  await selectArea(page, 'Oficina')
  await expect(getTab(page, 'CRM')).toHaveText('CRM com alterações não salvas')
  await expect(page.getByRole('button', { name: 'Descartar alterações' })).toHaveCount(0)
  await getForm(page).getByRole('radio', { name: 'Nenhum' }).check()
  await selectArea(page, 'CRM')
  await expect(getDatasetField(page)).toHaveValue('outro')

  await page.getByRole('link', { name: 'Minha conta' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sair sem salvar?' })
  await expect(dialog).toContainText('As alterações em Oficina e CRM ainda não foram salvas')
  await dialog.getByRole('button', { name: 'Continuar editando' }).click()
  await expect(page).toHaveURL(/\/admin/)
  await expect(getDatasetField(page)).toHaveValue('outro')
  // The next dialog has the same button, and this one fades out.
  await expect(dialog).toBeHidden()

  await page.evaluate(() => window.history.back())
  await dialog.getByRole('button', { name: 'Continuar editando' }).click()
  await expect(page).toHaveURL(/\/admin/)

  const asked = page.waitForEvent('dialog')
  const reloading = page.evaluate(() => window.location.reload())
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()
  await reloading

  await page.getByRole('button', { name: 'Descartar alterações' }).click()
  await expect(getTab(page, 'CRM')).toHaveText('CRM com relatório')
  await expect(getDatasetField(page)).not.toHaveValue('outro')
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await dialog.getByRole('button', { name: 'Sair sem salvar' }).click()
  await expect(page).toHaveURL(/\/profile/)
})

test("'Sair' asks before it discards unsaved changes", async ({ page }) => {
  await openSettings(page, 'CRM')
  await getDatasetField(page).fill('outro')
  const leave = page.getByRole('button', { name: 'Sair', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Sair sem salvar?' })
  await leave.click()
  await expect(dialog).toContainText('As alterações em CRM ainda não foram salvas')
  await page.keyboard.press('Escape')
  await expect(getDatasetField(page)).toHaveValue('outro')
  await expect(leave).toBeFocused()
  // Still signed in: the server responds.
  await page.getByRole('button', { name: 'Testar relatório' }).click()
  await expect(getForm(page).getByText('Testando o relatório…')).toHaveCount(0)
  await expect(page).toHaveURL(/\/admin/)

  await leave.click()
  await dialog.getByRole('button', { name: 'Sair sem salvar' }).click()
  await expect(toast(page, 'Você saiu com sucesso')).toBeVisible()
  await expect(page).toHaveURL(/\/login/)
  await expect(dialog).toHaveCount(0)

  // A session that another tab ends is not held back.
  await openSettings(page, 'CRM')
  await getDatasetField(page).fill('outro')
  const other = await page.context().newPage()
  await other.goto('/profile')
  await other.getByRole('button', { name: 'Sair', exact: true }).click()
  await expect(page).toHaveURL(/\/login/)
  await expect(dialog).toHaveCount(0)
})

test('failures to load or save are reported and can be retried', async ({ page }) => {
  // The event stream would refetch them before the click.
  await muteChanges(page)
  await page.route('**/api/global-powerbi-settings', (route) => route.fulfill({ status: 500, body: 'no' }))
  await openAs(page, 'admin', '/admin?area=Gerentes')
  const failure = page.getByRole('alert').filter({ hasText: 'Erro ao carregar configurações' })
  await expect(failure).toBeVisible()
  await page.unroute('**/api/global-powerbi-settings')
  await failure.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(getTab(page, 'Gerentes')).toHaveAttribute('aria-selected', 'true')

  await page.route('**/api/global-powerbi-settings/gerentes', (route) => route.abort())
  await getDatasetField(page).fill('')
  await save(page)
  await expect(toast(page, 'Erro ao salvar configuração do Power BI para Gerentes')).toBeVisible()
  await expect(getTab(page, 'Gerentes')).toHaveText('Gerentes com alterações não salvas')
  await page.unroute('**/api/global-powerbi-settings/gerentes')
  await save(page)
  await expect(toast(page, 'Configuração do Power BI para Gerentes salva com sucesso')).toBeVisible()
})

test('content below the card does not shift when the settings load', async ({ page }) => {
  const below = page.locator('#usuarios')
  for (const width of [1440, 1024, 700, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const { promise: asked, resolve: letCome } = Promise.withResolvers<void>()
    await page.route('**/api/global-powerbi-settings', async (route) => {
      await asked
      await route.continue()
    })
    await openAs(page, 'admin', '/admin?area=Vendas')
    await expect(below.getByRole('checkbox').nth(1)).toBeVisible()
    const top = async () => Math.round((await below.boundingBox())?.y ?? 0)
    const before = await top()
    letCome()
    await expect(getTab(page, 'Vendas')).toBeVisible()
    expect([width, await top()]).toEqual([width, before])
    await page.unrouteAll({ behavior: 'wait' })
  }
})
