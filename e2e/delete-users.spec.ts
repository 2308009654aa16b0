import type { Route } from '@playwright/test'
import type { ManagedProfile } from '#contract/users.ts'
import { expect, openAdmin, test, toast } from './administration.ts'
import { muteChanges } from './portal-fixture.ts'

test('deletes the listed people in one call without oneself, and marks administrators', {
  tag: '@translated',
}, async ({ page, other, demo }) => {
  const [{ email: self }, { email: victim }] = (await other.people('')) as [ManagedProfile, ManagedProfile]
  const name = victim.split('@')[0] as string
  await demo.setAdministrator(name, true)
  await openAdmin(page)
  for (const email of [self, victim])
    await page.getByRole('checkbox', { name: `Selecionar ${email}` }).check()
  await page.getByRole('button', { name: 'Excluir Selecionados (2)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirmar Exclusão' })
  const confirm = dialog.getByRole('button', { name: 'Excluir 1 usuário' })
  await expect(dialog).toContainText('Esta ação não pode ser desfeita.')
  await expect(dialog).toContainText('Todos os dados associados serão removidos permanentemente.')
  await expect(dialog.getByRole('listitem')).toHaveText([new RegExp(`${victim} · Administrador$`)])
  await expect(dialog).toContainText('Você fica de fora: ninguém exclui a própria conta.')
  // The safe button has the initial focus.
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused()

  const address = '**/api/functions/delete-users'
  await page.route(address, (route) => route.abort())
  await confirm.click()
  await expect(toast(page, 'Erro ao excluir usuários')).toBeVisible()
  await page.unroute(address)
  await confirm.dblclick()
  await expect(toast(page, '1 usuário(s) excluído(s) com sucesso')).toBeVisible()
  await expect(toast(page, /^Erro ao excluir/)).toHaveCount(1)
  expect(await other.people(`q=${victim}`)).toEqual([])
  expect(await other.people(`q=${self}`)).toHaveLength(1)
})

test('deletes all who match: lists the first ten and deletes only those confirmed', async ({
  page,
  other,
}) => {
  const matching = await other.people('q=a&approved=false')
  // More than twenty require the number to be typed.
  expect(matching.length).toBeGreaterThan(21)
  await openAdmin(page, '?q=a&status=pending')
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
  await page.getByRole('button', { name: `Excluir Selecionados (${matching.length})` }).click()
  const dialog = page.getByRole('dialog')
  const names = dialog.getByRole('listitem')
  await expect(names).toHaveCount(11)
  for (const [index, { email }] of matching.slice(0, 10).entries())
    await expect(names.nth(index)).toContainText(email)
  await expect(names.last()).toHaveText(`e mais ${matching.length - 10} Ver todos`)
  await dialog.getByRole('button', { name: 'Ver todos' }).click()
  await expect(names).toHaveCount(matching.length)
  await expect(dialog.getByRole('list', { name: 'Usuários a excluir' })).toBeFocused()

  await expect(dialog.getByRole('button', { name: /^Excluir \d/ })).toBeDisabled()
  const typed = dialog.getByLabel(/^Para confirmar, digite o número de usuários: /)
  await typed.fill(String(matching.length - 1))
  await expect(dialog.getByRole('button', { name: /^Excluir \d/ })).toBeDisabled()
  await typed.fill(String(matching.length))

  // One person leaves the list: the confirmed number differs from the number found.
  await other.change(matching[0]?.email as string, { approved: true })
  await dialog.getByRole('button', { name: `Excluir ${matching.length} usuários` }).click()
  await expect(dialog.getByRole('alert')).toContainText('Nada foi excluído')
  expect(await other.people('q=a&approved=false')).toHaveLength(matching.length - 1)
  await typed.fill(String(matching.length - 1))
  await dialog.getByRole('button', { name: `Excluir ${matching.length - 1} usuários` }).click()
  await expect(toast(page, `${matching.length - 1} usuário(s) excluído(s) com sucesso`)).toBeVisible()
  expect(await other.people('q=a&approved=false')).toEqual([])
  expect((await other.person(matching[0]?.email as string)).approved).toBe(true)
})

test('requires everyone to be loaded before it can be confirmed', async ({ page, other }) => {
  const matching = await other.people('q=costa')
  await openAdmin(page, '?q=costa')
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
  const isReading = ({ pathname, searchParams }: URL) =>
    pathname === '/api/profiles' && searchParams.get('limit') === '1000'
  let answer = (route: Route) => route.abort()
  await page.route(isReading, (route) => answer(route))
  await page.getByRole('button', { name: /^Excluir Selecionados/ }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: `Excluir ${matching.length} usuários` })
  await expect(confirm).toBeDisabled()
  await expect(dialog.getByText('Não foi possível ler os nomes')).toBeVisible()
  await expect(confirm).toBeDisabled()

  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  answer = async (route) => {
    const isFirst = !route.request().url().includes('cursor=')
    if (isFirst) return route.fulfill({ json: { items: matching.slice(0, 2), next: 'mais' } })
    await isOver
    return route.fulfill({ json: { items: matching.slice(2), next: null } })
  }
  await dialog.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(dialog.getByRole('status')).toHaveText('Lendo quem será excluído…')
  await expect(confirm).toBeDisabled()
  end()
  await expect(confirm).toBeEnabled()
  await expect(dialog.getByRole('listitem').first()).toContainText(matching[0]?.email as string)
  await expect(dialog.getByRole('status')).toHaveCount(0)
})

test('reports that no one is left to delete', async ({ page, other }) => {
  const person = await other.person('curta@grupopatio.com.br')
  // The click comes before any event.
  await muteChanges(page)
  await openAdmin(page, '?q=curta')
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
  await page.getByRole('button', { name: 'Excluir Selecionados (1)' }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: /^Excluir \d usuários?$/ })
  await expect(dialog.getByRole('listitem')).toContainText(person.email)
  await other.call('POST', '/api/functions/delete-users', { userIds: [person.user_id] })
  await confirm.click()
  await expect(dialog.getByRole('alert')).toContainText('agora correspondem 0 usuários')
  await expect(dialog.getByText('Ninguém mais corresponde a esta seleção.')).toBeVisible()
  await confirm.click()
  await expect(toast(page, 'Nenhum usuário selecionado')).toBeVisible()
})
