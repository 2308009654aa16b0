import { expect, OTHER_ADMIN, openPerson, test, toast } from './administration.ts'
import { muteChanges } from './portal-fixture.ts'

const PENDING = 'pendente@grupopatio.com.br'

test('an approval by another administrator is reported when the dialog opens and when it saves', async ({
  page,
  other,
}) => {
  for (const change of [{ approved: false }, { types: ['CRM'] }, { marcas: ['VW'], estados: ['RJ'] }])
    await other.change(PENDING, change)
  // The event stream would have updated the table.
  await muteChanges(page)
  await openPerson(page, PENDING)
  const dialog = page.getByRole('dialog')
  const expectReported = async () => {
    const notice = dialog.getByRole('status').filter({ hasText: 'Esta conta já foi aprovada' })
    await expect(notice).toContainText(new RegExp(`${OTHER_ADMIN} aprovou a conta às \\d\\d:\\d\\d\\.`))
    await expect(dialog.getByRole('checkbox')).toHaveCount(0)
    await expect(dialog.getByRole('button')).toHaveText(['Fechar'])
    await dialog.getByRole('button', { name: 'Fechar' }).click()
    await expect(page.getByRole('button', { name: 'Remover', exact: true })).toBeVisible()
    await expect(toast(page, 'Usuário aprovado com sucesso')).toHaveCount(0)
  }
  const approve = page.getByRole('row').getByRole('button', { name: 'Aprovar' })
  await other.change(PENDING, { approved: true })
  await approve.click()
  await expectReported()

  await other.change(PENDING, { approved: false })
  await page.reload()
  await approve.click()
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await other.change(PENDING, { approved: true })
  await dialog.getByRole('button', { name: 'Aprovar' }).click()
  await expectReported()
  expect((await other.person(PENDING)).types).toEqual(['CRM'])
})
