import { menuOf } from './administration.ts'
import { expect, test } from './portal-fixture.ts'
import {
  columnHead,
  columnTexts,
  EMAIL,
  filterBy,
  header,
  NAME,
  openTable,
  pickFilter,
  readEverybody,
  rows,
  untilSorted,
  words,
} from './user-table-fixture.ts'

// Only rows near the window are drawn.
test.use({ viewport: { width: 1440, height: 2100 } })

const collator = new Intl.Collator('pt-BR')

test('the table has its seven columns and sorts by each but the last', async ({ page, demo }) => {
  await openTable(page)
  const everybody = await readEverybody(demo.url)
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
  const table = page.locator('#usuarios').getByRole('table')
  await expect(table).toHaveAttribute('aria-rowcount', String(everybody.length + 1))
  const emails = everybody.map(({ email }) => email).sort(collator.compare)
  expect(await columnTexts(page, EMAIL)).toEqual(emails.slice(0, 10))
  await untilSorted(page, 'E-mail', 'ascending')

  /** The first ten by an instant, nulls last and equals by e-mail. */
  const firstBy = (field: 'email_verified_at' | 'created_at', turn: 1 | -1) =>
    everybody
      .filter((person) => person[field] !== null)
      .toSorted(
        (a, b) =>
          turn * (Date.parse(a[field] ?? '') - Date.parse(b[field] ?? '')) ||
          collator.compare(a.email, b.email),
      )
      .slice(0, 10)
      .map(({ email }) => email)
  const names = everybody.flatMap(({ full_name }) => full_name ?? []).sort(collator.compare)
  await header(page, 'Nome').click()
  await untilSorted(page, 'Nome', 'ascending')
  await expect(columnHead(page, 'E-mail')).toHaveAttribute('aria-sort', 'none')
  expect(await columnTexts(page, NAME)).toEqual(names.slice(0, 10))
  await header(page, 'Nome').click()
  await untilSorted(page, 'Nome', 'descending')
  expect(await columnTexts(page, NAME)).toEqual(names.toReversed().slice(0, 10))

  await header(page, 'Status').click()
  await untilSorted(page, 'Status', 'ascending')
  expect(new Set(await columnTexts(page, 3))).toEqual(new Set(['Aprovado']))
  await header(page, 'Status').click()
  await untilSorted(page, 'Status', 'descending')
  expect(new Set(await columnTexts(page, 3))).toEqual(new Set(['Pendente']))
  await header(page, 'E-mail Verificado').click()
  await untilSorted(page, 'E-mail Verificado', 'ascending')
  expect(await columnTexts(page, EMAIL)).toEqual(firstBy('email_verified_at', 1))
  await header(page, 'E-mail Verificado').click()
  await untilSorted(page, 'E-mail Verificado', 'descending')
  expect(await columnTexts(page, EMAIL)).toEqual(firstBy('email_verified_at', -1))
  await header(page, 'Data de Registro').click()
  await untilSorted(page, 'Data de Registro', 'ascending')
  expect(await columnTexts(page, EMAIL)).toEqual(firstBy('created_at', 1))
  await header(page, 'Data de Registro').click()
  await untilSorted(page, 'Data de Registro', 'descending')
  expect(await columnTexts(page, EMAIL)).toEqual(firstBy('created_at', -1))
  await header(page, 'Último Acesso').click()
  await untilSorted(page, 'Último Acesso', 'ascending')
  expect((await columnTexts(page, 6)).join()).not.toContain('Nunca')
  await header(page, 'Último Acesso').click()
  await untilSorted(page, 'Último Acesso', 'descending')
  expect((await columnTexts(page, 6)).join()).not.toContain('Nunca')
})

test('a row says what a person may see and offers every action', async ({ page }) => {
  await openTable(page, '?q=vendas.rj')
  const row = rows(page).first()
  await expect(row).toContainText('vendas.rj@grupopatio.com.br')
  for (const text of [
    'Tipos: Vendas, CRM',
    'Marcas: FIAT, JEEP',
    'Estados: RJ',
    'Aprovado',
    'Verificado',
    // Vera signs in, if at all, in the tests of others.
    /(Nunca|\d\d\/\d\d\/\d{4}, \d\d:\d\d)Remover/,
  ])
    await expect(row).toContainText(text)
  await expect(row.getByRole('button', { name: 'Remover', exact: true })).toBeVisible()
  await menuOf(row).click()
  await expect(row.getByRole('menuitem')).toHaveText([
    'Gerenciar Tipos de Acesso',
    'Gerenciar Marcas e Estados',
    'Corrigir nome',
    'Histórico',
    'Ver como',
    'Exportar dados',
  ])
  await page.getByRole('searchbox').fill('pendente@')
  await expect(row).toContainText('pendente@grupopatio.com.br')
  await expect(row.getByRole('button', { name: 'Aprovar', exact: true })).toBeVisible()
  await expect(row).toContainText('Acesso: Nenhum')
  await expect(page.getByRole('menu')).toHaveCount(0)
})

