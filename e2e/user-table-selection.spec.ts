import type { Page } from '@playwright/test'
import { expect, test } from './administration.ts'
import {
  countPeople,
  getStatus,
  header,
  openTable,
  pickFilter,
  rows,
  waitUntilSorted,
} from './user-table-fixture.ts'

// Rows are virtualized: only those near the window are rendered.
test.use({ viewport: { width: 1440, height: 1300 } })

const remove = (page: Page) => page.getByRole('button', { name: /^Excluir Selecionados/ })

test('all who match are selected, except those deselected, until the filter changes', async ({ page }) => {
  await openTable(page)
  const count = await countPeople(page)
  const edit = page.getByRole('button', { name: /^Alterar Filtros em Massa/ })
  await expect(edit).toHaveText('Alterar Filtros em Massa (0)')
  await expect(edit).toBeDisabled()
  await expect(remove(page)).toHaveText('Excluir Selecionados (0)')
  await expect(remove(page)).toBeDisabled()

  const all = page.getByRole('checkbox', { name: 'Selecionar todos' })
  await all.check()
  await expect(getStatus(page)).toContainText(`Todos os ${count} usuários estão selecionados`)
  await expect(remove(page)).toHaveText(`Excluir Selecionados (${count})`)
  await rows(page).nth(1).getByRole('checkbox').uncheck()
  await rows(page).nth(3).getByRole('checkbox').uncheck()
  await expect(getStatus(page)).toContainText('estão selecionados, menos 2')
  await expect(edit).toHaveText(`Alterar Filtros em Massa (${count - 2})`)
  expect(await all.evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(true)

  await header(page, 'Nome').click()
  await expect(page).toHaveURL(/sort=full_name/)
  await waitUntilSorted(page, 'Nome', 'ascending')
  await expect(getStatus(page)).toContainText('menos 2')
  await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }))
  await expect(page.locator(`#usuarios [aria-rowindex="${count + 1}"]`).getByRole('checkbox')).toBeChecked()
  await pickFilter(page, 'Tipo', 'HPD')
  await expect(edit).toBeDisabled()
  await all.check()
  await expect(getStatus(page)).toContainText('que correspondem estão selecionados')
  await page.getByRole('button', { name: 'Limpar seleção' }).click()
  await expect(edit).toBeDisabled()
})

test('shift selects a range, by pointer and by keyboard', async ({ page }) => {
  await openTable(page)
  const box = (index: number) => page.locator(`#usuarios [data-index="${index}"]`).getByRole('checkbox')
  await box(1).click()
  await box(5).click({ modifiers: ['Shift'] })
  await expect(getStatus(page)).toContainText('5 usuários selecionados')
  await box(3).click()
  await expect(getStatus(page)).toContainText('4 usuários selecionados')
  await box(3).press('ArrowDown')
  await expect(box(4)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Space')
  await expect(getStatus(page)).toContainText('2 usuários selecionados')
})

test('the table is usable by keyboard alone', async ({ page }) => {
  await openTable(page)
  const count = await countPeople(page)
  await header(page, 'Data de Registro').focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/sort=created_at/)
  await waitUntilSorted(page, 'Data de Registro', 'ascending')
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).focus()
  await page.keyboard.press('Space')
  await expect(getStatus(page)).toContainText('estão selecionados')

  const first = page.locator('#usuarios [data-index="0"]')
  await first.getByRole('checkbox').focus()
  await page.keyboard.press('Tab')
  await expect(first.getByRole('link')).toBeFocused()
  for (const name of [/^(Remover|Aprovar)$/, 'Mais ações']) {
    await page.keyboard.press('Tab')
    await expect(first.getByRole('button', { name })).toBeFocused()
  }
  await page.keyboard.press('End')
  const last = page.locator(`#usuarios [data-index="${count - 1}"]`)
  await expect(last.getByRole('button', { name: 'Mais ações' })).toBeFocused()
  await expect(last).toBeInViewport({ ratio: 0.9 })
  await page.keyboard.press('Home')
  await expect(first.getByRole('button', { name: 'Mais ações' })).toBeFocused()
  // Tab also reaches the next control in a row scrolled far away.
  await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }))
  await expect(last).toBeInViewport()
  await page.keyboard.press('Shift+Tab')
  await expect(first.getByRole('button', { name: /^(Remover|Aprovar)$/ })).toBeFocused()
})

test('people who leave the list also leave the selection and its exceptions', async ({ page, other }) => {
  const waiting = await other.people('approved=false&verified=true')
  const [first = '', second = '', third = ''] = waiting.slice(2).map(({ email }) => email)
  const getRow = (email: string) => rows(page).filter({ hasText: email })
  const approve = async (email: string) => {
    await getRow(email).getByRole('button', { name: 'Aprovar' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Aprovar', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Aprovar mesmo assim' }).click()
    await expect(page.getByRole('region', { name: 'Notificações' })).toContainText(email)
    await expect(getRow(email)).toHaveCount(0)
  }
  await openTable(page, '?status=pending&verified=yes')
  for (const email of [first, second]) await getRow(email).getByRole('checkbox').check()
  await approve(first)
  await expect(getStatus(page)).toContainText('1 usuário selecionado')
  await expect(remove(page)).toHaveText('Excluir Selecionados (1)')
  await expect(page.locator('#usuarios tbody input:checked')).toHaveCount(1)

  const left = waiting.length - 2
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
  await getRow(third).getByRole('checkbox').uncheck()
  await expect(remove(page)).toHaveText(`Excluir Selecionados (${left})`)
  await approve(third)
  await expect(getStatus(page)).toContainText(`Todos os ${left} usuários`)
  await expect(getStatus(page)).not.toContainText('menos')
  await expect(remove(page)).toHaveText(`Excluir Selecionados (${left})`)
})

test('while another list loads, the old rows stay dimmed and unselectable, and the focus is kept', async ({
  page,
}) => {
  await openTable(page)
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/profiles?*approved=false*', async (route) => {
    await isAnswered
    await route.continue()
  })
  const table = page.locator('#usuarios table')
  const box = rows(page).nth(3).getByRole('checkbox')
  const all = page.getByRole('checkbox', { name: 'Selecionar todos' })
  await page.getByRole('button', { name: /^Pendentes/ }).click()
  await expect(table).toHaveAttribute('aria-busy', 'true')
  await expect(rows(page).first()).toContainText('admin@grupopatio.com.br')
  for (const each of [box, all]) {
    await expect(each).toBeDisabled()
    await each.focus()
    await page.keyboard.press('Space')
    await expect(each).toBeFocused()
    await expect(each).not.toBeChecked()
  }
  answer()
  await expect(table).toHaveAttribute('aria-busy', 'false')
  await expect(getStatus(page)).not.toContainText('selecionado')
  await expect(all).toBeFocused()
  await expect(box).toBeEnabled()
})
