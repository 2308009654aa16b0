import { getRowMenu } from './administration.ts'
import { expect, test } from './portal-fixture.ts'
import {
  countPeople,
  getFilter,
  getStatus,
  header,
  openTable,
  pickFilter,
  readFirstEmails,
  rows,
  waitUntilSorted,
} from './user-table-fixture.ts'

// Rows are virtualized: only those near the window are rendered.
test.use({ viewport: { width: 1440, height: 2100 } })

test('the table sorts by every column but the checkbox and the actions', async ({ page }) => {
  await openTable(page)
  await expect(page.locator('#usuarios').getByRole('columnheader')).toHaveText([
    '',
    'E-mail',
    'Nome',
    'Status',
    'E-mail Verificado',
    'Data de Registro',
    'Último Acesso',
    'Ações',
  ])
  await waitUntilSorted(page, 'E-mail', 'ascending')
  // Administrators are marked, without making the row higher.
  await expect(rows(page).filter({ hasText: 'admin@grupopatio.com.br' })).toContainText('Administrador')
  await expect(rows(page).getByText('Administrador', { exact: true })).toHaveCount(1)
  for (const index of [0, 1]) expect((await rows(page).nth(index).boundingBox())?.height).toBe(48)
  for (const [name, sort] of [
    ['Nome', 'full_name'],
    ['Status', 'approved'],
    ['E-mail Verificado', 'email_verified_at'],
    ['Data de Registro', 'created_at'],
    ['Último Acesso', 'last_sign_in_at'],
  ] as const)
    for (const direction of ['ascending', 'descending']) {
      const wanted = `/api/profiles ${sort} ${direction.replace('ending', '')}`
      // Other lists of people, such as those waiting, ask beside it.
      const asked = page.waitForRequest((request) => {
        const { pathname, searchParams } = new URL(request.url())
        return `${pathname} ${searchParams.get('sort')} ${searchParams.get('order')}` === wanted
      })
      await header(page, name).click()
      await asked
      await waitUntilSorted(page, name, direction)
      await expect(
        page.locator('#usuarios [aria-sort=ascending], #usuarios [aria-sort=descending]'),
      ).toHaveCount(1)
    }
  await header(page, 'E-mail').click()
  await waitUntilSorted(page, 'E-mail', 'ascending')
  const emails = await readFirstEmails(page, 10)
  expect(emails).toEqual(emails.toSorted(new Intl.Collator('pt-BR').compare))
})

test('a row shows a person’s entitlements and offers every action', async ({ page }) => {
  await openTable(page, '?q=vendas.rj')
  const row = rows(page).first()
  await expect(row).toContainText('vendas.rj@grupopatio.com.br')
  for (const text of [
    'Vendas e CRM · FIAT e JEEP · RJ',
    'Aprovado',
    'Verificado',
    // Vera may or may not have signed in during other tests.
    /(Nunca|\d\d\/\d\d\/\d{4}, \d\d:\d\d)Remover/,
  ])
    await expect(row).toContainText(text)
  await expect(row.getByRole('button', { name: 'Remover', exact: true })).toBeVisible()
  await getRowMenu(row).click()
  await expect(page.getByRole('menuitem')).toHaveText([
    'Editar acesso',
    'Gerenciar Tipos de Acesso',
    'Gerenciar Marcas e Estados',
    'Corrigir nome',
    'Ajudar com a conta',
    'Histórico',
    'Ver como',
    'Exportar dados',
    'Excluir conta',
  ])
  await page.getByRole('searchbox').fill('pendente@')
  await expect(row).toContainText('pendente@grupopatio.com.br')
  await expect(row.getByRole('button', { name: 'Aprovar', exact: true })).toBeVisible()
  await expect(row).toContainText('Nenhum acesso')
  await expect(page.getByRole('menu')).toHaveCount(0)
})

test('filters are kept in the URL, through a reload and back', async ({ page }) => {
  await openTable(page)
  const totalText = `${await countPeople(page)} usuários`
  const pending = page.getByRole('button', { name: /^Pendentes \(\d+\)$/ })
  const waiting = /\d+/.exec((await pending.textContent()) ?? '')?.[0]
  await pending.click()
  await expect(getStatus(page)).toHaveText(`${waiting} de ${totalText}`)
  await expect(page).toHaveURL(/status=pending/)
  await pending.click()
  await expect(getStatus(page)).toHaveText(totalText)

  await page.getByRole('button', { name: 'Filtros', exact: true }).click()
  await getFilter(page, 'Marca').click()
  await page.getByRole('combobox', { name: 'Buscar em Marca' }).fill('fía')
  await expect(page.getByRole('option')).toHaveText(['FIAT'])
  await page.keyboard.press('Enter')
  await expect(getFilter(page, 'Marca')).toBeFocused()
  await expect(getStatus(page)).toHaveText(/^\d+ de /)
  const fiat = (await getStatus(page).textContent()) as string
  for (const [name, option, parameter, label] of [
    ['Estado', 'MG', 'estado=MG', 'Estado: MG'],
    ['E-mail', 'Verificado', 'verified=yes', 'E-mail: verificado'],
    ['E-mail', 'Pendente', 'verified=no', 'E-mail: pendente'],
    ['Acesso', 'Nunca entrou', 'lastAccess=never', 'Acesso: nunca'],
  ] as const) {
    await pickFilter(page, name, option)
    await expect(page).toHaveURL(new RegExp(`[?&]${parameter}(&|$)`))
    await expect(getFilter(page, name)).toHaveText(label)
  }
  await page.reload()
  await expect(getFilter(page, 'Estado')).toHaveText('Estado: MG')
  await expect(getFilter(page, 'E-mail')).toHaveText('E-mail: pendente')
  for (let steps = 0; steps < 4; steps += 1) await page.goBack()
  await expect(getStatus(page)).toHaveText(fiat)
  await page.getByRole('button', { name: 'Limpar filtros' }).click()
  await expect(getStatus(page)).toHaveText(totalText)
  await expect(page).toHaveURL(/\/admin$/)
})

test('a search starts while typing, and an empty result shows in a full-width cell', async ({ page }) => {
  await openTable(page)
  const search = page.getByRole('searchbox')
  await page.keyboard.press('/')
  await expect(search).toBeFocused()
  await page.keyboard.type('DIRETÓRIA@')
  await page.keyboard.press('Enter')
  await expect(getStatus(page)).toContainText('1 de')
  expect(await readFirstEmails(page, 1)).toEqual(['diretoria@grupopatio.com.br'])
  await page.goBack()
  await expect(search).toHaveValue('')
  await search.fill('ninguém se chama assim')
  const cell = page.getByRole('cell', { name: 'Nenhum usuário encontrado' })
  await expect(cell).toBeVisible()
  await expect(cell).toHaveAttribute('colspan', '8')
  await expect(page.getByRole('checkbox', { name: 'Selecionar todos' })).toBeDisabled()
})
