import type { Page } from '@playwright/test'
import { expect, test, toast } from './administration.ts'
import { findSeriousViolations } from './axe-findings.ts'
import { watchLayoutShifts } from './layout-shifts.ts'
import { getReportFrame, openAs } from './portal-fixture.ts'

// A page that has just connected reads notices again within ten seconds.
const SOON = { timeout: 20_000 }
const NOTICE = {
  text: 'Manutenção hoje às 22h',
  severity: 'warning',
  types: null,
  starts_at: null,
  ends_at: null,
  on_login: false,
  is_draft: false,
}
const notices = (page: Page) => page.getByRole('list', { name: 'Avisos' })
const undo = (page: Page) =>
  page.getByRole('region', { name: 'Notificações' }).getByRole('button', { name: 'Desfazer' })
const close = (page: Page) => notices(page).getByRole('button', { name: /^Fechar aviso/ })

test('a notice shows above the tabs at once, and leaves on every device when it is closed', async ({
  page,
  other,
  browser,
}) => {
  test.setTimeout(120_000)
  await openAs(page, 'vendas.rj')
  const report = getReportFrame(page, 'Vendas').locator('[data-card]').first()
  await expect(report).toBeVisible(SOON)
  const elsewhere = await (await browser.newContext()).newPage()
  await openAs(elsewhere, 'vendas.rj')
  const text = 'Dados de ontem atrasados: veja https://status.exemplo.com.br/dados, ou pergunte.'
  await other.call('POST', '/api/admin/notices', { ...NOTICE, text, types: ['Vendas'], severity: 'problem' })
  await other.call('POST', '/api/admin/notices', { ...NOTICE, types: ['Oficina'], text: 'Só à oficina' })
  const { body: maintenance } = await other.call('POST', '/api/admin/notices', NOTICE)
  for (const tab of [page, elsewhere]) {
    await expect(notices(tab)).toContainText('Problema: Dados de ontem', SOON)
    await expect(notices(tab).getByRole('listitem')).toHaveCount(1)
  }
  // The report keeps its room, and its frame.
  await expect(report).toBeVisible()
  expect((await notices(page).boundingBox())?.height).toBeLessThan(40)
  const link = notices(page).getByRole('link')
  await expect(link).toHaveAttribute('href', 'https://status.exemplo.com.br/dados')
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  await notices(page).getByRole('button', { name: 'Mais 1' }).click()
  await expect(notices(page).getByRole('listitem')).toHaveText([/Dados de ontem/, /Manutenção hoje/])
  expect(await findSeriousViolations(page)).toEqual([])
  // What is read while it is being closed still has it.
  const { promise: isRead, resolve: goOn } = Promise.withResolvers<void>()
  await page.route('**/close', (route) => isRead.then(() => route.continue()), { times: 1 })
  const read = page.waitForResponse('**/api/notices')
  await close(page).first().click()
  await expect(close(page)).toHaveCount(1)
  await other.call('POST', '/api/admin/notices', { ...NOTICE, text: 'Um terceiro' })
  await read
  await expect(notices(page).getByRole('listitem')).toHaveText([/Um terceiro/, /Manutenção hoje/])
  goOn()
  await expect(close(page).last()).toBeFocused()
  await expect(notices(elsewhere)).not.toContainText('Dados de ontem', SOON)
  await close(page).first().click()
  await expect(close(page)).toHaveCount(1)
  await close(page).click()
  await expect(page.locator('#conteudo')).toBeFocused()
  await expect(notices(elsewhere)).toHaveCount(0, SOON)

  const path = `/api/admin/notices/${maintenance.id}`
  await other.call('PATCH', path, { ...NOTICE, text: 'Manutenção adiada' }, maintenance.version)
  await expect(notices(page)).toContainText('Manutenção adiada', SOON)
  await close(page).click()
  await expect(notices(elsewhere)).toHaveCount(0, SOON)
  await page.reload()
  await expect(page.getByRole('tab')).not.toHaveCount(0)
  await expect(notices(page)).toHaveCount(0)
  await elsewhere.context().close()
})

