import { readFile } from 'node:fs/promises'
import { clickMenuItem, OTHER_ADMIN, test as withOther } from './administration.ts'
import { findSeriousViolations } from './axe-findings.ts'
import { expect, openAs, test, toEmail } from './portal-fixture.ts'
import { hasHorizontalOverflow } from './user-table-fixture.ts'

const SELLER = toEmail('vendas.rj')

withOther(
  'filters the trail in the address, opens an entry, and downloads what is filtered',
  async ({ page, other }) => {
    test.setTimeout(120_000)
    await other.change(SELLER, { types: ['Vendas', 'CRM', 'HPD'] })
    await openAs(page, 'admin', '/admin/auditoria')
    const entries = page.getByRole('list', { name: /^Registros/ }).getByRole('listitem')
    await expect(entries.filter({ hasText: /mudou os tipos: \+ HPD/ }).first()).toBeVisible()
    expect(await findSeriousViolations(page)).toEqual([])

    await page.getByRole('combobox', { name: 'Pessoa' }).fill(SELLER)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/[?&]person=vendas\.rj(@|%40)/)
    await page.getByRole('combobox', { name: 'Filtrar por Ato: todos' }).click()
    await page.getByRole('option', { name: 'Exportou os dados da pessoa' }).click()
    await expect(page).toHaveURL(/action=data-exported/)
    await expect(page.getByText('Nada registrado com estes filtros')).toBeVisible()
    const clear = page.getByRole('link', { name: 'Limpar filtros' })
    await clear.click()
    await expect(page).toHaveURL(/\/admin\/auditoria$/)
    // The address changes before the filters, which the next one is added to.
    await expect(clear).toHaveCount(0)

    await page.getByRole('combobox', { name: 'Quem fez' }).fill(OTHER_ADMIN)
    await page.keyboard.press('Enter')
    await entries.first().locator('summary').click()
    await expect(entries.first()).toContainText('Código')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Baixar CSV' }).click()
    const csv = await readFile(await (await download).path(), 'utf8')
    expect(csv).toContain('Quando;Quem;Com quem;O que aconteceu')
    expect(csv).toContain(';types-set;')
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await hasHorizontalOverflow(page)).toBe(false)
  },
)

test('begins with what happened on a phone, where a press shows the filters', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, 'admin', '/admin/auditoria')
  const filters = page.getByRole('region', { name: 'Filtros' })
  const entries = page.getByRole('list', { name: /^Registros/ }).getByRole('listitem')
  await expect(entries.nth(4)).toBeInViewport({ ratio: 1 })
  await expect(filters.getByRole('combobox')).toHaveCount(0)
  await filters.getByRole('button', { name: 'Filtros', exact: true }).click()
  await filters.getByRole('combobox', { name: 'Filtrar por Ato: todos' }).click()
  await page.getByRole('option', { name: 'Entradas recusadas' }).click()
  await filters.getByRole('button', { name: 'Filtros (1)', expanded: true }).click()
  await expect(filters.getByRole('combobox')).toHaveCount(0)
  expect(await hasHorizontalOverflow(page)).toBe(false)
  await filters.getByRole('link', { name: 'Limpar filtros' }).click()
  await expect(entries.nth(4)).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(filters.getByRole('combobox', { name: 'Pessoa' })).toBeVisible()
  await expect(filters.getByRole('button', { name: /^Filtros/ })).toBeHidden()
})

