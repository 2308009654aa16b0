import { clickMenuItem, listSelected, openPerson, test } from './administration.ts'
import { expect, getReportFrame, openAs } from './portal-fixture.ts'
import { fillIds, getForm, OFICINA, save, selectArea, toast } from './settings-card.ts'
import { getFilter } from './user-table-fixture.ts'

test('a new marca, estado and type appear for people, in filters, tabs and reports without a restart', async ({
  page,
  browser,
  demo,
}) => {
  test.setTimeout(120_000)
  await openAs(page, 'admin', '/admin')
  await page.getByRole('link', { name: 'Áreas, marcas e estados' }).click()
  const card = (name: string) => page.getByRole('region', { name, exact: true })
  await expect(card('Áreas').getByRole('listitem').first()).toContainText(/Vendas\d+ pessoas · 1 relatório/)

  const areas = card('Áreas').getByRole('form')
  await areas.getByRole('textbox', { name: 'Nome' }).fill('VENDAS')
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Incluir', exact: true })
  await areas.getByRole('button', { name: 'Incluir área' }).click()
  await confirm.click()
  await expect(areas.getByRole('textbox', { name: 'Nome' })).toHaveAccessibleDescription(
    'Já existe um item com este nome',
  )
  await areas.getByRole('textbox', { name: 'Nome' }).fill('Seminovos')
  await page.keyboard.press('Enter')
  await confirm.click()
  await expect(toast(page, '“Seminovos” foi incluído')).toBeVisible()
  await card('Marcas').getByRole('textbox', { name: 'Código' }).fill('byd')
  await card('Marcas').getByRole('button', { name: 'Incluir marca' }).click()
  await expect(page.getByRole('dialog')).toContainText('O Power BI recebe o código BYD, que não muda depois.')
  await confirm.click()
  await expect(toast(page, '“BYD” foi incluído')).toBeVisible()
  await card('Estados').getByRole('textbox', { name: 'Código' }).fill('SP')
  await card('Estados').getByRole('textbox', { name: 'Nome' }).fill('São Paulo')
  await card('Estados').getByRole('button', { name: 'Incluir estado' }).click()
  await confirm.click()
  await expect(card('Estados').getByRole('listitem').last()).toContainText('São Paulo (SP)0 pessoas')

  // Another item is archived while the order is still being saved.
  await page.route('**/api/catalogue', async (route) => {
    if (route.request().method() === 'PUT') await new Promise((resolve) => setTimeout(resolve, 500))
    await route.continue()
  })
  // The keyboard moves it, and the focus stays on the button.
  const up = card('Áreas').getByRole('button', { name: 'Mover para cima: Seminovos' })
  await up.focus()
  for (let place = 9; place > 2; place--) {
    await page.keyboard.press('Enter')
    await expect(card('Áreas').getByRole('status')).toHaveText(`Seminovos: posição ${place} de 10`)
    await expect(up).toBeFocused()
  }
  await card('Marcas').getByRole('button', { name: 'Arquivar: GAC' }).click()
  await expect(page.getByRole('list', { name: 'Marcas no arquivo' })).toContainText('GAC')

  await page.getByRole('link', { name: 'Visão geral' }).click()
  // The tabs follow the saved order, whose last write comes after that of the archived item.
  const areaTabs = page.getByRole('tablist', { name: 'Áreas' }).getByRole('tab')
  await expect(areaTabs.nth(2)).toContainText('Seminovos')
  await selectArea(page, 'Seminovos')
  await fillIds(getForm(page), OFICINA.workspaceId, OFICINA.reportId)
  await save(page)
  await expect(toast(page, 'Configuração do Power BI para Seminovos salva com sucesso')).toBeVisible()

  await openPerson(page, 'vendas.rj@grupopatio.com.br')
  const dialog = page.getByRole('dialog')
  const tick = async (button: string, names: string[]) => {
    await clickMenuItem(page, button)
    for (const name of names) await dialog.getByRole('checkbox', { name, exact: true }).check()
    await expect(dialog.getByRole('checkbox', { name: /^GAC/ })).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await expect(dialog).toHaveCount(0)
  }
  await tick('Gerenciar Tipos de Acesso', ['Seminovos'])
  await tick('Gerenciar Marcas e Estados', ['BYD', 'São Paulo (SP)'])
  await expect(page.getByText('Vendas, Seminovos e CRM')).toBeVisible()
  await page.goto('/admin?marca=BYD&estado=SP')
  await expect(getFilter(page, 'Marca')).toHaveText('Marca: BYD')
  await expect(page.getByText('vendas.rj@grupopatio.com.br', { exact: true })).toBeVisible()
  await clickMenuItem(page, 'Gerenciar Marcas e Estados')
  await expect(dialog.getByRole('checkbox', { name: 'BYD' })).toBeChecked()
  expect(await listSelected(dialog)).toEqual(['FIAT', 'JEEP', 'BYD', 'RJ', 'São Paulo (SP)'])

  const theirs = await (await browser.newContext()).newPage()
  await openAs(theirs, 'vendas.rj', `${demo.url}/power-bi`)
  await expect(theirs.getByRole('tab')).toHaveText(['Vendas', 'Seminovos', 'CRM'])
  await theirs.getByRole('tab', { name: 'Seminovos' }).click()
  await expect(getReportFrame(theirs, 'Seminovos').getByText('BYD').first()).toBeVisible()

  // Renames an area that people hold.
  await page.goto('/admin/listas')
  await card('Áreas').getByRole('button', { name: 'Renomear: Seminovos' }).click()
  await expect(dialog).toContainText('também para a pessoa que a tem')
  await dialog.getByRole('textbox', { name: 'Nome' }).fill('Usados')
  await dialog.getByRole('button', { name: 'Renomear' }).click()
  await expect(toast(page, '“Seminovos” agora se chama “Usados”')).toBeVisible()
  await theirs.goto(`${demo.url}/power-bi`)
  await expect(theirs.getByRole('tab')).toHaveText(['Vendas', 'Usados', 'CRM'])
  await theirs.context().close()
})

