import { readFile } from 'node:fs/promises'
import {
  expect,
  menuOf,
  OTHER_ADMIN,
  openPerson,
  pressInMenu,
  test,
  tickedIn,
  toast,
} from './administration.ts'
import { openAs } from './portal-fixture.ts'

const VENDAS = 'vendas.rj@grupopatio.com.br'
const PENDING = 'pendente@grupopatio.com.br'

for (const { button, change, saved, failed, unloaded, tick, wire } of [
  {
    button: 'Gerenciar Tipos de Acesso',
    change: { types: ['Vendas', 'CRM'] },
    saved: 'Tipos de acesso atualizados com sucesso',
    failed: 'Erro ao atualizar tipos de acesso',
    unloaded: 'Erro ao carregar tipos de usuário',
    tick: 'HPD',
    wire: { types: ['Vendas', 'HPD', 'CRM'] },
  },
  {
    button: 'Gerenciar Marcas e Estados',
    change: { marcas: ['FIAT', 'JEEP'], estados: ['RJ'] },
    saved: 'Marcas e estados atualizados com sucesso!',
    failed: 'Erro ao atualizar marcas e estados',
    unloaded: 'Erro ao carregar marcas e estados',
    tick: 'MG',
    wire: { marcas: ['FIAT', 'JEEP'], estados: ['RJ', 'MG'] },
  },
]) {
  test(`'${button}' shows what the person has, keeps the ticks on failure and saves`, async ({
    page,
    other,
  }) => {
    await other.change(VENDAS, change)
    await openPerson(page, VENDAS)
    const address = `**/api/profiles/${(await other.person(VENDAS)).user_id}`
    const dialog = page.getByRole('dialog', { name: button })

    // It cannot be read: said, and tried again in place.
    await page.route(address, (route) => route.abort())
    await pressInMenu(page, button)
    await expect(toast(page, unloaded)).toBeVisible({ timeout: 10_000 })
    await page.unroute(address)
    await dialog.getByRole('button', { name: 'Tentar novamente' }).click()
    await expect(dialog.getByRole('checkbox', { name: 'Marcar todos' }).first()).toBeFocused()
    const had = Object.values(change).flat()
    expect(await tickedIn(dialog)).toEqual(had)

    // It cannot be saved: the row shows it at once, goes back, and the tick stays.
    await page.route(address, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await dialog.getByRole('checkbox', { name: tick }).check()
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await expect(toast(page, failed)).toBeVisible()
    await expect(dialog.getByRole('checkbox', { name: tick })).toBeChecked()
    await expect(
      page.getByRole('row', { includeHidden: true }).filter({ hasText: VENDAS }),
    ).not.toContainText(tick)
    await page.unroute(address)

    let patches = 0
    page.on('request', (request) => {
      if (request.method() === 'PATCH') patches += 1
    })
    await dialog.getByRole('button', { name: 'Salvar' }).dblclick()
    await expect(toast(page, saved)).toBeVisible()
    await expect(dialog).toHaveCount(0)
    await expect(menuOf(page)).toBeFocused()
    await expect(page.getByText(tick).first()).toBeVisible()
    expect(patches).toBe(1)
    expect(await other.person(VENDAS)).toMatchObject(wire)
  })
}

test('the row shows a save before the server has answered', async ({ page, other }) => {
  await other.change(VENDAS, { types: ['Vendas'] })
  await openPerson(page, VENDAS)
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/profiles/*', async (route) => {
    if (route.request().method() === 'PATCH') await isAnswered
    await route.continue()
  })
  await pressInMenu(page, 'Gerenciar Tipos de Acesso')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Oficina' }).check()
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByText('Vendas, Oficina')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Salvar' })).toHaveAttribute('aria-busy', 'true')
  // Nobody leaves a save that is under way.
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  answer()
  await expect(dialog).toHaveCount(0)
})

test('what another administrator has changed meanwhile is said and not overwritten', async ({
  page,
  other,
}) => {
  const person = VENDAS
  for (const change of [{ approved: true }, { types: ['Vendas', 'HPD'] }]) await other.change(person, change)
  await openPerson(page, person)
  const open = async () => {
    await pressInMenu(page, 'Gerenciar Tipos de Acesso')
    await expect(page.getByRole('dialog').getByRole('checkbox', { name: 'HPD' })).toBeVisible()
  }
  const dialog = page.getByRole('dialog')
  const notice = dialog.getByRole('alert')

  await open()
  await dialog.getByRole('checkbox', { name: 'Oficina' }).check()
  await other.change(person, { types: ['HPD', 'CRM'] })
  await other.change(person, { approved: false })
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(notice).toContainText('Nada foi sobrescrito')
  await expect(notice).toContainText(
    new RegExp(`${OTHER_ADMIN} mudou os tipos às \\d\\d:\\d\\d: \\+ CRM, − Vendas`),
  )
  await expect(notice).toContainText(`${OTHER_ADMIN} removeu a aprovação às`)
  expect(await tickedIn(dialog)).toEqual(['Vendas', 'Oficina', 'HPD'])
  expect((await other.person(person)).types).toEqual(['HPD', 'CRM'])
  // Pressing Enter again where one pressed it before must not overwrite.
  await page.keyboard.press('Enter')
  await expect(notice).toBeVisible()

  await dialog.getByRole('button', { name: 'Usar o estado atual' }).click()
  expect(await tickedIn(dialog)).toEqual(['HPD', 'CRM'])
  await dialog.getByRole('checkbox', { name: 'Slack' }).check()
  await other.change(person, { types: ['Gerentes'] })
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(notice).toContainText('+ Gerentes, − HPD, − CRM')
  await dialog.getByRole('button', { name: 'Salvar mesmo assim' }).click()
  await expect(toast(page, 'Tipos de acesso atualizados com sucesso')).toBeVisible()
  expect((await other.person(person)).types).toEqual(['HPD', 'CRM', 'Slack'])
})

test('an approval gives entitlements and lets in with one call, and the person is mailed', async ({
  page,
  other,
  demo,
}) => {
  for (const change of [{ approved: false }, { types: [] }, { marcas: [], estados: [] }])
    await other.change(PENDING, change)
  await openPerson(page, PENDING)
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
  const dialog = page.getByRole('dialog', { name: 'Aprovar Usuário' })
  await expect(
    dialog.getByText('Sem tipos, marcas e estados, a pessoa entra mas não vê relatórios.'),
  ).toBeVisible()
  expect(await tickedIn(dialog)).toEqual([])
  for (const name of ['Vendas', 'FIAT', 'RJ']) await dialog.getByRole('checkbox', { name }).check()

  await page.route('**/api/profiles/*', (route) => route.abort())
  await dialog.getByRole('button', { name: 'Aprovar' }).click()
  await expect(toast(page, 'Erro ao aprovar usuário')).toBeVisible()
  expect(await tickedIn(dialog)).toEqual(['Vendas', 'FIAT', 'RJ'])
  expect(await other.person(PENDING)).toMatchObject({ approved: false, types: [] })
  await page.unroute('**/api/profiles/*')

  const bodies: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') bodies.push(request.postData() ?? '')
  })
  await dialog.getByRole('button', { name: 'Aprovar' }).click()
  await expect(toast(page, 'Usuário aprovado com sucesso')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remover', exact: true })).toBeVisible()
  expect(bodies.map((body) => JSON.parse(body))).toEqual([
    { approved: true, types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'], valid_until: null },
  ])
  expect(await other.person(PENDING)).toMatchObject({ approved: true, types: ['Vendas'], estados: ['RJ'] })
  expect((await demo.mail(PENDING, 'account-approved')).text).toContain('aprovou sua conta')
})

test('an unverified address is asked about before the approval', async ({ page, other }) => {
  const [person] = await other.people('approved=false&verified=false')
  if (!person) throw new Error('The seed has nobody who is neither approved nor verified')
  await openPerson(page, person.email)
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('alert')).toContainText(
    `Ninguém provou ser dono do endereço ${person.email}.`,
  )
  await expect(dialog.getByRole('checkbox')).toHaveCount(0)
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Continuar mesmo assim' }).click()
  await expect(dialog.getByRole('checkbox').first()).toBeFocused()
  await dialog.getByRole('button', { name: 'Aprovar' }).click()
  await expect(toast(page, 'Usuário aprovado com sucesso')).toBeVisible()
  expect((await other.person(person.email)).approved).toBe(true)
})

test('two administrators approve at once: the second is told', async ({ page, other }) => {
  const [person] = await other.people('approved=false&verified=true')
  if (!person) throw new Error('The seed has nobody who waits')
  await openPerson(page, person.email)
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('checkbox').first()).toBeVisible()
  await other.change(person.email, { approved: true })
  await dialog.getByRole('button', { name: 'Aprovar' }).click()
  await expect(dialog.getByText('Esta conta já foi aprovada')).toBeVisible()
  await expect(dialog.getByText(`${OTHER_ADMIN} aprovou a conta às`)).toBeVisible()
  await dialog.getByRole('button', { name: 'Fechar' }).click()
  await expect(page.getByRole('button', { name: 'Remover', exact: true })).toBeVisible()
})

test('taking an approval away says what it does, and the person sees the pending screen', async ({
  page,
  other,
  browser,
  baseURL,
}) => {
  const person = 'semrelatorio@grupopatio.com.br'
  const elsewhere = await (await browser.newContext({ baseURL: baseURL as string })).newPage()
  await openAs(elsewhere, 'semrelatorio')
  await expect(elsewhere.getByText(/^Nenhum relatório Power BI disponível/)).toBeVisible()
  await openPerson(page, person)
  const trigger = page.getByRole('button', { name: 'Remover', exact: true })
  await trigger.click()
  const dialog = page.getByRole('dialog', { name: 'Remover Aprovação' })
  await expect(dialog).toContainText('A pessoa mantém a conta')
  await expect(dialog).toContainText('tela de aprovação pendente')
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused()

  await page.route('**/api/profiles/*', (route) => route.abort())
  await dialog.getByRole('button', { name: 'Remover aprovação' }).click()
  await expect(toast(page, 'Erro ao remover aprovação')).toBeVisible()
  await page.unroute('**/api/profiles/*')
  await other.change(person, { types: ['Slack'] })
  await dialog.getByRole('button', { name: 'Remover aprovação' }).click()
  await expect(dialog.getByRole('alert')).toContainText('mudou os tipos')
  await dialog.getByRole('button', { name: 'Remover mesmo assim' }).click()
  await expect(toast(page, 'Aprovação removida')).toBeVisible()
  await expect(page.getByRole('row').getByRole('button', { name: 'Aprovar' })).toBeVisible()

  await elsewhere.reload()
  await expect(elsewhere.getByText(/^Sua conta está pendente de aprovação pelo administrador/)).toBeVisible()
  await elsewhere.context().close()
})

test('the history tells who changed what, newest first, page after page', async ({ page, other }) => {
  const [quiet, busy] = await other.people('approved=true&verified=true&q=ana')
  if (!quiet || !busy) throw new Error('The seed has no two people of that name')
  for (let count = 0; count < 26; count += 1) {
    await other.change(busy.email, { types: ['HPD'] })
    await other.change(busy.email, { types: ['CRM'] })
  }
  await openPerson(page, quiet.email)
  await pressInMenu(page, 'Histórico')
  const dialog = page.getByRole('dialog', { name: 'Histórico' })
  await expect(dialog.getByText('Nenhuma alteração registrada')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(menuOf(page)).toBeFocused()

  await page.goto(`/admin?q=${busy.email}`)
  await page.route('**/history', (route) => route.abort())
  await pressInMenu(page, 'Histórico')
  await expect(dialog.getByText('Erro ao carregar o histórico')).toBeVisible({ timeout: 10_000 })
  await page.unroute('**/history')
  await dialog.getByRole('button', { name: 'Tentar novamente' }).click()
  const entries = dialog.getByRole('listitem')
  await expect(entries).toHaveCount(50)
  await expect(entries.first()).toContainText(`${OTHER_ADMIN} mudou os tipos: + CRM, − HPD`)
  await expect(entries.first()).toContainText(/\d\d\/\d\d\/\d{4},? \d\d:\d\d/)
  await expect(entries.nth(1)).toContainText('+ HPD, − CRM')
  await dialog.getByRole('button', { name: 'Mostrar mais antigas' }).click()
  await expect(dialog.getByRole('button', { name: 'Mostrar mais antigas' })).toHaveCount(0)
  await expect.poll(() => entries.count()).toBeGreaterThanOrEqual(51)
})

test("a person's data are downloaded as JSON", async ({ page }) => {
  await openPerson(page, VENDAS)
  const download = page.waitForEvent('download')
  await pressInMenu(page, 'Exportar dados')
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^dados-vendas\.rj@grupopatio\.com\.br-\d{4}-\d\d-\d\d\.json$/)
  const data = JSON.parse(await readFile(await file.path(), 'utf8'))
  expect(JSON.stringify(data.profile)).toContain(VENDAS)
  await expect(toast(page, 'Dados exportados')).toBeVisible()

  await page.route('**/export', (route) => route.abort())
  await pressInMenu(page, 'Exportar dados')
  await expect(toast(page, 'Erro ao exportar dados')).toBeVisible()
})
