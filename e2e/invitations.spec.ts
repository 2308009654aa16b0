import { readFile } from 'node:fs/promises'
import { type Browser, devices, type Page } from '@playwright/test'
import { expect, OTHER_ADMIN, test } from './administration.ts'
import { expectNoSeriousViolations } from './axe-findings.ts'
import { type Demo, openAs, toEmail } from './portal-fixture.ts'
import { toast } from './settings-card.ts'
import { callApiAs } from './support-calls.ts'

const PASSWORD = 'Um-Cavalo-Azul-77'

async function accept(browser: Browser, demo: Demo, name: string, device: object = {}): Promise<Page> {
  const page = await (await browser.newContext({ ...device, baseURL: demo.url })).newPage()
  await page.goto((await demo.mail(toEmail(name), 'invitation')).link as string)
  await expect(page.getByRole('main')).toContainText(`Este convite é para ${toEmail(name)}`)
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirmar senha').fill(PASSWORD)
  await page.getByRole('button', { name: 'Criar senha e entrar' }).click()
  await expect(page.getByText('Convite aceito')).toBeVisible()
  await expect(page).toHaveURL(/\/power-bi/)
  return page
}

const chooseFile = (page: Page, ...lines: string[]) =>
  page
    .getByLabel('Escolher arquivo')
    .or(page.getByLabel('Escolher outro arquivo'))
    .setInputFiles({
      name: 'equipe.csv',
      mimeType: 'text/csv',
      // Encoded as Excel does.
      buffer: Buffer.from(['E-mail;Nome;Áreas;Marcas;Estados', ...lines].join('\r\n'), 'latin1'),
    })

