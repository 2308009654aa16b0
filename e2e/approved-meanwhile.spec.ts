import { expect, OTHER_ADMIN, openPerson, test, toast } from './administration.ts'
import { muteChanges } from './portal-fixture.ts'

const PENDING = 'pendente@grupopatio.com.br'
const APPROVED = 'Usuário aprovado com sucesso'

test("'Aprovar' on somebody whom another administrator has approved says so and claims nothing", async ({
  page,
  other,
}) => {
  await other.change(PENDING, { approved: false })
  // Otherwise the table would have been told.
  await muteChanges(page)
  await openPerson(page, PENDING)
  await other.change(PENDING, { approved: true })
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
  const dialog = page.getByRole('dialog')
  const notice = dialog.getByRole('status').filter({ hasText: 'Esta conta já foi aprovada' })
  await expect(notice).toContainText(new RegExp(`${OTHER_ADMIN} aprovou a conta às \\d\\d:\\d\\d\\.`))
  await expect(dialog.getByRole('checkbox')).toHaveCount(0)
  await expect(dialog.getByRole('button')).toHaveText(['Fechar'])
  await dialog.getByRole('button', { name: 'Fechar' }).click()
  await expect(page.getByRole('button', { name: 'Remover', exact: true })).toBeVisible()
  await expect(toast(page, APPROVED)).toHaveCount(0)
})

test('what was ticked over an approval that another administrator has given is not saved', async ({
  page,
  other,
}) => {
  for (const change of [{ approved: false }, { types: ['CRM'] }]) await other.change(PENDING, change)
  await openPerson(page, PENDING)
  const dialog = page.getByRole('dialog')
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await other.change(PENDING, { approved: true })
  await dialog.getByRole('button', { name: 'Aprovar' }).click()
  const notice = dialog.getByRole('status').filter({ hasText: 'Esta conta já foi aprovada' })
  await expect(notice).toContainText(`${OTHER_ADMIN} aprovou a conta`)
  await expect(dialog.getByRole('button')).toHaveText(['Fechar'])
  await dialog.getByRole('button', { name: 'Fechar' }).click()
  await expect(toast(page, APPROVED)).toHaveCount(0)
  expect((await other.person(PENDING)).types).toEqual(['CRM'])
})
