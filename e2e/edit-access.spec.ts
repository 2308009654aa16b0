import type { Page } from '@playwright/test'
import {
  clickMenuItem,
  expect,
  listSelected,
  type OtherAdmin,
  openAdmin,
  openPerson,
  test,
  toast,
} from './administration.ts'
import { findSeriousViolations } from './axe-findings.ts'

const VENDAS = 'vendas.rj@grupopatio.com.br'
const BOSS = 'diretoria@grupopatio.com.br'

const getDialog = (page: Page) => page.getByRole('dialog', { name: 'Editar acesso' })

async function readAccess(other: OtherAdmin, email: string) {
  const { types, marcas, estados, valid_until } = await other.person(email)
  return { types, marcas, estados, valid_until }
}

test('makes a person equal to a colleague in five presses and one word, and can be undone', async ({
  page,
  other,
}) => {
  await other.change(VENDAS, { types: ['Vendas', 'Slack'], marcas: ['FIAT'], estados: ['RJ'] })
  await other.change(BOSS, { types: ['Vendas', 'CRM'], marcas: ['VW'], estados: ['MG', 'ES'] })
  const before = await readAccess(other, VENDAS)
  await openPerson(page, VENDAS)
  const dialog = getDialog(page)
  let presses = 0
  await page.exposeFunction('countPress', () => {
    presses += 1
  })
  await page.evaluate(() => {
    // A press by keyboard is a click too.
    document.addEventListener('click', () => Reflect.get(window, 'countPress')(), true)
  })

  await clickMenuItem(page, 'Editar acesso')
  await dialog.getByRole('button', { name: 'Igual a um colega' }).click()
  await page.keyboard.type('diretoria')
  const found = dialog.getByRole('list', { name: 'Colegas encontrados' }).getByRole('button')
  // Slow typing finds those of the first letters before.
  await expect(found).toHaveCount(1)
  await found.click()
  await expect(dialog.getByText(/^Marcado só o que .* tem\.$/)).toBeVisible()
  await expect(
    dialog.getByText('Ganha CRM, VW, ES e MG. Perde Slack, FIAT e RJ.', { exact: true }),
  ).toBeVisible()
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click()
  await expect(toast(page, 'Acesso atualizado')).toBeVisible()
  expect(presses).toBeLessThanOrEqual(5)
  expect(await readAccess(other, VENDAS)).toEqual(await readAccess(other, BOSS))

  // The undo stays where it is while another dialog is open.
  const undo = page.getByRole('button', { name: 'Desfazer', exact: true })
  // A trial waits until the toast has slid in.
  await undo.click({ trial: true })
  const place = await undo.boundingBox()
  await clickMenuItem(page, 'Histórico')
  await expect(
    page.getByRole('dialog').getByText(/^Você mudou os tipos, as marcas e os estados/),
  ).toBeVisible()
  expect(await undo.boundingBox()).toEqual(place)
  await undo.click()
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  expect(await readAccess(other, VENDAS)).toEqual(before)
})

