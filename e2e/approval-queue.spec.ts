import type { Page } from '@playwright/test'
import { clickMenuItem, expect, listSelected, openAdmin, test, toast } from './administration.ts'
import { openAs, toEmail } from './portal-fixture.ts'

const LISTS = [
  { types: ['Vendas', 'CRM'], marcas: ['FIAT'], estados: ['RJ'] },
  { types: ['Oficina'], marcas: ['GM', 'TOYO'], estados: ['ES'] },
  { types: ['Marketing'], marcas: ['VW'], estados: ['MG', 'PR'] },
  { types: ['Gerentes'], marcas: ['JEEP'], estados: ['MG'] },
  { types: ['HPD', 'Slack'], marcas: ['HONDA'], estados: ['RJ', 'ES'] },
]

/** Counts clicks and key presses. */
function countPresses(page: Page) {
  let presses = 0
  return {
    count: () => presses,
    click: async (name: string | RegExp, scope = page.locator('body')) => {
      presses += 1
      await scope.getByRole('button', { name }).or(scope.getByRole('link', { name })).first().click()
    },
  }
}

const newPeople = test.extend<{ asking: string[] }>({
  /**
   * Only five people wait: just signed up, with a request; and
   * after them one with an unverified address.
   */
  asking: async ({ portal: { database } }, use) => {
    const { db } = database
    await db.deleteFrom('profiles').where('approved', '=', false).execute()
    const emails: string[] = []
    for (const [index, lists] of LISTS.entries()) {
      const email = toEmail(`nova${index}`)
      const created_at = new Date(Date.now() - index * 60_000)
      const { user_id } = await db
        .insertInto('profiles')
        .values({ email, full_name: `Nova Pessoa ${index}`, created_at, email_verified_at: created_at })
        .returning('user_id')
        .executeTakeFirstOrThrow()
      await db
        .insertInto('access_requests')
        .values({ user_id, workplace: 'Loja', ...lists })
        .execute()
      emails.push(email)
    }
    const { user_id } = await db
      .insertInto('profiles')
      .values({ email: toEmail('estranho'), full_name: 'Diretor Geral' })
      .returning('user_id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('access_requests')
      .values({ user_id, ...LISTS[0] } as never)
      .execute()
    await use(emails)
  },
})

newPeople(
  'five sign-ups with requests are approved in at most 8 clicks',
  { tag: '@translated' },
  async ({ page, other, asking }) => {
    await openAs(page, 'admin')
    const { click, count } = countPresses(page)
    await click('Administração, 6 aguardam aprovação')
    const queue = page.getByRole('region', { name: 'Aguardando aprovação' })
    await expect(queue.getByRole('listitem')).toHaveCount(5)
    await click('Aprovar', queue)
    const dialog = page.getByRole('dialog')
    for (const [index, { types, marcas, estados }] of LISTS.entries()) {
      await expect(dialog.getByText(asking[index] as string)).toBeVisible()
      await expect
        .poll(async () => (await listSelected(dialog)).toSorted())
        .toEqual([...types, ...marcas, ...estados].toSorted())
      await click('Aprovar e próximo', dialog)
    }
    expect(count()).toBeLessThanOrEqual(8)
    // The unverified person comes last: with a confirmation, and nothing of the request is selected.
    await expect(dialog.getByText('Ninguém provou ser dono do endereço')).toBeVisible()
    await expect(dialog.getByRole('checkbox')).toHaveCount(0)
    await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused()
    await dialog.getByRole('button', { name: 'Continuar mesmo assim' }).click()
    await expect(dialog.getByRole('checkbox').first()).toBeFocused()
    await expect(dialog.getByText('nada vem marcado')).toBeVisible()
    expect(await listSelected(dialog)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancelar' }).click()
    await expect(queue.getByRole('listitem')).toHaveCount(1)
    await expect(page.getByRole('link', { name: 'Administração, 1 aguarda aprovação' })).toBeVisible()
    for (const [index, email] of asking.entries())
      expect(await other.person(email)).toMatchObject({ approved: true, ...LISTS[index] })
  },
)

newPeople('a series shows verified people before unverified ones', async ({ page, portal, asking }) => {
  const { db } = portal.database
  const day = new Date(Date.now() - 86_400_000)
  await db
    .insertInto('profiles')
    .values({ email: toEmail('sexta'), full_name: 'Sexta Pessoa', created_at: day, email_verified_at: day })
    .execute()
  const limits = new Set<string | null>()
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url())
    // Not the overview's request for the oldest.
    if (searchParams.has('waiting') && searchParams.has('verified')) limits.add(searchParams.get('limit'))
  })
  await openAdmin(page)
  const queue = page.getByRole('region', { name: 'Aguardando aprovação' })
  await expect(queue.getByRole('listitem')).toHaveCount(5)
  await queue.getByRole('button', { name: 'Aprovar' }).last().click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(asking[4] as string)).toBeVisible()
  await dialog.getByRole('button', { name: 'Aprovar e próximo' }).click()
  await expect(dialog.getByText(toEmail('sexta'))).toBeVisible()
  // Only the visible people are loaded.
  expect([...limits]).toEqual(['5'])
})

