import type { Page } from '@playwright/test'
import { expect, getReportFrame, openAs, openSession, test } from './portal-fixture.ts'
import { addReportView } from './report-view-fixture.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const views = (page: Page) => page.getByRole('button', { name: /^Visões/ })
const panel = (page: Page) => page.getByRole('dialog', { name: 'Visões' })
const row = (page: Page, name: string) => panel(page).getByRole('button', { name: new RegExp(`^${name}`) })
const scope = (page: Page, area = 'Vendas') => getReportFrame(page, area).locator('.scope')
const selection = (page: Page) =>
  getReportFrame(page, 'Vendas').getByRole('button', { name: /^Limpar seleção/ })

async function selectState(page: Page, estado: string): Promise<void> {
  const report = getReportFrame(page, 'Vendas')
  await report
    .getByRole('button', { name: /estado$/i })
    .first()
    .click()
  // By key: an opening view draws the report twice, and a press of the mouse may straddle that.
  await report.getByRole('group', { name: 'Estado' }).getByRole('button', { name: estado }).press('Enter')
  await expect(selection(page)).toHaveText(`Limpar seleção: ${estado}`)
}

async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  const item = panel(page).getByRole('listitem').filter({ hasText: name })
  await item.getByRole('button', { name: 'Mais ações' }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

test('a view is saved with page and selection, named, and opens again', async ({ page }) => {
  await openAs(page, 'diretoria')
  await expect(scope(page)).toBeVisible()
  await selectState(page, 'MG')
  // Nothing is remembered that was not saved.
  await page.reload()
  await expect(scope(page)).toBeVisible()
  await expect(selection(page)).toHaveCount(0)
  await selectState(page, 'MG')
  await views(page).click()
  // It is not shown as published any more.
  await expect(panel(page).locator('[aria-current]')).toHaveCount(0)
  await button(page, 'Salvar visão atual').click()
  await button(page, 'Salvar').click()
  await expect(page.getByText('Informe um nome para a visão')).toBeVisible()
  await page.getByLabel('Nome da visão').fill('Minas')
  await page.keyboard.press('Enter')
  await expect(views(page)).toHaveAccessibleName('Visões: Minas')
  await expect(page).toHaveURL(/area=Vendas&visao=[\w-]{36}$/)

  await selectState(page, 'ES')
  await expect(views(page)).toHaveAccessibleName('Visões: Minas, alterada')
  await button(page, 'Compartilhar').click()
  await expect(page.getByText('O que você mudou na tela desde então não vai junto.')).toBeVisible()
  await page.keyboard.press('Escape')
  await views(page).click()
  await expect(row(page, 'Minas')).toHaveText('Minasalterada')
  await row(page, 'Minas').click()
  await expect(selection(page)).toHaveText('Limpar seleção: MG')
  await expect(views(page)).toHaveAccessibleName('Visões: Minas')

  await views(page).click()
  await row(page, 'Como foi publicado').click()
  await expect(selection(page)).toHaveCount(0)
  await expect(views(page)).toHaveAccessibleName('Visões')
  await expect(page).not.toHaveURL(/visao/)
  await views(page).click()
  await expect(row(page, 'Como foi publicado')).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('Escape')
  await views(page).click()
  await row(page, 'Minas').click()
  await expect(selection(page)).toHaveText('Limpar seleção: MG')
  await page.reload()
  await expect(selection(page)).toHaveText('Limpar seleção: MG')
  await button(page, 'Restaurar filtros').click()
  await expect(selection(page)).toHaveCount(0)
  await expect(views(page)).toHaveAccessibleName('Visões')
})

test('a view can open first, be renamed, overwritten and deleted, each with undo where it loses something', async ({
  page,
  portal,
}) => {
  await openAs(page, 'diretoria')
  await expect(scope(page)).toBeVisible()
  const save = async (name: string) => {
    await views(page).click()
    await button(page, 'Salvar visão atual').click()
    await page.getByLabel('Nome da visão').fill(name)
  }
  await selectState(page, 'MG')
  await save('Estados')
  await page.getByLabel('Abrir o relatório com esta visão').check()
  await button(page, 'Salvar').click()
  await expect(views(page)).toHaveAccessibleName('Visões: Estados')
  await page.goto('/power-bi')
  await expect(selection(page)).toHaveText('Limpar seleção: MG')
  await expect(views(page)).toHaveAccessibleName('Visões: Estados')

  await selectState(page, 'ES')
  await views(page).click()
  await expect(row(page, 'Estados')).toContainText('abre primeiro')
  await chooseAction(page, 'Estados', 'Salvar por cima')
  await expect(page.getByText('Visão “Estados” salva como está agora')).toBeVisible()
  await page.goto('/power-bi')
  await expect(selection(page)).toHaveText('Limpar seleção: ES')
  await selectState(page, 'PR')
  await save('estados')
  await expect(page.getByText('Já existe uma visão com este nome: ela será substituída.')).toBeVisible()
  await button(page, 'Substituir').click()
  await expect(page.getByText('Visão “Estados” salva como está agora')).toBeVisible()
  // The navigation would cut it off.
  const undone = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await button(page, 'Desfazer').click()
  await (await undone).finished()
  await expect(button(page, 'Desfazer')).toHaveCount(0)
  await page.goto('/power-bi')
  await expect(selection(page)).toHaveText('Limpar seleção: ES')

  await views(page).press('Enter')
  await panel(page).getByRole('button', { name: 'Mais ações' }).press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Salvar por cima' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByLabel('Nome da visão').fill('Paraná')
  await button(page, 'Salvar').click()
  await expect(views(page)).toHaveAccessibleName('Visões: Paraná')
  await views(page).click()
  await chooseAction(page, 'Paraná', 'Não abrir primeiro')
  await expect(row(page, 'Paraná')).not.toContainText('abre primeiro')
  const { db } = portal.database
  const view = await db.selectFrom('report_views').selectAll().executeTakeFirstOrThrow()
  const { user_id, type, report_id } = view
  const now = new Date()
  const tomorrow = new Date(Date.now() + 86_400_000)
  const runs = { every: 'day', hour: 7, next_run_at: tomorrow, created_at: now, updated_at: now } as const
  const mailed = { user_id, type, report_id, view_id: view.id, format: 'pdf', ...runs } as const
  await db.insertInto('report_subscriptions').values(mailed).execute()
  await chooseAction(page, 'Paraná', 'Excluir')
  await expect(page.getByText('O envio por e-mail desta visão também para.')).toBeVisible()
  await expect(panel(page).getByText('Paraná')).toHaveCount(0)
  await expect(views(page)).toHaveAccessibleName('Visões')
  await page.goto('/profile/envios')
  await expect(page.getByText('A visão deste envio foi excluída, e ele parou.')).toBeVisible()
  await expect(page.getByText('Próximo')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Parar/ })).toHaveCount(0)
})

