import type { Browser, Page } from '@playwright/test'
import { expect, muteChanges, test } from './portal-fixture.ts'
import { getDatasetField, getForm, openSettings, save, toast } from './settings-card.ts'

/** Not tested before it is saved, as ids are. */
const getPageField = (page: Page) => getForm(page).getByLabel('Página (opcional)')
const notice = (page: Page) => getForm(page).getByRole('alert')
const NOT_SAVED = 'Erro ao salvar configuração do Power BI para Vendas'
const SAVED = 'Configuração do Power BI para Vendas salva com sucesso'

async function openCardAs(browser: Browser, baseURL: string, name: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL })).newPage()
  await muteChanges(page)
  await openSettings(page, 'Vendas', name)
  return page
}

test('a change saved by another administrator meanwhile is shown and not overwritten unasked', async ({
  browser,
  demo,
}) => {
  await demo.setAdministrator('diretoria', true)
  const [ana, dirceu] = [
    await openCardAs(browser, demo.url, 'admin'),
    await openCardAs(browser, demo.url, 'diretoria'),
  ]
  await getPageField(ana).fill('ReportSectionA')
  await save(ana)
  await expect(toast(ana, SAVED)).toBeVisible()

  await getPageField(dirceu).fill('ReportSectionB')
  await save(dirceu)
  await expect(notice(dirceu)).toContainText('Esta área foi alterada enquanto você editava')
  await expect(notice(dirceu)).toContainText('por admin@grupopatio.com.br')
  await expect(notice(dirceu)).toContainText('ReportSectionA')
  await expect(getPageField(dirceu)).toHaveValue('ReportSectionB')
  // The alert says it; a toast would cover the buttons.
  await expect(toast(dirceu, NOT_SAVED)).toHaveCount(0)
  await notice(dirceu).getByRole('button', { name: 'Usar a versão atual' }).click()
  await expect(notice(dirceu)).toHaveCount(0)
  await expect(getPageField(dirceu)).toHaveValue('ReportSectionA')

  // Deleted meanwhile, but kept here on request.
  await getForm(ana).getByRole('radio', { name: 'Nenhum' }).check()
  await save(ana)
  await ana.getByRole('button', { name: 'Remover relatório' }).click()
  await expect(toast(ana, 'Configuração do Power BI para Vendas removida com sucesso')).toBeVisible()
  await getPageField(dirceu).fill('ReportSectionB')
  await save(dirceu)
  await expect(notice(dirceu)).toContainText(/Modo\s*Nenhum/)
  await notice(dirceu).getByRole('button', { name: 'Salvar a minha mesmo assim' }).click()
  await expect(toast(dirceu, SAVED)).toBeVisible()
  await expect(notice(dirceu)).toHaveCount(0)

  // Ana saw no report, so her 'Nenhum' removes nothing; she has no unsaved input either.
  await save(ana)
  await expect(toast(ana, NOT_SAVED)).toBeVisible()
  await expect(getPageField(ana)).toHaveValue('ReportSectionB')
  await expect(notice(ana)).toHaveCount(0)
})

test('a demoted administrator is sent away by the next click', async ({ browser, demo }) => {
  await demo.setAdministrator('diretoria', true)
  const page = await openCardAs(browser, demo.url, 'diretoria')
  await getDatasetField(page).fill('nunca salvo')
  // Demoted while the request is in flight: earlier, the poll of every 15 s could have revealed it.
  await page.route('**/api/global-powerbi-settings/**', async (route) => {
    if (route.request().method() !== 'GET') await demo.setAdministrator('diretoria', false)
    await route.fallback()
  })
  await save(page)
  await expect(toast(page, 'Acesso negado. Apenas administradores.').first()).toBeVisible()
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Administração' })).toHaveCount(0)
  await page.goto('/admin')
  await expect(toast(page, 'Acesso negado. Apenas administradores.')).toBeVisible()
  await expect(page).toHaveURL(/\/power-bi/)
})