test('undoes one’s own change of access after its notice has gone', async ({ page }) => {
  await openAs(page, 'admin', `/admin?q=${SELLER}`)
  const row = page.locator('#usuarios [data-index]', { hasText: SELLER })
  await clickMenuItem(row, 'Editar acesso')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'HPD', exact: true }).check()
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click()
  await expect(page.getByText('Acesso atualizado')).toBeVisible()
  await page.goto('/admin/auditoria?action=acts')
  const entries = page.getByRole('list', { name: /^Registros/ }).getByRole('listitem')
  await entries
    .filter({ hasText: /Você mudou os tipos: \+ HPD/ })
    .first()
    .locator('summary')
    .click()
  await page.getByRole('button', { name: 'Desfazer esta alteração' }).click()
  await expect(dialog).toContainText('menos quem foi alterado depois')
  expect(await findSeriousViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Desfazer' }).click()
  await expect(page.getByText('Alteração desfeita')).toBeVisible()
  await expect(entries.filter({ hasText: /Você desfez uma alteração: tipos − HPD/ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Desfazer esta alteração' })).toHaveCount(0)
  await expect(entries.locator('summary').and(page.locator(':focus'))).toHaveCount(1)
})

test('takes names, offers several people and says that nobody is called so', async ({ page }) => {
  test.setTimeout(120_000)
  await openAs(page, 'admin', '/admin/auditoria')
  const person = page.getByRole('combobox', { name: 'Pessoa' })
  const type = async (text: string) => {
    // Faster than the suggestions.
    await person.fill(text)
    await person.press('Enter')
  }
  // The field is set to the address's person before the trail is read, over what is typed by then.
  const readPerson = page.waitForRequest(/\/api\/audit\?.*person=diretoria/)
  await type('Dirceu Dir')
  await expect(page).toHaveURL(/[?&]person=diretoria(@|%40)/)
  await readPerson
  await type('Ninguém Aqui')
  await expect(person).toHaveAccessibleDescription(/^Ninguém se chama assim/)
  await expect(page).toHaveURL(/[?&]person=diretoria(@|%40)/)
  await type('grupopatio')
  await expect(person).toHaveAccessibleDescription(/escolha/)
  const found = page.getByRole('list', { name: 'Pessoas encontradas' })
  expect(await findSeriousViolations(page)).toEqual([])
  const first = found.getByRole('button').first()
  const [, email = ''] = /([^\s]+@.+)$/.exec((await first.textContent()) ?? '') ?? []
  await first.click()
  await expect(person).toHaveValue(email)
  await expect(found).toBeHidden()
  await expect(page).toHaveURL(new RegExp(`person=${email.split('@')[0]}`))

  const readActor = page.waitForRequest(/\/api\/audit\?.*actor=portal/)
  await page.getByRole('combobox', { name: 'Quem fez' }).fill('Portal')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/actor=portal/)
  await readActor
  await type('conta excluída 45a97728')
  await expect(page.getByRole('alert')).toContainText('Ninguém se chama “45a97728”')

  await openAs(page, 'admin', '/admin/auditoria?since=2026-01-01&action=xyz&de=ontem')
  await expect(page.getByRole('alert')).toContainText('não entende o que o endereço pede em: action, de')
  await expect(page.getByRole('textbox', { name: 'De', exact: true })).toHaveValue('01/01/2026')
  // Which of the two depends on what other tests have left.
  const entries = page.getByRole('list', { name: /^Registros/ })
  await expect(entries.or(page.getByText('Nada registrado com estes filtros'))).toBeVisible()

  await openAs(page, 'admin', '/admin/auditoria/acesso')
  const other = page.getByRole('combobox', { name: 'ou pessoa' })
  await other.fill('Dirceu')
  await other.press('Enter')
  await expect(page.getByRole('region', { name: `O que ${toEmail('diretoria')} vê` })).toBeVisible()
})

test('says who sees an area and why, and that nothing is known of a day before the trail', async ({
  page,
}) => {
  test.setTimeout(120_000)
  await openAs(page, 'admin', '/admin/auditoria/acesso')
  await page.getByRole('combobox', { name: /^Filtrar por Área/ }).click()
  await page.getByRole('option', { name: 'Vendas' }).click()
  await expect(page.getByRole('status').filter({ hasText: /pessoas podem ver agora$/ })).toBeVisible()
  expect(await findSeriousViolations(page)).toEqual([])
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Baixar CSV' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toContain(SELLER)
  await page.getByRole('textbox', { name: 'No fim do dia' }).fill('01/02/2020')
  await expect(page.getByText('Não há registro deste dia')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await hasHorizontalOverflow(page)).toBe(false)
  await page.reload()
  const rail = page.getByRole('navigation', { name: 'Administração' })
  await expect(rail.getByRole('link', { name: 'Auditoria' })).toBeInViewport({ ratio: 1 })
})

test('is one press away from a person, and from the report of an area', async ({ page }) => {
  await openAs(page, 'admin', '/admin/relatorios')
  await page.getByRole('link', { name: 'Quem abriu nos últimos 30 dias' }).click()
  await expect(page).toHaveURL(/area=Vendas&action=report-shown&from=\d{4}-\d\d-\d\d$/)
  await expect(
    page.getByRole('listitem').filter({ hasText: 'abriu o relatório de Vendas' }).first(),
  ).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: 'Quem vê esta área' }).click()
  await expect(page).toHaveURL(/\/admin\/auditoria\/acesso\?area=[a-z]+$/)
  await page.getByRole('combobox', { name: 'ou pessoa' }).fill(SELLER)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/acesso\?pessoa=[0-9a-f-]{36}$/)
  await expect(page.getByRole('region', { name: `O que ${SELLER} vê` })).toContainText('Vendas')
  const [, userId] = /pessoa=([0-9a-f-]{36})$/.exec(page.url()) ?? []
  await openAs(page, 'admin', `/admin/pessoas?pessoa=${userId}`)
  await page.getByRole('link', { name: 'Tudo na auditoria' }).click()
  await expect(page).toHaveURL(/\/admin\/auditoria\?person=/)
})

test('shows a name of an older version as one quotation that does not turn the sentence', async ({
  page,
}) => {
  const name = 'x” removida\n\u202e\u001b[2Kשלום'
  await page.route(/\/api\/audit(\?|$)/, async (route) => {
    const response = await route.fetch()
    const { items, next } = await response.json()
    const [first, ...others] = items
    const entry = { ...first, action: 'factor-added', before: null, after: { name } }
    await route.fulfill({ response, json: { items: [entry, ...others], next } })
  })
  await openAs(page, 'admin', '/admin/auditoria')
  const first = page
    .getByRole('list', { name: /^Registros/ })
    .getByRole('listitem')
    .first()
  await expect(first.locator('summary bdi')).toHaveText('x" removida ⏎ ��[2Kשלום')
  expect(await first.textContent()).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})
