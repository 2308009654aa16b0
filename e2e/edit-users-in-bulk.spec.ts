import type { Page } from '@playwright/test'
import { expect, type OtherAdmin, openAdmin, test, toast } from './administration.ts'

/** Creates people with a shared family name, with the given marcas. */
async function createFamily(other: OtherAdmin, name: string, count: number) {
  const people = (await other.people(`q=${name}`)).slice(0, count)
  expect(people).toHaveLength(count)
  return people
}
async function openBulkEdit(page: Page, emails: string[]) {
  for (const email of emails)
    await page.getByRole('row').filter({ hasText: email }).getByRole('checkbox').check()
  await page.getByRole('button', { name: `Alterar Filtros em Massa (${emails.length})` }).click()
  return page.getByRole('dialog', { name: 'Alteração em Massa' })
}
const readState = async (other: OtherAdmin, emails: string[]) =>
  Promise.all(
    emails.map(async (email) => {
      const { types, marcas, estados } = await other.person(email)
      return { types, marcas, estados }
    }),
  )

test('adds to the selected people, shows the effect first, and can be undone', {
  tag: '@translated',
}, async ({ page, other }) => {
  const people = await createFamily(other, 'ramos', 3)
  const emails = people.map(({ email }) => email)
  await other.change(emails[0] as string, { types: ['CRM'] })
  await other.change(emails[1] as string, { types: ['Vendas', 'CRM'] })
  await other.change(emails[2] as string, { types: ['Slack'] })
  for (const email of emails) await other.change(email, { marcas: ['VW'], estados: [] })
  const before = await readState(other, emails)
  await openAdmin(page, '?q=ramos')
  const dialog = await openBulkEdit(page, emails)
  await expect(dialog.getByText(`3 usuários selecionados: ${emails.join(', ')}.`)).toBeVisible()
  await expect(dialog.getByRole('radio', { name: 'Adicionar aos usuários selecionados' })).toBeChecked()

  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(toast(page, 'Selecione pelo menos um item para alterar')).toBeVisible()
  await dialog.getByRole('checkbox', { name: 'CRM' }).check()
  await expect(dialog.getByRole('status')).toHaveText(
    'CRM passa a aparecer para 1 pessoa. 2 ficam como estão.',
  )
  await dialog.getByRole('tab', { name: 'Estados' }).click()
  await dialog.getByRole('checkbox', { name: 'MG' }).check()
  await expect(dialog.getByRole('status')).toHaveText(
    'CRM passa a aparecer para 1 pessoa. MG passa a aparecer para 3 pessoas.',
  )
  await dialog.getByRole('tab', { name: 'Marcas' }).click()
  await dialog.getByRole('checkbox', { name: 'Marcar todos' }).check()

  let saves = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/bulk-edit')) saves += 1
  })
  await dialog.getByRole('button', { name: 'Adicionar' }).dblclick()
  await expect(toast(page, 'Dados adicionados com sucesso para 3 usuário(s)')).toBeVisible()
  expect(saves).toBe(1)
  await expect(dialog).toHaveCount(0)
  expect((await readState(other, emails)).map(({ types }) => types)).toEqual([
    ['CRM'],
    ['Vendas', 'CRM'],
    ['CRM', 'Slack'],
  ])

  // By keyboard: F6 focuses the toast.
  await page.keyboard.press('F6')
  await expect(page.getByRole('button', { name: 'Desfazer', exact: true })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  await expect(toast(page, /^3 usuários voltaram ao que tinham antes\./)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Desfazer', exact: true })).toHaveCount(0)
  expect(await readState(other, emails)).toEqual(before)
})

