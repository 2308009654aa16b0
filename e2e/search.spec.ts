import type { Page } from '@playwright/test'
import { findSeriousViolations } from './axe-findings.ts'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'

const search = (page: Page) => page.getByRole('combobox', { name: 'Buscar área, visão ou página' })
const options = (page: Page) => page.getByRole('option')
const waitForReport = (page: Page, area: string) =>
  expect(getReportFrame(page, area).locator('[data-card]').first()).toBeVisible()

test('Ctrl K finds areas and pages without accents, the recently opened first', async ({ page }) => {
  await openAs(page, 'diretoria')
  await waitForReport(page, 'Vendas')
  await page.keyboard.press('Control+K')
  await expect(search(page)).toBeFocused()
  await search(page).fill('visao GERAL')
  await expect(options(page)).toHaveText([/^Visão geral/])
  await search(page).fill('detalhe')
  await expect(options(page).first()).toHaveAttribute('data-highlighted')
  await page.keyboard.press('Enter')
  await expect(
    getReportFrame(page, 'Vendas')
      .getByRole('button', { name: /estado/i })
      .first(),
  ).toHaveAttribute('aria-current', 'page')
  await page.keyboard.press('Control+K')
  await search(page).fill('ofi')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Oficina')
  await page.keyboard.press('Control+K')
  const recent = page.getByRole('group', { name: 'Abertas há pouco' })
  await expect(recent.getByRole('option').first()).toContainText('Vendas')
  await expect(search(page)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(options(page).nth(1)).toHaveAttribute('data-highlighted')
  const active = await options(page).nth(1).getAttribute('id')
  await expect(search(page)).toHaveAttribute('aria-activedescendant', active as string)
  expect(await findSeriousViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(search(page)).toHaveCount(0)
})

test('acts of the open report are found and done', async ({ page }) => {
  await openAs(page, 'diretoria')
  await waitForReport(page, 'Vendas')
  const run = async (typed: string, found: RegExp) => {
    await page.keyboard.press('Control+K')
    await search(page).fill(typed)
    await expect(options(page)).toHaveText([found])
    await page.keyboard.press('Enter')
  }
  await run('compart', /^Compartilhar/)
  await expect(page.getByRole('dialog', { name: 'Compartilhar' }).getByLabel('Link')).toBeVisible()
  await page.keyboard.press('Escape')
  await run('powerpoint', /^Exportar/)
  await expect(page.getByRole('dialog', { name: /^Exportar/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await run('salvar visao', /^Salvar visão atual/)
  await expect(page.getByRole('dialog', { name: /visão/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await run('tela cheia', /^Tela cheia/)
  await expect
    .poll(() => page.evaluate(() => document.fullscreenElement?.getAttribute('title')))
    .toBe('Vendas')
  await page.evaluate(() => document.exitFullscreen())
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
  await page.keyboard.press('Control+K')
  await search(page).fill('exportar')
  await expect(page.getByText('Nada encontrado')).toBeVisible()
  // By other words than those of the title.
  for (const [typed, found] of [
    ['email', /^Relatórios por e-mail/],
    ['senha', /^Minha Conta/],
  ] as const) {
    await search(page).fill(typed)
    await expect(options(page)).toHaveText([found])
  }
})

test('what is typed while ‘Buscar’ still loads is searched for, and is no key', async ({ page }) => {
  const { promise: hasTyped, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/search-dialog-*.js', async (route) => {
    await hasTyped
    await route.continue()
  })
  await openAs(page, 'diretoria')
  await waitForReport(page, 'Vendas')
  await page.keyboard.press('Control+K')
  await page.keyboard.type('s2?ofi')
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Vendas')
  release()
  // Until the field has the focus, too.
  await page.keyboard.type('cina')
  await expect(search(page)).toHaveValue('s2?oficina')
  await expect(search(page)).toBeFocused()
  await expect(page.getByRole('dialog')).toHaveCount(1)
})

test('pages are found although ‘Buscar’ was opened before the report', async ({ page }) => {
  const { promise: isOpen, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/functions/get-powerbi-token', async (route) => {
    await isOpen
    await route.continue()
  })
  await openAs(page, 'vendas.rj')
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Vendas')
  await page.keyboard.press('Control+K')
  await expect(options(page).first()).toBeVisible()
  await expect(page.getByRole('group', { name: 'Páginas de Vendas' })).toHaveCount(0)
  release()
  await expect(page.getByRole('group', { name: 'Páginas de Vendas' })).toBeVisible()
})

test('administrators find people and screens; others find neither', async ({ page }) => {
  await openAs(page, 'admin', '/profile')
  await page.getByRole('button', { name: 'Buscar' }).click()
  await search(page).fill('saude')
  await expect(options(page)).toHaveText([/^Saúde do portal/])
  await search(page).fill('vendas.rj@')
  await page.getByRole('group', { name: 'Pessoas' }).getByRole('option').first().click()
  await expect(page).toHaveURL(/\/admin\/pessoas\?pessoa=/)
  await expect(page.getByRole('region', { name: 'Pessoa: Vera Vendas' })).toContainText('vendas.rj@')
})

test('people who are not administrators find no screens of administration', async ({ page }) => {
  await openAs(page, 'vendas.rj')
  await waitForReport(page, 'Vendas')
  await page.keyboard.press('Control+K')
  await search(page).fill('minha conta')
  await expect(options(page)).toHaveCount(1)
  await search(page).fill('saude')
  await expect(page.getByText('Nada encontrado')).toBeVisible()
})

test('single keys choose tabs, hide all but the report and save a view; they can be switched off', async ({
  page,
}) => {
  await openAs(page, 'diretoria')
  await waitForReport(page, 'Vendas')
  const selected = page.getByRole('tab', { selected: true })
  await page.keyboard.press('2')
  await expect(selected).toHaveText('Oficina')
  await page.keyboard.press('1')
  await page.keyboard.press('f')
  await expect(page.getByRole('banner')).toBeHidden()
  await expect(page.getByRole('tablist')).toBeHidden()
  const height = async () => (await page.locator('iframe[title="Vendas"]').boundingBox())?.height
  await expect.poll(height).toBe(page.viewportSize()?.height)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('banner')).toBeVisible()
  await page.keyboard.press('s')
  const name = page.getByLabel('Nome da visão')
  await expect(name).toBeFocused()
  // In a field the keys are letters.
  await name.pressSequentially('f2?')
  await expect(name).toHaveValue('f2?')
  await page.getByRole('button', { name: 'Salvar', exact: true }).click()
  await expect(page.getByText('Visão “f2?” salva')).toBeVisible()

  await page.keyboard.press('?')
  await page.getByRole('checkbox', { name: /teclas sozinhas/ }).uncheck()
  await page.getByRole('button', { name: 'Fechar' }).click()
  await page.reload()
  await waitForReport(page, 'Vendas')
  await page.keyboard.press('2')
  await page.keyboard.press('Control+K')
  await search(page).fill('f2')
  await expect(options(page).first()).toContainText('f2?')
  await page.getByRole('button', { name: 'Atalhos de teclado' }).click()
  await expect(page.getByRole('checkbox', { name: /teclas sozinhas/ })).not.toBeChecked()
  await page.keyboard.press('Escape')
  await expect(selected).toHaveText('Vendas')
})

test('on a phone the search opens from the thumb bar', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, 'diretoria')
  await waitForReport(page, 'Vendas')
  await page.getByRole('button', { name: 'Buscar' }).click()
  await search(page).fill('operadores')
  await options(page).first().click()
  await expect(page).toHaveURL(/area=Operadores/)
})