test('filters stay in the address, through a reload and back', async ({ page, demo }) => {
  await openTable(page)
  const everybody = await readEverybody(demo.url)
  const pending = everybody.filter(({ approved }) => !approved)
  await page.getByRole('button', { name: `Pendentes (${pending.length})` }).click()
  await expect(words(page)).toHaveText(`${pending.length} de ${everybody.length} usuários`)
  await expect(page).toHaveURL(/status=pending/)
  await page.getByRole('button', { name: `Pendentes (${pending.length})` }).click()
  await expect(words(page)).toHaveText(`${everybody.length} usuários`)

  const fiat = everybody.filter(({ marcas }) => marcas.includes('FIAT'))
  const both = fiat.filter(({ estados }) => estados.includes('MG'))
  await filterBy(page, 'Marca').click()
  await page.getByRole('textbox', { name: 'Buscar em Marca' }).fill('fía')
  await expect(page.getByRole('option')).toHaveText(['FIAT'])
  await page.keyboard.press('Enter')
  await expect(filterBy(page, 'Marca')).toBeFocused()
  await expect(words(page)).toHaveText(`${fiat.length} de ${everybody.length} usuários`)
  await pickFilter(page, 'Estado', 'MG')
  await expect(words(page)).toHaveText(`${both.length} de ${everybody.length} usuários`)
  await page.reload()
  await expect(words(page)).toHaveText(`${both.length} de ${everybody.length} usuários`)
  await expect(filterBy(page, 'Estado')).toHaveText('Estado: MG')
  const verified = both.filter(({ email_verified_at }) => email_verified_at !== null)
  await pickFilter(page, 'E-mail', 'Verificado')
  await expect(words(page)).toHaveText(`${verified.length} de ${everybody.length} usuários`)
  await expect(page).toHaveURL(/verified=yes/)
  await pickFilter(page, 'E-mail', 'Pendente')
  await expect(filterBy(page, 'E-mail')).toHaveText('E-mail: pendente')
  await expect(words(page)).toHaveText(`${both.length - verified.length} de ${everybody.length} usuários`)
  await expect(page).toHaveURL(/verified=no/)
  await pickFilter(page, 'E-mail', 'Todos')
  await expect(words(page)).toHaveText(`${both.length} de ${everybody.length} usuários`)
  await page.goBack()
  await page.goBack()
  await page.goBack()
  await page.goBack()
  await expect(words(page)).toHaveText(`${fiat.length} de ${everybody.length} usuários`)
  await page.getByRole('button', { name: 'Limpar filtros' }).click()
  await expect(words(page)).toHaveText(`${everybody.length} usuários`)
  await expect(page).toHaveURL(/\/admin$/)
})

test('nonsense in the address shows everybody', async ({ page }) => {
  await openTable(
    page,
    '?q=%00%1F&status=maybe&type=%7B%7D&marca=BMW&sort=password&order=up&verified=1&estado[]=RJ',
  )
  await expect(words(page)).toHaveText(/^\d+ usuários$/)
  await untilSorted(page, 'E-mail', 'ascending')
})

test('a search finds names without their accents, and e-mails', async ({ page, demo }) => {
  await openTable(page)
  const fold = (text: string | null) => (text ?? '').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const joses = (await readEverybody(demo.url)).filter(({ full_name, email }) =>
    `${fold(full_name)} ${email}`.includes('jose'),
  )
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox')).toBeFocused()
  await page.keyboard.type('JOSE')
  await expect(words(page)).toContainText(`${joses.length} de`)
  await expect(rows(page)).toHaveCount(Math.min(joses.length, await rows(page).count()))
  for (const row of await rows(page).all()) expect(fold(await row.textContent())).toContain('jose')
  await page.getByRole('searchbox').fill('josé ')
  await expect(words(page)).toContainText(`${joses.length} de`)
  await page.getByRole('searchbox').fill('diretoria@')
  await page.keyboard.press('Enter')
  await expect(words(page)).toContainText('1 de')
  expect(await columnTexts(page, EMAIL, 1)).toEqual(['diretoria@grupopatio.com.br'])
  await page.goBack()
  await expect(page.getByRole('searchbox')).toHaveValue('')
})

test('nobody found is said in a cell that spans the whole table', async ({ page }) => {
  await openTable(page)
  await page.getByRole('searchbox').fill('ninguém se chama assim')
  const cell = page.getByRole('cell', { name: 'Nenhum usuário encontrado' })
  await expect(cell).toBeVisible()
  await expect(cell).toHaveAttribute('colspan', '8')
  await expect(page.getByRole('checkbox', { name: 'Selecionar todos' })).toBeDisabled()
})