test('removes from all who match except one', async ({ page, other }) => {
  const people = await createFamily(other, 'oliveira', 2)
  const family = await other.people('q=oliveira')
  for (const { email } of family) await other.change(email, { types: ['Vendas', 'CRM'] })
  await openAdmin(page, '?q=oliveira')
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
  const left = people[0]?.email as string
  await page.getByRole('row').filter({ hasText: left }).getByRole('checkbox').uncheck()
  const count = family.length - 1
  await page.getByRole('button', { name: `Alterar Filtros em Massa (${count})` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Remover dos usuários selecionados').click()
  await dialog.getByRole('checkbox', { name: 'Vendas' }).check()
  await expect(dialog.getByRole('status')).toHaveText(
    /^Vendas deixa de aparecer para \d+ pessoas?\.( \d+ ficam? como est(á|ão)\.)?$/,
  )

  // It is applied, but every reply is lost.
  let isDone = false
  await page.route('**/bulk-edit', async (route) => {
    if (!isDone) await route.fetch()
    isDone = true
    await route.abort()
  })
  await dialog.getByRole('button', { name: 'Remover' }).click()
  await expect(toast(page, 'Erro ao atualizar dados dos usuários')).toBeVisible({ timeout: 20_000 })
  await expect(toast(page, /não se sabe se foi feito/)).toBeVisible()
  await expect(dialog.getByRole('checkbox', { name: 'Vendas' })).toBeChecked()
  await dialog.getByRole('button', { name: 'Cancelar' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Não se sabe se o pedido anterior foi feito')
  await dialog.getByRole('button', { name: 'Continuar alterando' }).click()
  await page.unroute('**/bulk-edit')
  await dialog.getByRole('button', { name: 'Remover' }).click()
  await expect(toast(page, `Dados removidos com sucesso para ${count} usuário(s)`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Desfazer', exact: true })).toBeVisible()
  expect((await other.person(left)).types).toEqual(['Vendas', 'CRM'])
  expect((await other.person(people[1]?.email as string)).types).toEqual(['CRM'])
})

test('names who would be left with nothing, and takes it away at the second press', async ({
  page,
  other,
}) => {
  const [first, second] = await createFamily(other, 'xavier', 2)
  const everybody = await other.people('q=xavier')
  for (const { email } of everybody)
    await other.change(email, { types: ['Vendas', 'CRM'], marcas: ['VW'], estados: ['RJ'] })
  await other.change(first?.email as string, { types: ['Vendas'] })
  await other.change(second?.email as string, { approved: false })
  await openAdmin(page, '?q=xavier')
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
  await page.getByRole('button', { name: /^Alterar Filtros em Massa/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('Escolhidos pelo filtro: busca “xavier”.')).toBeVisible()
  await dialog.getByText('Remover dos usuários selecionados').click()
  await dialog.getByRole('checkbox', { name: 'Vendas' }).check()
  const name = (await other.person(first?.email as string)).full_name
  await expect(dialog.getByText(`Fica sem relatório: ${name}.`)).toBeVisible()
  await expect(dialog.getByText(/^Inclui \d+ pessoas? sem aprovação\.$/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Remover', exact: true }).click()
  const anyway = dialog.getByRole('button', { name: 'Remover mesmo assim' })
  await expect(anyway).toBeVisible()
  expect((await other.person(first?.email as string)).types).toEqual(['Vendas'])

  // What is asked about another change is not answered for this one.
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await dialog.getByRole('button', { name: 'Remover', exact: true }).click()
  await anyway.click()
  await expect(toast(page, /^Dados removidos com sucesso para/)).toBeVisible()
  await expect(toast(page, new RegExp(`Ficou sem relatório: ${name}\\.`))).toBeVisible()
  await expect(toast(page, /Escolhidos pelo filtro: busca “xavier”\.$/)).toBeVisible()
  expect((await other.person(first?.email as string)).types).toEqual([])
})

test('goes on by itself when the line is back, or stops waiting when told so', async ({
  page,
  context,
  other,
}) => {
  const [person] = await createFamily(other, 'moraes', 1)
  const email = person?.email as string
  await other.change(email, { types: [] })
  await openAdmin(page, '?q=moraes')
  const dialog = await openBulkEdit(page, [email])
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await expect(dialog.getByRole('status')).toHaveText('HPD passa a aparecer para 1 pessoa.')
  await context.setOffline(true)
  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(toast(page, 'Você está sem conexão')).toBeVisible()
  await page.getByRole('button', { name: 'Parar de esperar' }).click()
  await expect(toast(page, /não se sabe se foi feito/)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeEnabled()
  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(toast(page, 'Você está sem conexão')).toBeVisible()
  await context.setOffline(false)
  await expect(toast(page, /^HPD liberado para 1 pessoa\./)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Desfazer', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Parar de esperar' })).toHaveCount(0)
})

test('retries after a lost reply: applied once, shown with the undo', async ({ page, other }) => {
  const [person] = await createFamily(other, 'ramos', 1)
  const email = person?.email as string
  await other.change(email, { types: [] })
  await openAdmin(page, '?q=ramos')
  const dialog = await openBulkEdit(page, [email])
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await expect(dialog.getByRole('status')).toHaveText('HPD passa a aparecer para 1 pessoa.')
  const keys: (string | undefined)[] = []
  const { promise: isSeen, resolve: goOn } = Promise.withResolvers<void>()
  await page.route('**/bulk-edit', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length === 1) await route.fetch()
    if (keys.length <= 2) return route.abort()
    await isSeen
    return route.fallback()
  })
  await dialog.getByRole('button', { name: 'Adicionar' }).click()
  await expect(toast(page, 'A resposta não chegou')).toBeVisible()
  await expect(dialog.getByRole('status')).toHaveText('Alterando 1 usuário…')
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toHaveAttribute('aria-disabled', 'true')
  goOn()
  await expect(toast(page, 'Dados adicionados com sucesso para 1 usuário(s)')).toBeVisible()
  await expect(toast(page, /^HPD liberado para 1 pessoa\./)).toBeVisible()
  await expect(toast(page, 'A resposta não chegou')).toHaveCount(0)
  expect(new Set(keys).size).toBe(1)
  const { body } = await other.call('GET', `/api/profiles/${person?.user_id}/history`)
  const edits = body.items.filter(({ action }: { action: string }) => action === 'entitlements-added')
  expect(edits).toHaveLength(1)
  // The undo survives an outage too, and is gone after one use.
  await page.route('**/undo', (route) => route.abort())
  await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(toast(page, 'Não foi possível desfazer a alteração')).toBeVisible()
  await page.unroute('**/undo')
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  expect((await other.person(email)).types).toEqual([])
})

test('can be undone for half a minute, but not where it changed nothing', async ({ page, other }) => {
  const [person] = await createFamily(other, 'costa', 1)
  const email = person?.email as string
  await other.change(email, { types: [] })
  await page.clock.install()
  await openAdmin(page, '?q=costa')
  const add = async () => {
    const dialog = await openBulkEdit(page, [email])
    await dialog.getByRole('checkbox', { name: 'HPD' }).check()
    await dialog.getByRole('button', { name: 'Adicionar' }).click()
    await expect(toast(page, 'Dados adicionados com sucesso para 1 usuário(s)')).toBeVisible()
  }
  await add()
  const undo = page.getByRole('button', { name: 'Desfazer', exact: true })
  await page.clock.fastForward(25_000)
  await expect(undo).toBeVisible()
  await page.clock.fastForward(5_000)
  await expect(undo).toHaveCount(0)
  await add()
  await expect(toast(page, 'Ninguém mudou: todos já estavam assim.')).toBeVisible()
  await expect(undo).toHaveCount(0)
  expect((await other.person(email)).types).toEqual(['HPD'])
})

test('limits an individual selection to the maximum of one call', async ({ page, other }) => {
  const [person] = await other.people('')
  const items = Array.from({ length: 1_001 }, (_, index) => ({
    ...person,
    user_id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    email: `p${index}@grupopatio.com.br`,
  }))
  await page.route(
    ({ pathname }) => pathname === '/api/profiles',
    (route) => route.fulfill({ json: { items, next: null } }),
  )
  await page.route('**/api/profiles/count*', (route) =>
    route.fulfill({ json: { total: items.length, pending: 0 } }),
  )
  await openAdmin(page)
  const box = (index: number) => page.locator(`#usuarios [data-index="${index}"]`).getByRole('checkbox')
  await box(0).click()
  // Content above may still load and move them.
  await expect(async () => {
    await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }))
    await expect(box(1_000)).toBeInViewport({ timeout: 500 })
  }).toPass()
  await box(1_000).click({ modifiers: ['Shift'] })
  await expect(toast(page, 'No máximo 1.000 usuários podem ser marcados um a um')).toBeVisible()
  await expect(box(1_000)).not.toBeChecked()
  await expect(page.getByRole('button', { name: 'Alterar Filtros em Massa (1)' })).toBeVisible()
})
