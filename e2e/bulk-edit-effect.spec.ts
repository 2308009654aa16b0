import type { Page, Route } from '@playwright/test'
import { expect, openAdmin, test, toast } from './administration.ts'
import { muteChanges } from './portal-fixture.ts'

/** Selects people one by one and opens the dialog. */
async function openBulkEdit(page: Page, emails: string[]) {
  for (const email of emails)
    await page.getByRole('row').filter({ hasText: email }).getByRole('checkbox').check()
  await page.getByRole('button', { name: `Alterar Filtros em Massa (${emails.length})` }).click()
  return page.getByRole('dialog')
}

test('deleted people leave the selection while the others are edited, until none is left', async ({
  page,
  other,
}) => {
  const people = (await other.people('q=ramos')).slice(0, 4)
  expect(people).toHaveLength(4)
  for (const { email } of people) await other.change(email, { types: [] })
  const remove = (index: number) =>
    other.call('POST', '/api/functions/delete-users', { userIds: [people[index]?.user_id] })
  // The event stream could remove the next person from the table before the dialog opens.
  await muteChanges(page)
  await openAdmin(page, '?q=ramos')
  const emails = people.map(({ email }) => email)
  const dialog = await openBulkEdit(page, emails)
  const [effect, notice] = [dialog.getByRole('status'), dialog.getByRole('alert')]
  await dialog.getByRole('checkbox', { name: 'CRM' }).check()
  await expect(effect).toHaveText('CRM passa a aparecer para 4 pessoas.')

  // The dry run reports it,
  await remove(0)
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await expect(notice).toHaveText('1 usuário já não existe e saiu da seleção.')
  await expect(effect).toHaveText('HPD e CRM passam a aparecer para 3 pessoas.')
  await expect(dialog.getByText(/^3 usuários selecionados: /)).toBeVisible()
  // The dialog has refetched the table.
  await expect(page.locator('#usuarios tbody').getByText(emails[0] as string)).toHaveCount(0)
  // and so does the attempt to save.
  await remove(1)
  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(toast(page, 'Erro ao atualizar dados dos usuários')).toBeVisible()
  await expect(notice).toContainText('Nada foi alterado')
  await expect(notice).toContainText('2 usuários já não existem e saíram da seleção.')
  await expect(effect).toHaveText('HPD e CRM passam a aparecer para 2 pessoas.')
  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(toast(page, 'Dados adicionados com sucesso para 2 usuário(s)')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  // All of them are deleted: there is nothing left to do.
  await openBulkEdit(page, emails.slice(2))
  for (const index of [2, 3]) await remove(index)
  await dialog.getByRole('checkbox', { name: 'Slack' }).check()
  await expect(effect).toHaveText('Nenhum usuário selecionado.')
  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(toast(page, 'Nenhum usuário selecionado')).toBeVisible()
})

test('an equal number of different people changes nothing until it is confirmed again', async ({
  page,
  other,
}) => {
  const [leaver, newcomer] = await other.people('q=teixeira')
  if (!leaver || !newcomer) throw new Error('The seed has too few of that name')
  await other.change(leaver.email, { approved: true })
  await other.change(leaver.email, { types: [] })
  await other.change(newcomer.email, { approved: false })
  await other.change(newcomer.email, { types: [] })
  await openAdmin(page, '?q=teixeira&status=approved')
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
  await page.getByRole('button', { name: /^Alterar Filtros em Massa \([1-9]\d*\)$/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Operadores' }).check()
  await expect(dialog.getByRole('status')).toHaveText(/aparecer para/)

  await other.change(leaver.email, { approved: false })
  await other.change(newcomer.email, { approved: true })
  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(dialog.getByRole('alert')).toContainText('o número é o mesmo, mas as pessoas não')
  expect((await other.person(newcomer.email)).types).toEqual([])
  await expect(dialog.getByRole('status')).toHaveText(/aparecer para/)
  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(toast(page, /^Dados adicionados com sucesso/)).toBeVisible()
  expect((await other.person(newcomer.email)).types).toEqual(['Operadores'])
  expect((await other.person(leaver.email)).types).toEqual([])
})

test('nothing is saved before its effect is shown, and a failed calculation can be retried', async ({
  page,
  other,
}) => {
  const [person] = await other.people('q=oliveira')
  const email = person?.email as string
  await other.change(email, { types: [] })
  await openAdmin(page, '?q=oliveira')
  const dialog = await openBulkEdit(page, [email])
  const add = dialog.getByRole('button', { name: 'Adicionar' })
  let saves = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/bulk-edit')) saves += 1
  })
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  let answer = async (route: Route) => {
    await isOver
    await route.continue()
  }
  await page.route('**/bulk-edit?dryRun=true', (route) => answer(route))
  await dialog.getByRole('checkbox', { name: 'CRM' }).check()
  await expect(dialog.getByRole('status')).toHaveText('Calculando o efeito…')
  await expect(add).toHaveAttribute('aria-busy', 'true')
  await add.click({ force: true })
  await dialog.getByRole('checkbox', { name: 'CRM' }).press('Enter')
  end()
  await expect(dialog.getByRole('status')).toHaveText('CRM passa a aparecer para 1 pessoa.')
  expect(saves).toBe(0)

  answer = (route) => route.abort()
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await expect(dialog.getByRole('status')).toContainText('Não foi possível calcular o efeito. Sem conexão')
  await expect(add).toBeDisabled()
  await page.unroute('**/bulk-edit?dryRun=true')
  await dialog.getByRole('button', { name: 'Calcular novamente' }).click()
  await expect(dialog.getByRole('status')).toHaveText('HPD e CRM passam a aparecer para 1 pessoa.')
  await add.click()
  await expect(toast(page, 'Dados adicionados com sucesso para 1 usuário(s)')).toBeVisible()
  expect((await other.person(email)).types).toEqual(['HPD', 'CRM'])
})