test('a deleted view that was open is open again once it is undone, and on a tab to which one returns', async ({
  page,
  portal,
}) => {
  const id = await addReportView(portal, 'diretoria')
  await page.clock.install()
  await openAs(page, 'diretoria', `/power-bi?area=Vendas&visao=${id}`)
  await expect(views(page)).toHaveAccessibleName('Visões: GM no RJ')
  await views(page).click()
  await chooseAction(page, 'GM no RJ', 'Excluir')
  await expect(panel(page).getByText('GM no RJ')).toHaveCount(0)
  await expect(page).not.toHaveURL(/visao/)
  await button(page, 'Desfazer').click()
  await expect(views(page)).toHaveAccessibleName('Visões: GM no RJ')
  await expect(page).toHaveURL(new RegExp(`visao=${id}`))

  // As steps of their own in the history.
  for (const area of ['Oficina', 'Vendas']) {
    await page.clock.fastForward(11_000)
    await page.getByRole('tab', { name: area }).click()
    await expect(page).toHaveURL(new RegExp(`area=${area}`))
  }
  await expect(page).toHaveURL(new RegExp(`visao=${id}`))
})

test('a view that is renamed or deleted on one page follows on the other, open or listed', async ({
  page,
  portal,
}) => {
  const id = await addReportView(portal, 'diretoria')
  await addReportView(portal, 'diretoria', { name: 'Outra' })
  await openAs(page, 'diretoria', `/power-bi?area=Vendas&visao=${id}`)
  const other = await page.context().newPage()
  await other.goto('/power-bi?area=Vendas')
  await expect(views(page)).toHaveAccessibleName('Visões: GM no RJ')
  for (const each of [page, other]) await views(each).click()
  const rename = async (name: string, next: string) => {
    await chooseAction(other, name, 'Renomear')
    await other.getByLabel('Nome da visão').fill(next)
    await button(other, 'Salvar').click()
    await expect(panel(other)).toHaveCount(0)
    await views(other).click()
  }
  // Within less than the time for which a list is fresh.
  const soon = { timeout: 20_000 }
  await rename('GM no RJ', 'Rio')
  await expect(views(page)).toHaveAccessibleName('Visões: Rio', soon)
  await expect(row(page, 'Rio')).toHaveAttribute('aria-current', 'true')
  await rename('Outra', 'Minas')
  await expect(row(page, 'Minas')).toBeVisible(soon)
  await chooseAction(other, 'Minas', 'Excluir')
  await expect(row(page, 'Minas')).toHaveCount(0, soon)
  await chooseAction(other, 'Rio', 'Excluir')
  await expect(row(page, 'Rio')).toHaveCount(0, soon)
  await expect(views(page)).toHaveAccessibleName('Visões')
  await expect(page).not.toHaveURL(/visao/)
  await expect(scope(page)).toContainText('10 marcas  ·  RJ')
})

