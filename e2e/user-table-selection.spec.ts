import { expect, test } from './portal-fixture.ts'
import {
  header,
  openTable,
  pickFilter,
  readEverybody,
  rows,
  untilSorted,
  words,
} from './user-table-fixture.ts'

// Only rows near the window are drawn.
test.use({ viewport: { width: 1440, height: 1300 } })

test('all that match are selected, but for those taken out, until the filter changes', async ({
  page,
  demo,
}) => {
  await openTable(page)
  const count = (await readEverybody(demo.url)).length
  const edit = page.getByRole('button', { name: /^Alterar Filtros em Massa/ })
  const remove = page.getByRole('button', { name: /^Excluir Selecionados/ })
  await expect(edit).toHaveText('Alterar Filtros em Massa (0)')
  await expect(edit).toBeDisabled()
  await expect(remove).toHaveText('Excluir Selecionados (0)')
  await expect(remove).toBeDisabled()

  const all = page.getByRole('checkbox', { name: 'Selecionar todos' })
  await all.check()
  await expect(words(page)).toContainText(`Todos os ${count} usuários estão selecionados`)
  await expect(remove).toHaveText(`Excluir Selecionados (${count})`)
  await rows(page).nth(1).getByRole('checkbox').uncheck()
  await rows(page).nth(3).getByRole('checkbox').uncheck()
  await expect(words(page)).toContainText('estão selecionados, menos 2')
  await expect(edit).toHaveText(`Alterar Filtros em Massa (${count - 2})`)
  expect(await all.evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(true)

  await header(page, 'Nome').click()
  await expect(page).toHaveURL(/sort=full_name/)
  await untilSorted(page, 'Nome', 'ascending')
  await expect(words(page)).toContainText('menos 2')
  await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }))
  await expect(page.locator(`#usuarios [aria-rowindex="${count + 1}"]`).getByRole('checkbox')).toBeChecked()
  await pickFilter(page, 'Tipo', 'HPD')
  await expect(edit).toBeDisabled()
  await all.check()
  await expect(words(page)).toContainText('que correspondem estão selecionados')
  await page.getByRole('button', { name: 'Limpar seleção' }).click()
  await expect(edit).toBeDisabled()
})

test('shift marks everybody in between, with the pointer and with the keyboard', async ({ page }) => {
  await openTable(page)
  const box = (index: number) => page.locator(`#usuarios [data-index="${index}"]`).getByRole('checkbox')
  await box(1).click()
  await box(5).click({ modifiers: ['Shift'] })
  await expect(words(page)).toContainText('5 usuários selecionados')
  await box(3).click()
  await expect(words(page)).toContainText('4 usuários selecionados')
  await box(3).press('ArrowDown')
  await expect(box(4)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Space')
  await expect(words(page)).toContainText('2 usuários selecionados')
})

test('the keyboard alone reaches everything', async ({ page, demo }) => {
  await openTable(page)
  const count = (await readEverybody(demo.url)).length
  await header(page, 'Data de Registro').focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/sort=created_at/)
  await untilSorted(page, 'Data de Registro', 'ascending')
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).focus()
  await page.keyboard.press('Space')
  await expect(words(page)).toContainText('estão selecionados')

  const first = page.locator('#usuarios [data-index="0"]')
  await first.getByRole('checkbox').focus()
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
  // Tab finds what comes next in a row that is scrolled far away, too.
  await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }))
  await expect(last).toBeInViewport()
  await page.keyboard.press('Shift+Tab')
  await expect(first.getByRole('button', { name: /^(Remover|Aprovar)$/ })).toBeFocused()
})
