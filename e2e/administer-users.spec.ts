import { readFile } from 'node:fs/promises'
import type { Route } from '@playwright/test'
import {
  clickMenuItem,
  expect,
  getRowMenu,
  listSelected,
  OTHER_ADMIN,
  openPerson,
  test,
  toast,
} from './administration.ts'

const VENDAS = 'vendas.rj@grupopatio.com.br'
const PENDING = 'pendente@grupopatio.com.br'

const ENTITLEMENT_DIALOGS = [
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
]

test('an entitlement dialog updates the row optimistically, keeps the selection on failure and saves once', async ({
  page,
  other,
}) => {
  for (const { change } of ENTITLEMENT_DIALOGS) await other.change(VENDAS, change)
  await openPerson(page, VENDAS)
  const address = `**/api/profiles/${(await other.person(VENDAS)).user_id}`
  const row = page.getByRole('row', { includeHidden: true }).filter({ hasText: VENDAS })
  const stubSaves = (answer: (route: Route) => Promise<void>) =>
    page.route(address, (route) => (route.request().method() === 'PATCH' ? answer(route) : route.continue()))
  let patches = 0
  for (const { button, change, saved, failed, unloaded, tick, wire } of ENTITLEMENT_DIALOGS) {
    const dialog = page.getByRole('dialog', { name: button })
    const save = dialog.getByRole('button', { name: 'Salvar' })

    // Loading fails: an error is shown, and a retry works.
    await page.route(address, (route) => route.abort())
    await clickMenuItem(page, button)
    await expect(toast(page, unloaded)).toBeVisible({ timeout: 10_000 })
    await page.unroute(address)
    await dialog.getByRole('button', { name: 'Tentar novamente' }).click()
    await expect(dialog.getByRole('checkbox', { name: 'Marcar todos' }).first()).toBeFocused()
    expect(await listSelected(dialog)).toEqual(Object.values(change).flat())

    // Saving fails: the optimistic update of the row is rolled back, the selection stays.
    await stubSaves((route) => route.abort())
    await dialog.getByRole('checkbox', { name: tick }).check()
    await save.click()
    await expect(toast(page, failed)).toBeVisible()
    await expect(dialog.getByRole('checkbox', { name: tick })).toBeChecked()
    await expect(row).not.toContainText(tick)
    await page.unroute(address)

    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
    await stubSaves(async (route) => {
      patches += 1
      await isAnswered
      await route.continue()
    })
    await save.dblclick()
    await expect(row).toContainText(tick)
    await expect(save).toHaveAttribute('aria-busy', 'true')
    // A dialog cannot be closed while it saves.
    await page.keyboard.press('Escape')
    await expect(dialog).toBeVisible()
    answer()
    await expect(toast(page, saved)).toBeVisible()
    await expect(dialog).toHaveCount(0)
    await expect(getRowMenu(page)).toBeFocused()
    await page.unroute(address)
    expect(await other.person(VENDAS)).toMatchObject(wire)
  }
  expect(patches).toBe(2)
})