test('people are invited individually and by file, and sign in by their links with their entitlements', async ({
  page,
  browser,
  demo,
}) => {
  test.setTimeout(150_000)
  await openAs(page, 'admin', '/admin')
  await page.getByRole('link', { name: 'Convidar pessoas' }).click()
  const shown = page.getByRole('region', { name: 'Conferência' })
  const check = page.getByRole('button', { name: /^Conferir/ })
  await check.click()
  await expect(page.getByLabel('E-mails')).toHaveAccessibleDescription(/Informe pelo menos um e-mail/)
  await page.getByLabel('E-mails').fill(`Nina Nova <${toEmail('nina')}>`)
  for (const name of ['Vendas', 'FIAT', 'RJ']) await page.getByRole('checkbox', { name, exact: true }).check()
  await check.click()
  await expect(shown).toContainText('Tudo certo: 1 pessoa recebe o convite.')
  await page.getByRole('button', { name: 'Convidar 1 pessoa' }).click()
  await expect(toast(page, '1 pessoa convidada')).toBeVisible()
  const waiting = page.getByRole('list', { name: 'Convites sem resposta (1)' })
  await expect(waiting).toContainText('Nina Nova')
  const phone = await accept(browser, demo, 'nina', devices['Pixel 7'])
  await expect(phone.getByRole('tab')).toHaveText(['Vendas'])

  // One invalid line: no one is invited until it is fixed in the same file.
  await page.getByRole('radio', { name: 'Por arquivo' }).check()
  await chooseFile(
    page,
    `${toEmail('ze')};Zé Conceição;Oficina;;`,
    `${toEmail('lia')};Lia;Compras;;`,
    'x@gmail.com',
  )
  // The name shows once the file has been read.
  await expect(page.getByText('equipe.csv')).toBeVisible()
  await check.click()
  await expect(shown.getByRole('alert')).toContainText('2 linhas com erro')
  await expect(shown).toContainText('Confira nomes como foram lidos (Windows-1252): Zé Conceição.')
  const errors = shown.getByRole('list', { name: 'Com erro' }).getByRole('listitem')
  await expect(errors).toHaveText([
    /^Linha 3.*A área “Compras” não existe\. As áreas são: Vendas, /,
    /^Linha 4.*Apenas e-mails @grupopatio\.com\.br são permitidos\./,
  ])
  await shown.getByRole('button', { name: 'Convidar a pessoa da linha certa' }).click()
  const question = page.getByRole('dialog')
  await expect(question).toContainText('2 linhas com erro ficam de fora.')
  await question.getByRole('button', { name: 'Cancelar' }).click()
  await chooseFile(
    page,
    `${toEmail('ze')};Zé Conceição;Oficina;;`,
    `${toEmail('lia')};Lia;CRM;GM;MG`,
    `${toEmail('diretoria')};;;;`,
  )
  await expect(shown).toHaveCount(0)
  await check.click()
  await expect(shown.getByRole('list', { name: 'Ficam como estão' })).toContainText('Já tem conta confirmada')
  await page.getByRole('button', { name: 'Convidar 2 pessoas' }).click()
  await expect(toast(page, '2 pessoas convidadas')).toBeVisible()
  const ze = await accept(browser, demo, 'ze')
  await expect(ze.getByRole('tab')).toHaveText(['Oficina'])

  // A pending invitation can be resent or withdrawn; a link for another account asks first.
  await page.getByRole('button', { name: `Enviar de novo: ${toEmail('lia')}` }).click()
  await expect(toast(page, 'Convite enviado de novo')).toBeVisible()
  // The first reply may have been lost: a second mail within a minute is no failure.
  const tooSoon = { code: 'rate-limited', detail: 'Muitas tentativas.' }
  await page.route('**/resend', (route) => route.fulfill({ status: 429, json: tooSoon }))
  await page.getByRole('button', { name: `Enviar de novo: ${toEmail('lia')}` }).click()
  await expect(toast(page, 'O convite foi enviado há menos de um minuto')).toBeVisible()
  const { link } = await demo.mail(toEmail('lia'), 'invitation', 2)
  await ze.goto(link as string)
  await expect(ze.getByRole('heading', { name: 'Este link é de outra conta' })).toBeVisible()
  let isLost = false
  await page.route('**/api/invitations/withdraw', async (route) => {
    if (isLost) return route.fallback()
    isLost = true
    await route.fetch()
    return route.abort()
  })
  await page.getByRole('button', { name: `Retirar convite: ${toEmail('lia')}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Retirar convite' }).click()
  await expect(toast(page, 'Convite retirado')).toBeVisible()
  await ze.getByRole('button', { name: 'Sair e aceitar o convite' }).click()
  await expect(ze.getByText('Este convite não vale mais')).toBeVisible()
  await expect(ze).toHaveURL('/login')
})

test('the right lines are invited after a question, the wrong ones stay to be corrected', async ({
  page,
  other,
}) => {
  await openAs(page, 'admin', '/admin/convites')
  await page.getByLabel('E-mails').fill(`${toEmail('bia')} bia@gmail.com ${toEmail('pendente')}`)
  await page.getByRole('button', { name: 'Conferir' }).click()
  const shown = page.getByRole('region', { name: 'Conferência' })
  // Who waits is approved right here, and is then no line of the list any more.
  await shown.getByRole('button', { name: `Aprovar ${toEmail('pendente')}` }).click()
  const approval = page.getByRole('dialog', { name: 'Aprovar Usuário' })
  for (const name of ['Vendas', 'FIAT', 'RJ'])
    await approval.getByRole('checkbox', { name, exact: true }).check()
  await approval.getByRole('button', { name: 'Aprovar', exact: true }).click()
  await expect(toast(page, 'Usuário aprovado com sucesso')).toBeVisible()
  await expect(shown.getByRole('list', { name: 'Ficam como estão' })).toContainText('Já tem conta confirmada')
  expect(await other.person(toEmail('pendente'))).toMatchObject({ approved: true })
  await shown.getByRole('button', { name: 'Convidar a pessoa da linha certa' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Convidar 1 pessoa' }).dblclick()
  await expect(page.getByText('1 linha ficou de fora.')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Convites sem resposta (1)' })).toContainText(toEmail('bia'))
  await expect(page.getByLabel('E-mails')).toHaveValue('bia@gmail.com')
  expect((await other.call('GET', '/api/invitations')).body.total).toBe(1)
})

test('an invitation of a deleted administrator is shown as withdrawn, and sent again', async ({
  page,
  demo,
  other,
}) => {
  const defaults = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
  await other.call('POST', '/api/invitations', { addresses: `Rui Prado <${toEmail('rui')}>`, defaults })
  const { user_id } = await other.person(OTHER_ADMIN)
  await openAs(page, 'admin', '/admin/convites')
  const invited = page.getByRole('listitem').filter({ hasText: toEmail('rui') })
  await expect(invited).toContainText('Vale até')
  // An unsent mail would be withdrawn with the invitation.
  await demo.mail(toEmail('rui'), 'invitation')
  await callApiAs(page, 'POST', '/api/functions/delete-users', { userIds: [user_id] })
  await page.reload()
  await expect(invited).toContainText(/Retirado em [\d/]+ · .* por alguém cuja conta foi excluída/)
  await invited.getByRole('button', { name: 'Enviar de novo' }).click()
  await expect(toast(page, 'Convite enviado de novo')).toBeVisible()
  await expect(invited).toContainText(`por ${toEmail('admin')}`)
  await expect(invited).toContainText('Vale até')
  expect((await demo.mail(toEmail('rui'), 'invitation', 2)).link).toBeTruthy()
})

test('open invitations are edited, sent again and withdrawn together, with an end date', async ({
  page,
  demo,
  other,
}) => {
  test.setTimeout(120_000)
  await openAs(page, 'admin', '/admin/convites')
  await page.getByLabel('E-mails').fill(['ana', 'bia', 'caio'].map(toEmail).join(' '))
  for (const name of ['Vendas', 'FIAT', 'RJ']) await page.getByRole('checkbox', { name, exact: true }).check()
  await page.getByLabel('Válido até').fill('31/12/2098')
  await page.getByRole('button', { name: 'Conferir' }).click()
  const access = 'Vendas · FIAT · RJ · acesso até 31/12/2098'
  await expect(page.getByRole('list', { name: 'Serão convidadas' }).getByText(access)).toHaveCount(3)
  await page.getByRole('button', { name: 'Convidar 3 pessoas' }).click()
  const list = page.getByRole('list', { name: 'Convites sem resposta (3)' })
  await expect(list.getByText(access)).toHaveCount(3)
  await expect(page.getByRole('navigation', { name: 'Administração' })).toContainText('Convites3')

  // Both at once, with a double press and a connection that breaks after the first request.
  for (const name of ['ana', 'bia']) await page.getByLabel(`Marcar ${toEmail(name)}`).check()
  await expect(page.getByText('2 convites marcados')).toBeVisible()
  await page.getByRole('button', { name: 'Editar', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'CRM', exact: true }).check()
  await dialog.getByLabel('Mudar também a validade').check()
  await dialog.getByLabel('Válido até').fill('31/12/2099')
  await expect(dialog.getByRole('status').last()).toContainText(
    'CRM passa a aparecer para 2 pessoas. O acesso de 2 pessoas passa a valer até 31/12/2099.',
  )
  await expectNoSeriousViolations(page)
  let isLost = false
  await page.route('**/api/invitations/change', async (route) => {
    if (isLost) return route.fallback()
    isLost = true
    await route.fetch()
    return route.abort()
  })
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).dblclick()
  await expect(toast(page, '2 convites alterados')).toBeVisible()
  await expect(list.getByText('Vendas, CRM · FIAT · RJ · acesso até 31/12/2099')).toHaveCount(2)
  expect(isLost).toBe(true)

  // Another administrator was first: nothing of theirs is overwritten.
  await page.getByRole('button', { name: `Editar convite: ${toEmail('caio')}` }).click()
  await dialog.getByRole('checkbox', { name: 'HPD', exact: true }).check()
  await expect(dialog.getByRole('status').last()).toContainText('HPD passa a aparecer para 1 pessoa.')
  const { items } = (await other.call('GET', '/api/invitations?q=caio')).body
  const [{ id, version }] = items
  const theirs = { types: ['Oficina'], marcas: ['GM'], estados: ['MG'] }
  await other.call('POST', '/api/invitations/change', {
    items: [{ id, version }],
    action: 'replace',
    ...theirs,
  })
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click()
  await expect(dialog).toContainText('Nada foi sobrescrito')
  await dialog.getByRole('button', { name: 'Fechar' }).click()
  await expect(list.getByText('Oficina · GM · MG')).toHaveCount(1)

  await page.getByRole('checkbox', { name: '2 convites marcados' }).check()
  await page.getByRole('button', { name: 'Enviar de novo', exact: true }).click()
  // They were sent less than a minute ago, unless the machine is slow.
  await expect(page.getByText(/^(Nenhum convite enviado|3 convites enviados)$/)).toBeVisible()
  for (const name of ['bia', 'caio']) await page.getByLabel(`Marcar ${toEmail(name)}`).check()
  await page.getByRole('button', { name: 'Retirar', exact: true }).click()
  await dialog.getByRole('button', { name: 'Retirar 2 convites' }).click()
  await expect(toast(page, '2 convites retirados')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Convites sem resposta (1)' })).toContainText(toEmail('ana'))
  expect((await demo.mail(toEmail('ana'), 'invitation')).text).toContain('O acesso vale até')
})

test('the export contains the filtered list', async ({ page }) => {
  await openAs(page, 'admin', '/admin?q=diretoria')
  await expect(page.getByText('diretoria@grupopatio.com.br', { exact: true })).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Exportar lista' }).click()
  const file = await readFile(await (await download).path())
  expect([...file.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const lines = file.toString().split('\r\n')
  expect(lines[0]).toContain('E-mail;Nome;')
  expect(lines[1]).toMatch(/^diretoria@grupopatio\.com\.br;/)
  expect(lines).toHaveLength(3)
  await expect(toast(page, 'Lista exportada')).toBeVisible()
})

test('axe finds no serious violation on the invitation screens', async ({ page, demo, browser, other }) => {
  const defaults = { types: ['Vendas'], marcas: [], estados: [] }
  await other.call('POST', '/api/invitations', { addresses: toEmail('nova'), defaults })
  await openAs(page, 'admin', '/admin/convites')
  await expect(page.getByText(toEmail('nova'))).toBeVisible()
  await page.getByLabel('E-mails').fill(`x@gmail.com ${toEmail('diretoria')} ${toEmail('outra')}`)
  await page.getByRole('button', { name: 'Conferir' }).click()
  await expect(page.getByRole('region', { name: 'Conferência' })).toBeVisible()
  await expectNoSeriousViolations(page)
  await page.getByRole('radio', { name: 'Por arquivo' }).check()
  await page.getByRole('button', { name: 'Conferir' }).click()
  await expect(page.getByRole('alert')).toContainText('Escolha um arquivo')
  await expectNoSeriousViolations(page)
  const context = await browser.newContext({ baseURL: demo.url })
  const invited = await context.newPage()
  await invited.goto((await demo.mail(toEmail('nova'), 'invitation')).link as string)
  await expect(invited.getByRole('heading', { name: 'Crie sua senha' })).toBeVisible()
  await expectNoSeriousViolations(invited)
})
