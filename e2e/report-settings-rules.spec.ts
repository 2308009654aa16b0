import { expect, test } from './portal-fixture.ts'
import {
  fillIds,
  getTab,
  OFICINA,
  openSettings,
  save,
  toast,
  toPrefixPattern,
  VENDAS,
} from './settings-card.ts'

// None of these tests saves.
const PAGE_LINK = `https://app.powerbi.com/groups/${VENDAS.workspaceId}/reports/${VENDAS.reportId}/ReportSection?x=1`

test('each invalid id is reported next to its field and in a toast', async ({ page }) => {
  const form = await openSettings(page, 'Slack')
  await fillIds(form, '', '')
  const [workspace, report] = [form.getByLabel('Workspace ID'), form.getByLabel('Report ID')]
  await save(page)
  const required = 'Por favor, insira Workspace ID e Report ID'
  await expect(toast(page, required)).toHaveCount(1)
  await expect(workspace).toHaveAccessibleDescription(required)
  await expect(report).toHaveAccessibleDescription(required)
  await expect(workspace).toBeFocused()

  await workspace.fill(VENDAS.workspaceId)
  await expect(workspace).not.toHaveAttribute('aria-invalid')
  await save(page)
  await expect(report).toBeFocused()

  await workspace.fill(`${VENDAS.workspaceId}0`)
  await report.fill('vendas')
  await save(page)
  for (const [field, message] of [
    [workspace, 'Workspace ID inválido (formato UUID esperado)'],
    [report, 'Report ID inválido (formato UUID esperado)'],
  ] as const) {
    await expect(field).toHaveAccessibleDescription(message)
    await expect(toast(page, message)).toBeVisible()
  }
  await expect(toast(page, required)).toHaveCount(0)
  await expect(getTab(page, 'Slack')).toHaveText('Slack com alterações não salvas')
})

const HOSTS_ONLY = 'Apenas URLs do Power BI são permitidas (app.powerbi.com ou msit.powerbi.com)'
const INVALID = 'URL inválida. Por favor, insira uma URL válida do Power BI'

test('invalid share URLs are rejected with the rule’s text, and a public one shows a warning', async ({
  page,
}) => {
  const form = await openSettings(page, 'Slack')
  await form.getByRole('radio', { name: 'URL Direta (SSO)' }).check()
  const url = form.getByLabel('URL do relatório')
  for (const [text, message] of [
    ['', 'Por favor, insira uma URL válida'],
    ['relatório de vendas', INVALID],
    ['http://app.powerbi.com/reportEmbed?reportId=1', 'Apenas URLs HTTPS são permitidas'],
    ['<iframe src="https://example.com/x"></iframe>', HOSTS_ONLY],
  ] as const) {
    await url.fill(text)
    await save(page)
    await expect(url, text).toHaveAccessibleDescription(toPrefixPattern(message))
    await expect(toast(page, message), text).toBeVisible()
    await expect(url).toBeFocused()
  }
  await url.fill('https://app.powerbi.com/view?r=eyJrIjoi')
  await expect(form.getByRole('alert')).toContainText('Este link é público')
  await url.fill(`https://app.powerbi.com/reportEmbed?reportId=${VENDAS.reportId}&autoAuth=true`)
  await expect(form.getByRole('alert')).toHaveCount(0)
})

test('a link that cannot be framed shows a warning, is repaired where possible, and is reported on save', async ({
  page,
}) => {
  const form = await openSettings(page, 'Slack')
  await form.getByRole('radio', { name: 'URL Direta (SSO)' }).check()
  await expect(form.getByText(/^Neste modo os estados não filtram o relatório/)).toBeVisible()
  const url = form.getByLabel('URL do relatório')
  const repair = form.getByRole('button', { name: 'Usar o link corrigido' })
  for (const link of [
    'https://app.powerbi.com/links/AbCdEf?ctid=1',
    'https://app.fabric.microsoft.com/links/AbCdEf?ctid=1',
    `https://app.powerbi.com/dashboardEmbed?dashboardId=${VENDAS.reportId}`,
    `https://app.powerbi.com/datahub/datasets/${VENDAS.datasetId}`,
  ]) {
    await url.fill(link)
    await expect(form.getByRole('alert'), link).toContainText('Este link não abre dentro do portal.')
    await expect(repair).toHaveCount(0)
  }
  await url.fill(`https://app.powerbi.com/rdlEmbed?reportId=${VENDAS.reportId}`)
  await expect(form.getByRole('alert')).toContainText('autoAuth=true')
  await url.fill(`https://app.powerbi.com/MobileRedirect.html?reportObjectId=${VENDAS.reportId}`)
  await expect(repair).toBeVisible()
  await url.fill(`https://app.powerbi.com/reportEmbed ?reportId=${VENDAS.reportId}`)
  await url.blur()
  await expect(url).toHaveValue(`https://app.powerbi.com/reportEmbed?reportId=${VENDAS.reportId}`)
  await expect(form.getByRole('alert')).toContainText('autoAuth=true')
  await url.fill(PAGE_LINK)
  await save(page)
  await expect(toast(page, 'O link salvo não abre dentro do portal')).toBeVisible()
  await repair.click()
  await expect(url).toHaveValue(
    /^https:\/\/app\.powerbi\.com\/reportEmbed\?reportId=.*&groupId=.*&autoAuth=true&pageName=ReportSection&x=1$/,
  )
  await expect(form.getByRole('alert')).toHaveCount(0)
})