test('a new marca goes to whoever has all of them, in three presses, and a mistyped one goes again', async ({
  page,
  other,
}) => {
  const { marcas } = (await other.call('GET', '/api/catalogue')).body
  const all = marcas.map(({ code }: { code: string }) => code)
  const boss = 'diretoria@grupopatio.com.br'
  await other.change(boss, { marcas: all, estados: ['RJ'] })
  await other.change('vendas.rj@grupopatio.com.br', { marcas: ['FIAT'], estados: ['RJ'] })
  const holders = (await other.call('GET', '/api/catalogue/use')).body.holdersOfAll.marcas
  await openAs(page, 'admin', '/admin/listas')
  const brands = page.getByRole('region', { name: 'Marcas', exact: true })
  const dialog = page.getByRole('dialog')
  const add = async (code: string) => {
    await brands.getByRole('textbox', { name: 'Código' }).fill(code)
    await brands.getByRole('button', { name: 'Incluir marca' }).click()
  }
  await add('byd')
  await dialog
    .getByRole('checkbox', {
      name: `Dar também a quem tem todas as marcas (${holders} ${holders === 1 ? 'pessoa' : 'pessoas'})`,
    })
    .check()
  await dialog.getByRole('button', { name: 'Incluir', exact: true }).click()
  await expect(toast(page, '“BYD” foi incluído')).toBeVisible()
  expect((await other.person(boss)).marcas).toEqual([...all, 'BYD'])
  expect((await other.person('vendas.rj@grupopatio.com.br')).marcas).toEqual(['FIAT'])
  await expect(brands.getByRole('button', { name: 'Excluir: BYD' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  expect((await other.person(boss)).marcas).toEqual(all)

  // Whoever has all others can still be found, by the brand's row.
  await brands
    .getByRole('link', { name: /^só falta a \d+$/ })
    .last()
    .click()
  await expect(page).toHaveURL(/allOf=marcas(%3A|:)BYD/)
  await expect(page.locator('#usuarios')).toContainText(boss)
  await page.goBack()

  await add('bydd')
  await dialog.getByRole('button', { name: 'Incluir', exact: true }).click()
  await brands.getByRole('button', { name: 'Excluir: BYDD' }).click()
  await dialog.getByRole('button', { name: 'Excluir', exact: true }).click()
  await expect(toast(page, '“BYDD” foi excluído')).toBeVisible()
  await expect(brands).not.toContainText('BYDD')
  // Somebody once held the other.
  await page.reload()
  await brands.getByRole('button', { name: 'Excluir: BYD' }).click()
  await dialog.getByRole('button', { name: 'Excluir', exact: true }).click()
  await expect(page.getByText(/pode ser arquivado, mas não excluído/)).toBeVisible()
})

test('a new order and a new name can be undone, unless another administrator changed them since', async ({
  page,
  other,
}) => {
  await openAs(page, 'admin', '/admin/listas')
  const areas = page.getByRole('region', { name: 'Áreas', exact: true }).getByRole('list').first()
  const names = areas.getByRole('listitem').locator('p:first-child')
  // The history below has buttons of its own.
  const undo = page.getByRole('button', { name: 'Desfazer', exact: true })
  await expect(names).toContainText(['Vendas', 'Oficina', 'HPD'])
  for (const place of [1, 2]) {
    const former = await undo.elementHandles()
    await areas.getByRole('button', { name: 'Mover para baixo: Vendas' }).click()
    await expect(names.nth(place)).toHaveText('Vendas')
    // Once a move is saved, a new toast replaces the one before.
    for (const button of former) await button.waitForElementState('hidden')
    await expect(toast(page, 'A ordem mudou para todos')).toHaveCount(1)
  }
  await expect(async () => {
    const { types } = (await other.call('GET', '/api/catalogue')).body
    expect(types.slice(0, 3).map(({ label }: { label: string }) => label)).toEqual([
      'Oficina',
      'HPD',
      'Vendas',
    ])
  }).toPass()
  await undo.click()
  await expect(names).toContainText(['Vendas', 'Oficina', 'HPD'])

  const rename = async () => {
    await areas.getByRole('button', { name: 'Renomear: CRM' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Nome' }).fill('Clientes')
    await page.getByRole('dialog').getByRole('button', { name: 'Renomear' }).click()
    await expect(toast(page, '“CRM” agora se chama “Clientes”')).toBeVisible()
  }
  await rename()
  await undo.click()
  await expect(toast(page, 'Alteração desfeita').last()).toBeVisible()
  await expect(areas).toContainText('CRM')
  await rename()
  await other.call('PATCH', '/api/catalogue/types/crm', { label: 'Compradores' })
  await expect(areas).toContainText('Compradores')
  await undo.click()
  await expect(toast(page, 'Não foi possível desfazer a alteração')).toBeVisible()
  await expect(areas).toContainText('Compradores')
})
