import { clickMenuItem, listSelected, openPerson, test } from './administration.ts'
import { expect, openAs } from './portal-fixture.ts'
import { toast } from './settings-card.ts'
import { getFilter } from './user-table-fixture.ts'

test('templates, a colleague’s access and the last selection fill every dialog, and a template’s holders can be found', async ({
  page,
  other,
}) => {
  test.setTimeout(120_000)
  await openAs(page, 'admin', '/admin')
  await page.getByRole('link', { name: 'Modelos de acesso' }).click()
  const dialog = page.getByRole('dialog')
  const filling = dialog.getByRole('region', { name: 'Modelos' })
  await page.getByRole('button', { name: 'Novo modelo' }).click()
  await dialog.getByLabel('Nome', { exact: true }).fill('Vendedor FIAT RJ')
  for (const name of ['Vendas', 'CRM', 'FIAT', 'GAC', 'RJ'])
    await dialog.getByRole('checkbox', { name, exact: true }).check()
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click()
  await expect(toast(page, 'Modelo “Vendedor FIAT RJ” salvo')).toBeVisible()
  const row = page.getByRole('listitem').filter({ hasText: 'Vendedor FIAT RJ' })
  await expect(row).toContainText('Vendas, CRM · FIAT, GAC · RJ')
  const { version } = (await other.call('GET', '/api/catalogue')).body
  expect((await other.call('PATCH', '/api/catalogue/marcas/GAC', { archived: true }, version)).status).toBe(
    200,
  )

  // Approves with a template, adjusts it and saves it under a new name.
  const email = 'pendente@grupopatio.com.br'
  await openPerson(page, email)
  await page.getByRole('button', { name: 'Aprovar', exact: true }).last().click()
  await filling.getByRole('button', { name: 'Vendedor FIAT RJ' }).click()
  await expect(filling).toContainText(
    'Marcado também o que está no modelo “Vendedor FIAT RJ”. De fora, por estar no arquivo: GAC.',
  )
  const before = await listSelected(dialog)
  expect(before).toEqual(expect.arrayContaining(['Vendas', 'CRM', 'FIAT', 'RJ']))
  await dialog.getByRole('checkbox', { name: 'ES', exact: true }).check()
  await filling.getByRole('button', { name: 'Salvar como modelo' }).click()
  await filling.getByLabel('Nome do modelo').fill('vendedor fiat rj')
  await page.keyboard.press('Enter')
  await expect(filling.getByLabel('Nome do modelo')).toHaveAccessibleDescription(/Já existe um modelo/)
  await filling.getByLabel('Nome do modelo').fill('Vendedor RJ e ES')
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Modelo “Vendedor RJ e ES” salvo')).toBeVisible()
  const given = await listSelected(dialog)
  await dialog.getByRole('button', { name: 'Aprovar', exact: true }).click()
  await expect(dialog).toHaveCount(0)

  // The next person gets the last selection, remembered by the tab, then a colleague's access.
  await page.getByLabel('Buscar por nome ou e-mail').fill('vendas.rj@grupopatio.com.br')
  await expect(page.getByText('vendas.rj@grupopatio.com.br', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Mais ações' })).toHaveCount(1)
  await clickMenuItem(page, 'Gerenciar Marcas e Estados')
  await filling.getByRole('button', { name: 'Os últimos' }).click()
  await expect
    .poll(() => listSelected(dialog))
    .toEqual(given.filter((name) => !['Vendas', 'CRM'].includes(name)))
  await filling.getByRole('button', { name: 'Mesmas marcas e estados de um colega' }).click()
  await filling.getByLabel('Colega, por nome ou e-mail').fill('diretoria')
  await filling.getByRole('list', { name: 'Colegas encontrados' }).getByRole('button').first().click()
  const boss = await other.person('diretoria@grupopatio.com.br')
  await expect
    .poll(() => listSelected(dialog))
    .toEqual([...boss.marcas, ...boss.estados].filter((value) => value !== 'GAC'))
  await dialog.getByRole('button', { name: 'Cancelar' }).click()

  // The holders of a template can be selected for a bulk edit, which accepts templates too.
  await page.goto('/admin/modelos')
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Vendedor RJ e ES' })
    .getByRole('link', { name: 'Quem tem exatamente este modelo' })
    .click()
  await expect(getFilter(page, 'Modelo')).not.toHaveText('Modelo: qualquer')
  await expect(page.getByText(email, { exact: true }).last()).toBeVisible()
  await expect(page.getByText('vendas.rj@grupopatio.com.br', { exact: true })).toHaveCount(0)
  await page.getByRole('row').getByRole('checkbox').last().check()
  await page.getByRole('button', { name: 'Alterar Filtros em Massa (1)' }).click()
  await dialog.getByText('Mais opções').click()
  await filling.getByRole('button', { name: 'Vendedor FIAT RJ' }).click()
  await expect(dialog.getByText('1 fica como está.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancelar' }).click()

  // Another administrator changes a template that is open here.
  await page.goto('/admin/modelos')
  await page.getByRole('button', { name: 'Editar: Vendedor FIAT RJ' }).click()
  const { items } = (await other.call('GET', '/api/access-templates')).body
  const { id } = items.find(({ name }: { name: string }) => name === 'Vendedor FIAT RJ')
  await other.call('PATCH', `/api/access-templates/${id}`, { estados: ['MG'] }, 1)
  await dialog.getByRole('checkbox', { name: 'HPD', exact: true }).check()
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click()
  await expect(dialog.getByText('Este modelo mudou nesse meio-tempo')).toBeVisible()
  await dialog.getByRole('button', { name: 'Juntar as duas alterações' }).click()
  await expect(row).toContainText('Vendas, HPD, CRM · FIAT, GAC (no arquivo) · MG')
  // A template that a group of the directory gives stays until the group gives another.
  const group = { group_id: '1a2b3c4d-0000-4000-8000-00000000aaaa', name: 'Vendas RJ', template_id: id }
  await other.call('PUT', '/api/group-mappings', { items: [group] })
  await page.getByRole('button', { name: 'Excluir: Vendedor FIAT RJ' }).click()
  await expect(dialog.getByRole('alert')).toContainText('“Vendas RJ” dá este modelo')
  await expect(dialog.getByRole('link', { name: 'Grupos do diretório' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Fechar' }).click()
  await other.call('PUT', '/api/group-mappings', { items: [] })
  await page.getByRole('button', { name: 'Excluir: Vendedor FIAT RJ' }).click()
  await dialog.getByRole('button', { name: 'Excluir modelo' }).click()
  await expect(row).toHaveCount(0)
})