test('a source is added to what is ticked on request; only the shown lists are copied elsewhere', async ({
  page,
  other,
}) => {
  await other.change(VENDAS, { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] })
  await other.change(BOSS, { types: ['CRM'], marcas: ['VW'], estados: ['MG'] })
  await openPerson(page, VENDAS)
  await clickMenuItem(page, 'Editar acesso')
  const dialog = page.getByRole('dialog')
  const choose = async (button: string) => {
    await dialog.getByRole('button', { name: button }).click()
    await dialog.getByLabel('Colega, por nome ou e-mail').fill('diretoria')
    await dialog.getByRole('list', { name: 'Colegas encontrados' }).getByRole('button').click()
  }
  await dialog.getByRole('radio', { name: 'Acrescentar' }).check()
  await choose('Igual a um colega')
  await expect.poll(() => listSelected(dialog)).toEqual(['Vendas', 'CRM', 'FIAT', 'VW', 'RJ', 'MG'])
  await expect(dialog.getByText('Ganha CRM, VW e MG.', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancelar' }).click()

  await clickMenuItem(page, 'Gerenciar Tipos de Acesso')
  await choose('Mesmos tipos de um colega')
  await expect(dialog.getByText(/^Marcados só os tipos de .*\. Marcas e estados não mudam\.$/)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Igual a um colega' })).toHaveCount(0)
})

test('changes all lists and the last day of many people at once, after their effect in words', async ({
  page,
  other,
}) => {
  const people = (await other.people('q=ramos')).slice(0, 3)
  const emails = people.map(({ email }) => email)
  expect(emails).toHaveLength(3)
  for (const [index, email] of emails.entries())
    await other.change(email, { types: index === 0 ? ['CRM'] : ['Slack'], marcas: ['VW'], estados: [] })
  const before = await Promise.all(emails.map((email) => readAccess(other, email)))
  await openAdmin(page, '?q=ramos')
  for (const email of emails)
    await page.getByRole('row').filter({ hasText: email }).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Alterar Filtros em Massa (3)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Alteração em Massa' })
  const effect = dialog.getByRole('status')
  // What the specification names is there at once, and nothing else.
  await expect(dialog.locator('label:has([type=radio])')).toHaveText([
    'Adicionar aos usuários selecionados',
    'Remover dos usuários selecionados',
  ])
  await expect(dialog.getByRole('tab')).toHaveText(['Tipos', 'Marcas', 'Estados'])
  const replace = dialog.getByRole('checkbox', { name: /^Substituir por/ })
  const validity = dialog.getByRole('checkbox', { name: 'Mudar a validade do acesso' })
  for (const folded of [replace, validity, dialog.getByRole('region', { name: 'Modelos' })])
    await expect(folded).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Adicionar', exact: true }).click()
  await expect(toast(page, 'Selecione pelo menos um item para alterar')).toBeVisible()

  await dialog.getByRole('checkbox', { name: 'CRM', exact: true }).check()
  await dialog.getByRole('tab', { name: 'Estados' }).click()
  await dialog.getByRole('checkbox', { name: 'RJ', exact: true }).check()
  await expect(effect).toHaveText('CRM passa a aparecer para 2 pessoas. RJ passa a aparecer para 3 pessoas.')
  await dialog.getByText('Mais opções').click()
  await expect(dialog.getByRole('region', { name: 'Modelos' })).toBeVisible()
  await replace.check()
  await expect(dialog.getByRole('radio', { checked: true })).toHaveCount(0)
  await expect(effect).toHaveText(
    'CRM passa a aparecer para 2 pessoas. RJ passa a aparecer para 3 pessoas. Slack deixa de aparecer para 2 pessoas. VW deixa de aparecer para 3 pessoas.',
  )
  await validity.check()
  await dialog.getByLabel('Válido até').fill('31/12/2099')
  await expect(effect).toContainText('O acesso de 3 pessoas passa a valer até 31/12/2099.')
  expect(await findSeriousViolations(page)).toEqual([])

  // The connection breaks: nothing that was marked is lost.
  await page.route('**/api/profiles/bulk-edit', (route) => route.abort())
  await expect(dialog.getByText(/^Ficam sem marca: /)).toBeVisible()
  await dialog.getByRole('button', { name: 'Substituir', exact: true }).click()
  const save = dialog.getByRole('button', { name: 'Substituir mesmo assim' })
  await save.click()
  await expect(toast(page, 'Erro ao atualizar dados dos usuários')).toBeVisible({ timeout: 20_000 })
  await expect(dialog.getByRole('tab')).toHaveText(['Tipos (1)', 'Marcas', 'Estados (1)'])
  await expect(validity).toBeChecked()
  await page.unroute('**/api/profiles/bulk-edit')
  let saves = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/bulk-edit')) saves += 1
  })
  await save.dblclick()
  await expect(toast(page, 'Dados substituídos com sucesso para 3 usuário(s)')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  expect(saves).toBe(1)
  for (const email of emails)
    expect(await readAccess(other, email)).toEqual({
      types: ['CRM'],
      marcas: [],
      estados: ['RJ'],
      valid_until: '2099-12-31',
    })
  await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  expect(await Promise.all(emails.map((email) => readAccess(other, email)))).toEqual(before)
})
