import type { Page } from '@playwright/test'
import { clickMenuItem, expect, type OtherAdmin, openPerson, test, toast } from './administration.ts'
import { muteChanges } from './portal-fixture.ts'

const GONE = 'Esta conta não existe mais'
const SERVER = 'Usuário não encontrado. Talvez já tenha sido excluído.'

test.beforeEach(({ page }) => muteChanges(page))

/** Returns a seeded person and a function to delete them from elsewhere. */
async function findPerson(other: OtherAdmin, query: string) {
  const person = (await other.people(`${query}&verified=true`)).findLast(({ role }) => role === 'user')
  if (!person) throw new Error(`The seed has nobody who matches ${query}`)
  const { user_id, email } = person
  const remove = async () => {
    const { body } = await other.call('POST', '/api/functions/delete-users', { userIds: [user_id] })
    expect(body.success).toEqual([user_id])
  }
  return { email, remove }
}

/** Expects a final state: the row is removed at once, one button closes the dialog, the focus is kept. */
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

test('opening a dialog about a deleted person reports the deletion and does not retry', async ({
  page,
  other,
}) => {
  await page.clock.install()
  let reads = 0
  page.on('request', (request) => {
    if (/\/api\/profiles\/[0-9a-f-]{36}/.test(request.url())) reads += 1
  })
  for (const [button, query, failed] of [
    ['Gerenciar Tipos de Acesso', 'approved=true', 'Erro ao carregar tipos de usuário'],
    ['Gerenciar Marcas e Estados', 'approved=true', 'Erro ao carregar marcas e estados'],
    ['Aprovar', 'approved=false', 'Erro ao aprovar usuário'],
    ['Histórico', 'approved=true', undefined],
  ] as const) {
    const { email, remove } = await findPerson(other, query)
    await openPerson(page, email)
    await remove()
    reads = 0
    if (button === 'Aprovar') await page.getByRole('row').getByRole('button', { name: button }).click()
    else await clickMenuItem(page, button)
    if (failed) await expect(toast(page, failed)).toBeVisible()
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText(GONE)
    await page.clock.fastForward(10_000)
    expect(reads, button).toBe(1)
    await expectGone(page, email)
  }
})

test('confirming a dialog about a person deleted meanwhile reports the deletion', async ({ page, other }) => {
  const dialog = page.getByRole('dialog')
  const openDialog = async () => {
    const person = await findPerson(other, 'approved=true')
    await openPerson(page, person.email)
    return person
  }
  const saved = await openDialog()
  await clickMenuItem(page, 'Gerenciar Tipos de Acesso')
  await dialog.getByRole('checkbox', { name: 'Slack' }).check()
  await saved.remove()
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(toast(page, 'Erro ao atualizar tipos de acesso')).toBeVisible()
  await expectGone(page, saved.email)

  const withdrawn = await openDialog()
  await page.getByRole('button', { name: 'Remover', exact: true }).click()
  await withdrawn.remove()
  await dialog.getByRole('button', { name: 'Remover aprovação' }).click()
  await expect(toast(page, 'Erro ao remover aprovação')).toBeVisible()
  await expectGone(page, withdrawn.email)

  const exported = await openDialog()
  await exported.remove()
  await clickMenuItem(page, 'Exportar dados')
  await expect(toast(page, 'Erro ao exportar dados')).toBeVisible()
  await expect(toast(page, SERVER)).toBeVisible()
  await expect(page.getByText('Nenhum usuário encontrado')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Administração de Usuários' })).toBeFocused()
})