test('a view keeps its own filters, but the person’s marcas are set again', async ({ page, portal }) => {
  const id = await addReportView(portal, 'diretoria')
  await addReportView(portal, 'diretoria', { name: 'Velha', state: 'H4sIAAAA' })
  await openAs(page, 'diretoria', `/power-bi?area=Vendas&visao=${id}`)
  await expect(scope(page)).toContainText('10 marcas  ·  RJ')
  await views(page).click()
  await row(page, 'Como foi publicado').click()
  await expect(scope(page)).toContainText('10 marcas  ·  RJ, ES, MG, PR')
  await views(page).click()
  await row(page, 'GM no RJ').click()
  await expect(scope(page)).toHaveText(/10 marcas\s+·\s+RJ$/)

  await views(page).click()
  await row(page, 'Velha').click()
  await expect(page.getByText('A visão “Velha” não abre mais neste relatório')).toBeVisible()
  await expect(scope(page)).toContainText('10 marcas  ·  RJ, ES, MG, PR')
  await expect(views(page)).toHaveAccessibleName('Visões')
})

test('the view asked for last is shown, though the answer to an older question comes later', async ({
  page,
  portal,
}) => {
  const slow = await addReportView(portal, 'diretoria', { name: 'Lenta' })
  const quick = await addReportView(portal, 'diretoria', { name: 'Rápida' })
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  await page.route(`**/api/report-views/${slow}`, async (route) => {
    await isReleased
    await route.continue()
  })
  await openAs(page, 'diretoria')
  await expect(scope(page)).toBeVisible()
  const choose = async (name: string) => {
    await views(page).click()
    await row(page, name).click()
  }
  const answered = page.waitForResponse(`**/api/report-views/${slow}`)
  await choose('Lenta')
  await choose('Rápida')
  await expect(views(page)).toHaveAccessibleName('Visões: Rápida')
  release()
  await (await answered).finished()
  await page.goBack()
  await page.goForward()
  await expect(page).toHaveURL(new RegExp(`visao=${quick}`))
  await expect(views(page)).toHaveAccessibleName('Visões: Rápida')
})

test('a view that is no longer understood or does not exist opens the report as published', async ({
  page,
  portal,
}) => {
  const id = await addReportView(portal, 'diretoria', { name: 'Velha', state: 'H4sIAAAA', is_default: true })
  await openAs(page, 'diretoria')
  const refusal = page.getByText('A visão “Velha” não abre mais neste relatório')
  await expect(refusal).toBeVisible()
  await expect(scope(page)).toContainText('10 marcas  ·  RJ, ES, MG, PR')
  await page.goto(`/power-bi?area=Vendas&visao=${id}`)
  await expect(refusal).toBeVisible()
  await expect(page).not.toHaveURL(/visao/)

  await page.goto('/power-bi?area=Vendas&visao=5f0f8d1e-3a57-4c0f-9d0e-6a1b2c3d4e5f')
  await expect(
    page.getByText('Esta visão não existe mais ou não foi compartilhada com você.', { exact: false }),
  ).toBeVisible()
  await expect(scope(page)).toBeVisible()
  await portal.database.db.updateTable('report_views').set({ report_id: 'outro' }).execute()
  await page.goto(`/power-bi?area=Vendas&visao=${id}`)
  await expect(refusal).toBeVisible()
  await expect(scope(page)).toBeVisible()
})

test('a shared link has no views, and says so', async ({ page }) => {
  await openAs(page, 'diretoria', '/power-bi?area=Operadores')
  await views(page).click()
  await expect(
    panel(page).getByText('Este relatório abre com a sua conta da Microsoft e não tem visões.'),
  ).toBeVisible()
  await expect(button(page, 'Salvar visão atual')).toHaveCount(0)
})

test('the report opens as published when the views cannot be read', async ({ page }) => {
  await openSession(page, 'diretoria')
  await page.route('**/api/report-views', (route) => route.abort())
  await page.goto('/power-bi')
  await expect(scope(page)).toBeVisible()
  await views(page).click()
  await expect(panel(page).getByText('Sem conexão com o portal.')).toBeVisible()
})

test('an undo that the limit of views refuses is offered again', async ({ page, portal }) => {
  for (let number = 1; number <= 20; number++)
    await addReportView(portal, 'diretoria', { name: `Visão ${number}`, shared: number === 18 })
  await openAs(page, 'diretoria')
  await expect(scope(page)).toBeVisible()
  await views(page).click()
  await page.getByRole('searchbox', { name: 'Buscar visão' }).fill('visão 18')
  await chooseAction(page, 'Visão 18', 'Excluir')
  await expect(page.getByText('Visão “Visão 18” excluída')).toBeVisible()
  await expect(page.getByText('Quem tem o link deixa de abri-la.')).toBeVisible()
  await addReportView(portal, 'diretoria', { name: 'Nova' })
  await button(page, 'Desfazer').click()
  await expect(page.getByText('Este relatório já tem 20 visões suas, o máximo.')).toBeVisible()
  await portal.database.db.deleteFrom('report_views').where('name', '=', 'Nova').execute()
  await button(page, 'Desfazer').click()
  const listed = portal.database.db.selectFrom('report_views').select('name').where('deleted_at', 'is', null)
  await expect.poll(async () => (await listed.execute()).map(({ name }) => name)).toContain('Visão 18')
  await expect(button(page, 'Desfazer')).toHaveCount(0)
})
