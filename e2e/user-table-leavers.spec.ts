import type { Page } from '@playwright/test'
import { expect, type OtherAdmin, test, toast } from './administration.ts'
import { header, openTable, rows, untilSorted, words } from './user-table-fixture.ts'

// Only rows near the window are drawn.
test.use({ viewport: { width: 1440, height: 1300 } })

const rowOf = (page: Page, email: string) => rows(page).filter({ hasText: email })
const ticked = (page: Page) => page.locator('#usuarios tbody input:checked')
const remove = (page: Page) => page.getByRole('button', { name: /^Excluir Selecionados/ })

async function waitingEmails(other: OtherAdmin, count: number): Promise<string[]> {
  const people = await other.people('approved=false&verified=true')
  return people.slice(2, 2 + count).map(({ email }) => email)
}

test('whoever leaves the list leaves the selection', async ({ page, other }) => {
  const [first = '', second = ''] = await waitingEmails(other, 2)
  await openTable(page, '?status=pending&verified=yes')
  for (const email of [first, second]) await rowOf(page, email).getByRole('checkbox').check()
  await expect(words(page)).toContainText('2 usuários selecionados')
  await rowOf(page, first).getByRole('button', { name: 'Aprovar' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Aprovar' }).click()
  await expect(toast(page, 'Usuário aprovado com sucesso')).toBeVisible()
  await expect(rowOf(page, first)).toHaveCount(0)
  await expect(words(page)).toContainText('1 usuário selecionado')
  await expect(remove(page)).toHaveText('Excluir Selecionados (1)')
  await expect(ticked(page)).toHaveCount(1)
})

test('of a list read in part too, and those not read yet stay', async ({ page, other }) => {
  const [person] = (await other.people('approved=true&verified=true&q=adriana')).filter(
    ({ role }) => role === 'user',
  )
  const { email = '' } = person ?? {}
  await openTable(page, '?status=approved')
  await rowOf(page, 'admin@').getByRole('checkbox').check()
  await rowOf(page, email).getByRole('checkbox').check()
  // A hundred others stand before them now.
  await header(page, 'E-mail').click()
  await untilSorted(page, 'E-mail', 'descending')
  await expect(rowOf(page, email)).toHaveCount(0)
  await expect(words(page)).toContainText('2 usuários selecionados')
  await header(page, 'E-mail').click()
  await untilSorted(page, 'E-mail', 'ascending')
  await rowOf(page, email).getByRole('button', { name: 'Remover' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remover' }).click()
  await expect(toast(page, 'Aprovação removida')).toBeVisible()
  await expect(rowOf(page, email)).toHaveCount(0)
  await expect(words(page)).toContainText('1 usuário selecionado')
  await expect(ticked(page)).toHaveCount(1)
})

test('somebody left out of all, who leaves, is not left out twice', async ({ page, other }) => {
  const [email = ''] = await waitingEmails(other, 1)
  await openTable(page, '?status=pending&verified=yes')
  const count = (await other.people('approved=false&verified=true')).length
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
  await rowOf(page, email).getByRole('checkbox').uncheck()
  await expect(remove(page)).toHaveText(`Excluir Selecionados (${count - 1})`)
  await rowOf(page, email).getByRole('button', { name: 'Aprovar' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Aprovar' }).click()
  await expect(rowOf(page, email)).toHaveCount(0)
  await expect(words(page)).toContainText(`Todos os ${count - 1} usuários`)
  await expect(words(page)).not.toContainText('menos')
  await expect(remove(page)).toHaveText(`Excluir Selecionados (${count - 1})`)
})

test('nobody can be ticked while the rows are those of the last list, and the focus stays', async ({
  page,
}) => {
  await openTable(page)
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/profiles?*approved=false*', async (route) => {
    await isAnswered
    await route.continue()
  })
  const box = rows(page).nth(3).getByRole('checkbox')
  const all = page.getByRole('checkbox', { name: 'Selecionar todos' })
  await page.getByRole('button', { name: /^Pendentes/ }).click()
  await expect(page.locator('#usuarios table')).toHaveAttribute('aria-busy', 'true')
  for (const each of [box, all]) {
    await expect(each).toBeDisabled()
    await each.focus()
    await page.keyboard.press('Space')
    await expect(each).toBeFocused()
    await expect(each).not.toBeChecked()
  }
  answer()
  await expect(page.locator('#usuarios table')).toHaveAttribute('aria-busy', 'false')
  await expect(words(page)).not.toContainText('selecionado')
  await expect(all).toBeFocused()
  await expect(box).toBeEnabled()
})

test('another order counts anew what another administrator has changed', async ({ page, other }) => {
  const [email = ''] = await waitingEmails(other, 1)
  await openTable(page, '?status=pending')
  const count = (await other.people('approved=false')).length
  await expect(words(page)).toContainText(`${count} de`)
  await other.change(email, { approved: true })
  await header(page, 'Nome').click()
  await untilSorted(page, 'Nome', 'ascending')
  await expect(words(page)).toContainText(`${count - 1} de`)
  await expect(page.getByRole('button', { name: `Pendentes (${count - 1})` })).toBeVisible()
  await expect(page.locator('#usuarios table')).toHaveAttribute('aria-rowcount', String(count))
})
