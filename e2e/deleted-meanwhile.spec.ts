import type { Page } from '@playwright/test'
import { expect, type OtherAdmin, openPerson, pressInMenu, test, toast } from './administration.ts'
import { muteChanges } from './portal-fixture.ts'

const GONE = 'Esta conta não existe mais'
const SERVER = 'Usuário não encontrado. Talvez já tenha sido excluído.'

test.beforeEach(({ page }) => muteChanges(page))

/** Somebody of the seed who is approved or waits, and how to delete them from elsewhere. */
async function somebody(other: OtherAdmin, query: string) {
  const person = (await other.people(`${query}&verified=true`)).findLast(({ role }) => role === 'user')
  if (!person) throw new Error(`The seed has nobody who matches ${query}`)
  const { user_id, email } = person
  const remove = async () => {
    const { body } = await other.call('POST', '/api/functions/delete-users', { userIds: [user_id] })
    expect(body.success).toEqual([user_id])
  }
  return { email, remove }
}

/** Nothing is left to try: the row goes at once, one button closes the dialog, and the keyboard keeps its place. */
async function expectGone(page: Page, email: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('alert')).toContainText(GONE)
  await expect(dialog.getByRole('button')).toHaveText(['Fechar'])
  await expect(page.getByText('Nenhum usuário encontrado')).toBeVisible()
  await dialog.getByRole('button', { name: 'Fechar' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Administração de Usuários' })).toBeFocused()
  await expect(page.getByRole('row').filter({ hasText: email })).toHaveCount(0)
}

for (const [button, query, failed] of [
  ['Gerenciar Tipos de Acesso', 'approved=true', 'Erro ao carregar tipos de usuário'],
  ['Gerenciar Marcas e Estados', 'approved=true', 'Erro ao carregar marcas e estados'],
  ['Aprovar', 'approved=false', 'Erro ao aprovar usuário'],
  ['Histórico', 'approved=true', undefined],
] as const)
  test(`'${button}' about somebody who has just been deleted says so`, async ({ page, other }) => {
    const { email, remove } = await somebody(other, query)
    await page.clock.install()
    await openPerson(page, email)
    await remove()
    let reads = 0
    page.on('request', (request) => {
      if (/\/api\/profiles\/[0-9a-f-]{36}/.test(request.url())) reads += 1
    })
    if (button === 'Aprovar') await page.getByRole('row').getByRole('button', { name: button }).click()
    else await pressInMenu(page, button)
    if (failed) await expect(toast(page, failed)).toBeVisible()
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText(GONE)
    // It is not tried again.
    await page.clock.fastForward(10_000)
    expect(reads).toBe(1)
    await expectGone(page, email)
  })

test('a save for somebody who has been deleted while the dialog stood open says so', async ({
  page,
  other,
}) => {
  const { email, remove } = await somebody(other, 'approved=true')
  await openPerson(page, email)
  await pressInMenu(page, 'Gerenciar Tipos de Acesso')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Slack' }).check()
  await remove()
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(toast(page, 'Erro ao atualizar tipos de acesso')).toBeVisible()
  await expectGone(page, email)
})

test('an approval cannot be taken from somebody who has been deleted', async ({ page, other }) => {
  const { email, remove } = await somebody(other, 'approved=true')
  await openPerson(page, email)
  await page.getByRole('button', { name: 'Remover', exact: true }).click()
  await remove()
  await page.getByRole('dialog').getByRole('button', { name: 'Remover aprovação' }).click()
  await expect(toast(page, 'Erro ao remover aprovação')).toBeVisible()
  await expectGone(page, email)
})

test('the data of somebody who has been deleted cannot be exported, and the row goes', async ({
  page,
  other,
}) => {
  const { email, remove } = await somebody(other, 'approved=true')
  await openPerson(page, email)
  await remove()
  await pressInMenu(page, 'Exportar dados')
  await expect(toast(page, 'Erro ao exportar dados')).toBeVisible()
  await expect(toast(page, SERVER)).toBeVisible()
  await expect(page.getByText('Nenhum usuário encontrado')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Administração de Usuários' })).toBeFocused()
})