test('a change by another administrator meanwhile is reported and not overwritten', async ({
  page,
  other,
}) => {
  const person = VENDAS
  for (const change of [{ approved: true }, { types: ['Vendas', 'HPD'] }]) await other.change(person, change)
  await openPerson(page, person)
  const open = async () => {
    await clickMenuItem(page, 'Gerenciar Tipos de Acesso')
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
  expect(await listSelected(dialog)).toEqual(['Vendas', 'Oficina', 'HPD'])
  expect((await other.person(person)).types).toEqual(['HPD', 'CRM'])
  // A second Enter on the same spot must not overwrite.
  await page.keyboard.press('Enter')
  await expect(notice).toBeVisible()

  await dialog.getByRole('button', { name: 'Usar o estado atual' }).click()
  expect(await listSelected(dialog)).toEqual(['HPD', 'CRM'])
  await dialog.getByRole('checkbox', { name: 'Slack' }).check()
  await other.change(person, { types: ['Gerentes'] })
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(notice).toContainText('+ Gerentes, − HPD, − CRM')
  await dialog.getByRole('button', { name: 'Salvar mesmo assim' }).click()
  await expect(toast(page, 'Tipos de acesso atualizados com sucesso')).toBeVisible()
  expect((await other.person(person)).types).toEqual(['HPD', 'CRM', 'Slack'])

  // Both changes are kept where they concern different items.
  await expect(dialog).toHaveCount(0)
  await open()
  await dialog.getByRole('checkbox', { name: 'Oficina' }).check()
  await dialog.getByRole('checkbox', { name: 'CRM' }).uncheck()
  await other.change(person, { types: ['HPD', 'CRM', 'Slack', 'Marketing'] })
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await dialog.getByRole('button', { name: 'Juntar' }).click()
  await expect(dialog).toHaveCount(0)
  expect((await other.person(person)).types).toEqual(['Oficina', 'HPD', 'Marketing', 'Slack'])
})

test('an approval grants entitlements and access in one call', async ({ page, other }) => {
  for (const change of [{ approved: false }, { types: [] }, { marcas: [], estados: [] }])
    await other.change(PENDING, change)
  await openPerson(page, PENDING)
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
  const dialog = page.getByRole('dialog', { name: 'Aprovar Usuário' })
  await expect(
    dialog.getByText('Sem tipos, marcas e estados, a pessoa entra mas não vê relatórios.'),
  ).toBeVisible()
  expect(await listSelected(dialog)).toEqual([])
  for (const name of ['Vendas', 'FIAT', 'RJ']) await dialog.getByRole('checkbox', { name }).check()

  await page.route('**/api/profiles/*', (route) => route.abort())
  await dialog.getByRole('button', { name: 'Aprovar' }).click()
  await expect(toast(page, 'Erro ao aprovar usuário')).toBeVisible()
  expect(await listSelected(dialog)).toEqual(['Vendas', 'FIAT', 'RJ'])
  await page.unroute('**/api/profiles/*')

  const bodies: object[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') bodies.push(request.postDataJSON())
  })
  await dialog.getByRole('button', { name: 'Aprovar' }).click()
  await expect(toast(page, 'Usuário aprovado com sucesso')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remover', exact: true })).toBeVisible()
  expect(bodies).toEqual([
    { approved: true, types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'], valid_until: null },
  ])
})

test('revoking an approval explains its effect and asks again after the person has changed', async ({
  page,
  other,
}) => {
  const person = 'semrelatorio@grupopatio.com.br'
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
})

test('the history lists changes newest first, in pages, and a person’s data can be downloaded', async ({
  page,
}) => {
  const createEntry = (id: number, was: string, is: string) => ({
    id,
    at: '2026-11-20T17:32:00Z',
    actor_email: OTHER_ADMIN,
    action: 'types-set',
    before: { types: [was] },
    after: { types: [is] },
  })
  await openPerson(page, VENDAS)
  const dialog = page.getByRole('dialog', { name: 'Histórico' })
  await page.route('**/api/**/history*', (route) => route.abort())
  await clickMenuItem(page, 'Histórico')
  await expect(dialog.getByText('Erro ao carregar o histórico')).toBeVisible({ timeout: 10_000 })
  await page.unroute('**/api/**/history*')
  await page.route('**/api/**/history*', (route) =>
    route.fulfill({
      json: route.request().url().includes('cursor=')
        ? { items: [createEntry(1, 'Slack', 'HPD')], next: null }
        : { items: [createEntry(3, 'HPD', 'CRM'), createEntry(2, 'CRM', 'HPD')], next: '2' },
    }),
  )
  await dialog.getByRole('button', { name: 'Tentar novamente' }).click()
  const entries = dialog.getByRole('listitem')
  await expect(entries).toHaveCount(2)
  await expect(entries.first()).toContainText(`${OTHER_ADMIN} mudou os tipos: + CRM, − HPD`)
  await expect(entries.first()).toContainText(/20\/11\/2026,? 14:32/)
  await expect(entries.nth(1)).toContainText('+ HPD, − CRM')
  await dialog.getByRole('button', { name: 'Mostrar mais antigas' }).click()
  await expect(dialog.getByRole('button', { name: 'Mostrar mais antigas' })).toHaveCount(0)
  await expect(entries).toHaveCount(3)
  await page.keyboard.press('Escape')
  await expect(getRowMenu(page)).toBeFocused()

  const download = page.waitForEvent('download')
  await clickMenuItem(page, 'Exportar dados')
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^dados-vendas\.rj@grupopatio\.com\.br-\d{4}-\d\d-\d\d\.json$/)
  const data = JSON.parse(await readFile(await file.path(), 'utf8'))
  expect(JSON.stringify(data.profile)).toContain(VENDAS)
  await expect(toast(page, 'Dados exportados')).toBeVisible()
  await page.route('**/export', (route) => route.abort())
  await clickMenuItem(page, 'Exportar dados')
  await expect(toast(page, 'Erro ao exportar dados')).toBeVisible()
})