test('a long notice has two lines on a phone, and does not move the report while it loads', async ({
  page,
  other,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const text = 'O Power BI terá manutenção hoje à noite. '.repeat(6).trim()
  await other.call('POST', '/api/admin/notices', { ...NOTICE, text })
  const readShifts = await watchLayoutShifts(page)
  await openAs(page, 'vendas.rj')
  await expect(notices(page)).toBeVisible(SOON)
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible(SOON)
  expect(await readShifts()).toEqual([])
  expect((await notices(page).boundingBox())?.height).toBeLessThan(50)
  await notices(page).getByRole('button', { name: 'Ler tudo' }).click()
  await expect(notices(page).getByText(text)).toBeInViewport({ ratio: 1 })
})

test('an administrator drafts, publishes, ends and deletes a notice, and can undo', {
  tag: '@translated',
}, async ({ page, other }) => {
  await openAs(page, 'admin', '/admin/avisos')
  await expect(page.getByText('Nenhum aviso ainda.')).toBeVisible()
  await page.getByRole('button', { name: 'Novo aviso' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Publicar' }).click()
  await expect(dialog.getByText('Escreva o aviso').first()).toBeVisible()
  await dialog.getByLabel('Texto').fill('Relatório novo\nem Vendas')
  await dialog.getByRole('checkbox', { name: /rascunho/ }).check()
  await expect(dialog.getByRole('list', { name: 'Avisos' })).toContainText('Relatório novo em Vendas')
  await dialog.getByText('Só quem tem certas áreas').click()
  await dialog.getByRole('button', { name: 'Salvar rascunho' }).click()
  await expect(dialog.getByText('Escolha pelo menos uma área')).toBeVisible()
  await dialog.getByRole('checkbox', { name: 'Vendas' }).check()
  await dialog.getByLabel('Fim', { exact: true }).fill('31/12/2099')
  expect(await findSeriousViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Salvar rascunho' }).click()
  const item = page.getByRole('list', { name: 'Avisos' }).getByRole('listitem')
  await expect(item).toContainText('Rascunho')
  await expect(item).toContainText('Desde que for publicado, até 31/12/2099, 23:59 · Vendas')

  await item.getByRole('button', { name: 'Editar' }).click()
  await dialog.getByRole('checkbox', { name: /rascunho/ }).uncheck()
  await dialog.getByRole('button', { name: 'Publicar' }).click()
  await expect(item).toContainText('No ar')
  // A second press on its place reaches no other button.
  const place = await item.getByRole('button', { name: 'Editar' }).boundingBox()
  await item.getByRole('button', { name: 'Encerrar' }).click()
  await expect(item).toContainText('Encerrado')
  expect((await item.getByRole('button', { name: 'Editar' }).boundingBox())?.x).toBe(place?.x)
  await expect(item.getByRole('button', { name: 'Editar' })).toBeFocused()
  await expect(toast(page, 'Aviso encerrado')).toBeVisible()
  await undo(page).click()
  await expect(item).toContainText('No ar')
  await item.getByRole('button', { name: 'Excluir' }).click()
  await expect(page.getByText('Nenhum aviso ainda.')).toBeVisible()
  await undo(page).click()
  await expect(item).toContainText('No ar')
  // Another administrator's notice shows without a reload.
  await other.call('POST', '/api/admin/notices', NOTICE)
  await expect(item).toHaveCount(2, SOON)
  expect(await findSeriousViolations(page)).toEqual([])
})

for (const width of [390, 1440])
  test(`a notice for visitors arrives at /login without moving it (${width} px)`, async ({ page, other }) => {
    await page.setViewportSize({ width, height: 844 })
    // As long as one may be.
    const text =
      'Manutenção hoje das 22h às 23h30: o portal pode ficar fora do ar por uns minutos. Salve antes.'
    await other.call('POST', '/api/admin/notices', { ...NOTICE, text, on_login: true })
    let answer = () => {}
    const isAsked = new Promise<void>((resolve) => {
      void page.route('**/api/notices/public', async (route) => {
        resolve()
        await new Promise<void>((proceed) => {
          answer = proceed
        })
        await route.continue()
      })
    })
    const readShifts = await watchLayoutShifts(page)
    await page.goto('/login')
    await isAsked
    await page.getByLabel('Senha', { exact: true }).fill('uma senha')
    await readShifts()
    answer()
    await expect(page.getByText(text)).toBeVisible()
    expect(await readShifts()).toEqual([])
    const heading = await page.getByRole('heading', { name: 'Entrar' }).boundingBox()
    const notice = await page.getByText(text).locator('xpath=ancestor::p').boundingBox()
    expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThanOrEqual((heading?.y ?? 0) + 2)
    await expect(page.getByText(text).getByRole('link')).toHaveCount(0)
    expect(await findSeriousViolations(page)).toEqual([])
  })