newPeople(
  'selected people are approved with their own requests, and the approval can be undone',
  { tag: '@translated' },
  async ({ page, other, asking }) => {
    await openAdmin(page, '?status=pending')
    await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
    await page.getByRole('button', { name: 'Aprovar Selecionados (6)' }).click()
    const dialog = page.getByRole('dialog', { name: 'Aprovar Selecionados' })
    await expect(dialog).toContainText(
      '5 usuários aguardam aprovação. Ficam de fora: 1 com e-mail não verificado.',
    )
    await expect(dialog.getByText('5 pessoas serão aprovadas, e todas com relatórios.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Aprovar 5' }).click()
    await expect(toast(page, '5 usuários aprovados com sucesso')).toBeVisible()
    await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
    await expect(toast(page, 'Alteração desfeita')).toBeVisible()
    expect(await other.person(asking[0] as string)).toMatchObject({ approved: false, types: [] })

    // One set for all, while another administrator approves one of them: nothing is saved until reviewed.
    await page.getByRole('checkbox', { name: 'Selecionar todos' }).check()
    await page.getByRole('button', { name: 'Aprovar Selecionados (6)' }).click()
    await dialog.getByRole('radio', { name: 'Todos com o mesmo acesso' }).check()
    for (const name of ['CRM', 'VW', 'PR']) await dialog.getByRole('checkbox', { name, exact: true }).check()
    // Discarding a selection needs a confirmation.
    await page.keyboard.press('Escape')
    await expect(dialog.getByRole('alert')).toContainText('Descartar o que você marcou?')
    await page.keyboard.press('Escape')
    await expect(dialog.getByRole('alert')).toHaveCount(0)
    await expect(dialog.getByRole('checkbox', { name: 'VW', exact: true })).toBeChecked()
    await expect(dialog.getByText('5 pessoas serão aprovadas, e todas com relatórios.')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Aprovar 5' })).not.toHaveAttribute('aria-busy')
    await other.change(asking[0] as string, { approved: true })
    await dialog.getByRole('button', { name: 'Aprovar 5' }).click()
    await expect(dialog.getByRole('alert')).toContainText('Ninguém foi aprovado')
    await dialog.getByRole('button', { name: 'Aprovar 4' }).click()
    await expect(toast(page, '4 usuários aprovados com sucesso')).toBeVisible()
    expect(await other.person(asking[4] as string)).toMatchObject({
      approved: true,
      types: ['CRM'],
      marcas: ['VW'],
      estados: ['PR'],
    })
  },
)

newPeople(
  'a waiting person sends a request, which the administrator sees live',
  async ({ page, other, portal, browser, asking }) => {
    await portal.database.db
      .updateTable('profiles')
      .set({ approved: false, approval_removed_at: new Date() })
      .where('email', '=', toEmail('semrelatorio'))
      .execute()
    const admin = await browser.newPage({ baseURL: portal.url, locale: 'pt-BR' })
    await openAdmin(admin, '?q=diretoria')
    const queue = admin.getByRole('region', { name: 'Aguardando aprovação' })
    await expect(queue.getByRole('listitem')).toHaveCount(5)
    await queue.getByRole('button', { name: 'Mostrar mais' }).click()
    await expect(queue.getByRole('listitem')).toHaveCount(6)
    await expect(queue.getByRole('listitem').last()).toContainText('E-mail não verificado')
    const ticked = admin.getByRole('checkbox', { name: `Selecionar ${toEmail('diretoria')}` })
    await ticked.check()

    await openAs(page, 'semrelatorio')
    const form = page.getByRole('form', { name: 'Pedido de acesso' })
    await form.getByLabel('Nome').fill('')
    await form.getByRole('button', { name: 'Enviar pedido' }).click()
    await expect(form.getByText('Informe o nome')).toBeVisible()
    await form.getByLabel('Nome').fill('Saulo de Souza')
    await form.getByLabel('Concessionária ou departamento').fill('FIAT Niterói')
    for (const name of ['Oficina', 'FIAT', 'RJ'])
      await form.getByRole('checkbox', { name, exact: true }).check()
    await form.getByLabel('Observação').fill('Comecei hoje.')
    await page.reload()
    await expect(form.getByLabel('Nome')).toHaveValue('Saulo de Souza')
    await expect(form.getByLabel('Observação')).toHaveValue('Comecei hoje.')
    for (const name of ['Oficina', 'FIAT', 'RJ'])
      await expect(form.getByRole('checkbox', { name, exact: true })).toBeChecked()
    await form.getByRole('button', { name: 'Enviar pedido' }).click()
    await expect(page.getByRole('heading', { name: 'Pedido de acesso enviado' })).toBeVisible()
    // A sent request can be corrected and is not asked for again.
    await page.reload()
    await expect(page.getByText('Comecei hoje.')).toBeVisible()
    await page.getByRole('button', { name: 'Alterar pedido' }).click()
    await expect(form.getByRole('checkbox', { name: 'FIAT', exact: true })).toBeChecked()
    await form.getByRole('button', { name: 'Cancelar' }).click()

    // By the stream: polling would take fifteen seconds.
    await expect(queue.getByText('FIAT Niterói')).toBeVisible()
    await expect(queue.getByRole('listitem')).toHaveCount(7)
    await expect(ticked).toBeChecked()
    await other.change(toEmail('diretoria'), { types: ['HPD'] })
    const row = admin.getByRole('row').filter({ hasText: toEmail('diretoria') })
    await expect(row).toContainText('HPD')
    await expect(ticked).toBeChecked()

    await clickMenuItem(row, 'Corrigir nome')
    const dialog = admin.getByRole('dialog', { name: 'Corrigir Nome' })
    await dialog.getByRole('textbox').fill('Dirceu Prado')
    // A change by another administrator updates the table, not the open dialog.
    await other.change(asking[0] as string, { approved: true })
    await expect(admin.locator('#fila li')).toHaveCount(6)
    await expect(dialog.getByRole('textbox')).toHaveValue('Dirceu Prado')
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await expect(toast(admin, 'Nome corrigido')).toBeVisible()
    await expect(row).toContainText('Dirceu Prado')
    await admin.close()
  },
)