test('each kind of link is named, and what becomes of its parameters', async ({ page }) => {
  const form = await openSettings(page, 'Slack')
  await form.getByRole('radio', { name: 'URL Direta (SSO)' }).check()
  const url = form.getByLabel('URL do relatório')
  const alert = form.getByRole('alert')
  for (const [path, text] of [
    ['home', 'Ele não leva a um relatório.'],
    ['sharedwithme', 'Ele não leva a um relatório.'],
    [`groups/me/orgapps/${VENDAS.workspaceId}?ctid=1`, 'Ele abre um aplicativo'],
    [`groups/me/dashboards/${VENDAS.reportId}/tiles/1`, 'Ele leva a um painel'],
    [`groups/${VENDAS.workspaceId}/scorecards/1`, 'Ele leva a um scorecard'],
    [`groups/${VENDAS.workspaceId}/explorations/1`, 'Ele leva a uma exploração'],
    [`onelake/details/${VENDAS.workspaceId}/dataset/1`, 'Ele leva a dados'],
  ] as const) {
    await url.fill(`https://app.powerbi.com/${path}`)
    await expect(alert, path).toContainText(text)
  }
  const embed = `app.powerbi.com/reportEmbed?reportId=${VENDAS.reportId}&autoAuth=true`
  const typed = `${embed}&amp;$filter=Loja/UF eq 'RJ' or 1 eq 1&amp;pageName=Vendas por loja`
  await url.fill(typed)
  await save(page)
  await expect(url).toHaveAccessibleDescription(toPrefixPattern(INVALID))
  await form.getByRole('button', { name: 'Usar o link corrigido' }).click()
  await expect(url).toHaveValue(`https://${typed.replaceAll('&amp;', '&')}`)
  await expect(form.getByText(/troca ao mostrar o relatório: \$filter\. No lugar/)).toBeVisible()
  await expect(alert).toContainText('“Vendas por loja” parece o nome da página que as pessoas veem.')
})

test('a link to a report offers to fill in its ids', async ({ page }) => {
  const form = await openSettings(page, 'HPD')
  await form.getByLabel('Report ID').fill(PAGE_LINK)
  await expect(form.getByLabel('Report ID')).toHaveValue(PAGE_LINK)
  await form.getByRole('button', { name: 'Preencher Workspace ID e Report ID' }).click()
  await expect(form.getByLabel('Workspace ID')).toHaveValue(VENDAS.workspaceId)
  await expect(form.getByLabel('Report ID')).toHaveValue(VENDAS.reportId)

  await expect(form.getByLabel('Página (opcional)')).toHaveValue('ReportSection')

  const personal = `${PAGE_LINK.replace('https://', '')}&bookmarkGuid=${VENDAS.reportId}`
  await form.getByLabel('Workspace ID').fill(personal)
  await save(page)
  await expect(form.getByLabel('Workspace ID')).toHaveAccessibleDescription(
    'Workspace ID inválido (formato UUID esperado)',
  )
  await expect(form.getByText(/ficam de fora: x, bookmarkGuid\. O indicador .* é pessoal/)).toBeVisible()
  await form.getByRole('button', { name: 'Usar o link corrigido' }).click()
  await expect(form.getByLabel('Indicador do relatório (opcional)')).toHaveValue('')
  await form.getByLabel('Report ID').fill(`https://app.powerbi.com/groups/me/reports/${VENDAS.reportId}`)
  await expect(form.getByText(/^Relatórios de “Meu espaço de trabalho”/)).toBeVisible()
  await form.getByLabel('Report ID').fill(`https://app.powerbi.com/dashboards/${VENDAS.reportId}`)
  await expect(form.getByRole('alert')).toContainText('Ele leva a um painel')
  await form.getByLabel('Report ID').fill('')

  const fabric = PAGE_LINK.replace('powerbi.com', 'fabric.microsoft.com')
  await form.getByLabel('Workspace ID').fill(fabric.replace(VENDAS.workspaceId, OFICINA.workspaceId))
  await form.getByRole('button', { name: 'Preencher Workspace ID e Report ID' }).click()
  await expect(form.getByLabel('Workspace ID')).toHaveValue(OFICINA.workspaceId)

  const app = `https://app.powerbi.com/groups/me/apps/${OFICINA.workspaceId}/reports/${OFICINA.reportId}`
  await form.getByLabel('Workspace ID').fill(`<iframe src="${app}?ctid=1&amp;x=1"></iframe>`)
  await expect(form.getByText(/^Este link não tem o Workspace ID\. Em um aplicativo/)).toBeVisible()
  await form.getByRole('button', { name: 'Preencher Report ID' }).click()
  await expect(form.getByLabel('Workspace ID')).toHaveValue('')
  await expect(form.getByLabel('Report ID')).toHaveValue(OFICINA.reportId)

  await form.getByRole('radio', { name: 'URL Direta (SSO)' }).check()
  await form.getByLabel('URL do relatório').fill(PAGE_LINK.replace(VENDAS.reportId, OFICINA.reportId))
  await form.getByRole('button', { name: 'Usar Service Principal com os IDs deste link' }).click()
  await expect(form.getByRole('radio', { name: 'Service Principal' })).toBeChecked()
  await expect(form.getByLabel('Report ID')).toHaveValue(OFICINA.reportId)
})

test('the demo’s own share link is shown, and saving it explains why it is rejected', async ({ page }) => {
  const form = await openSettings(page, 'Operadores')
  await expect(form.getByLabel('URL do relatório')).toHaveValue(/^\/demo\/power-bi\/reportEmbed/)
  await expect(form.getByText(/^Este endereço é do Power BI simulado desta demonstração/)).toBeVisible()
  await save(page)
  await expect(toast(page, INVALID)).toBeVisible()
  await expect(form.getByLabel('URL do relatório')).toHaveAccessibleDescription(toPrefixPattern(INVALID))
})
