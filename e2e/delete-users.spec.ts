import type { Route } from '@playwright/test'
import { expect, openAdmin, openPerson, test, toast } from './administration.ts'
import { openAs } from './portal-fixture.ts'

const VICTIM = 'vendas.rj@grupopatio.com.br'

test('names those to be deleted, deletes them at once and ends their sessions', async ({
  page,
  other,
  browser,
  baseURL,
}) => {
  const elsewhere = await (await browser.newContext({ baseURL: baseURL as string })).newPage()
  await openAs(elsewhere, 'vendas.rj')
  await expect(elsewhere.getByRole('tab', { name: 'Vendas' })).toBeVisible()

  await openPerson(page, VICTIM)
  await page.getByRole('row').filter({ hasText: VICTIM }).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Excluir Selecionados (1)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirmar Exclusão' })
  await expect(dialog).toContainText('Esta ação não pode ser desfeita.')
  await expect(dialog).toContainText('Todos os dados associados serão removidos permanentemente.')
  await expect(dialog.getByRole('listitem')).toHaveText([new RegExp(VICTIM)])
  // The safe button has the focus first.
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused()

  const address = '**/api/functions/delete-users'
  await page.route(address, (route) => route.abort())
  await dialog.getByRole('button', { name: 'Excluir 1 usuário' }).click()
  await expect(toast(page, 'Erro ao excluir usuários')).toBeVisible()
  await page.unroute(address)
  expect((await other.person(VICTIM)).email).toBe(VICTIM)

  await dialog.getByRole('button', { name: 'Excluir 1 usuário' }).dblclick()
  await expect(toast(page, '1 usuário(s) excluído(s) com sucesso')).toBeVisible()
  await expect(page.getByText('Nenhum usuário encontrado')).toBeVisible()
  expect(await other.people(`q=${VICTIM}`)).toEqual([])
  await elsewhere.reload()
  await expect(elsewhere).toHaveURL('/login')
  await elsewhere.context().close()
})

test('oneself stays, with the reason, and the others go', async ({ page, other }) => {
  const [self, victim] = await other.people('')
  if (!self || !victim) throw new Error('The seed is missing')
  await openAdmin(page)
  for (const email of [self.email, victim.email])
    await page.getByRole('row').filter({ hasText: email }).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Excluir Selecionados (2)' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Excluir 2 usuários' }).click()
  await expect(toast(page, '1 usuário(s) excluído(s) com sucesso')).toBeVisible()
  await expect(toast(page, 'Erro ao excluir 1 usuário(s)')).toBeVisible()
  await expect(toast(page, `${self.email}: Você não pode excluir a própria conta.`)).toBeVisible()
  expect((await other.people('')).map(({ email }) => email)).toContain(self.email)
  // Who stayed is still the one who was meant.
  await expect(page.getByRole('button', { name: 'Excluir Selecionados (1)' })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: self.email }).getByRole('checkbox')).toBeChecked()
  expect(await other.people(`q=${victim.email}`)).toEqual([])
})

test('everybody who matches: the first ten by name, and none but those who were confirmed', async ({
  page,
  other,
}) => {
  const matching = await other.people('q=a&approved=false')
  // Of more than twenty, the number is typed.
  expect(matching.length).toBeGreaterThan(21)
  await openAdmin(page, '?q=a&status=pending')
  await page.getByRole('checkbox').first().check()
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

  // Somebody leaves the list: the number confirmed is not the number found.
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

test('as many as before, but not the same people: nobody goes who was never named', async ({
  page,
  other,
}) => {
  const [leaver, newcomer] = await other.people('q=oliveira')
  if (!leaver || !newcomer) throw new Error('The seed has too few of that name')
  await other.change(leaver.email, { approved: true })
  await other.change(newcomer.email, { approved: false })
  const before = await other.people('q=oliveira&approved=true')
  await openAdmin(page, '?q=oliveira&status=approved')
  await page.getByRole('checkbox').first().check()
  await page.getByRole('button', { name: `Excluir Selecionados (${before.length})` }).click()
  const dialog = page.getByRole('dialog')
  const names = dialog.getByRole('list', { name: 'Usuários a excluir' })
  await expect(names).toContainText(leaver.email)

  await other.change(leaver.email, { approved: false })
  await other.change(newcomer.email, { approved: true })
  const confirm = dialog.getByRole('button', { name: /^Excluir \d+ usuários?$/ })
  await confirm.click()
  await expect(dialog.getByRole('alert')).toContainText('o número é o mesmo, mas as pessoas não')
  await expect(dialog.getByRole('alert')).toContainText(`Entrou: ${newcomer.email}.`)
  await expect(names).toContainText(newcomer.email)
  await expect(names).not.toContainText(leaver.email)
  expect(await other.people('q=oliveira&approved=true')).toHaveLength(before.length)
  await confirm.click()
  await expect(toast(page, `${before.length} usuário(s) excluído(s) com sucesso`)).toBeVisible()
  expect(await other.people('q=oliveira&approved=true')).toEqual([])
  expect((await other.person(leaver.email)).approved).toBe(false)
})

test('nothing can be confirmed before everybody has been read', async ({ page, other }) => {
  const matching = await other.people('q=costa')
  await openAdmin(page, '?q=costa')
  await page.getByRole('checkbox').first().check()
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

test('a session that has ended is said, and so is that nobody is left to delete', async ({ page, other }) => {
  const person = await other.person('curta@grupopatio.com.br')
  await openAdmin(page, '?q=curta')
  await page.getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Excluir Selecionados (1)' }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: /^Excluir \d usuários?$/ })

  const address = '**/api/functions/delete-users'
  await page.route(address, (route) =>
    route.fulfill({ status: 401, json: { code: 'unauthenticated', detail: 'Sua sessão terminou.' } }),
  )
  await confirm.click()
  await expect(toast(page, 'Sessão expirada')).toBeVisible()
  await page.unroute(address)

  await other.call('POST', '/api/functions/delete-users', { userIds: [person.user_id] })
  await confirm.click()
  await expect(dialog.getByRole('alert')).toContainText('agora correspondem 0 usuários')
  await confirm.click()
  await expect(toast(page, 'Nenhum usuário selecionado')).toBeVisible()
})
