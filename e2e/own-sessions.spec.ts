import { readFile } from 'node:fs/promises'
import { openAdmin, openPerson } from './administration.ts'
import { findSeriousViolations } from './axe-findings.ts'
import { expect, openAs, openSession, signIn, test } from './portal-fixture.ts'

const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

test("'Meus dados' downloads a page to read, or JSON", async ({ page }) => {
  await openAs(page, 'diretoria', '/profile/seguranca')
  const save = async (name: string) => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    const file = await download
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }
  const toRead = await save('Baixar meus dados')
  expect(toRead.name).toMatch(/^meus-dados-.*\.html$/)
  for (const text of ['<h2>Entradas e relatórios</h2>', 'Dirceu Diretor']) expect(toRead.text).toContain(text)
  const machine = await save('baixe em JSON')
  expect(machine.name).toMatch(/\.json$/)
  expect(JSON.parse(machine.text)).toMatchObject({ profile: { full_name: 'Dirceu Diretor' } })
  await page.getByRole('main').getByRole('link', { name: 'Privacidade' }).click()
  await expect(page.getByText(/^Quem responde pelos seus dados é/)).toBeVisible()
})

test.describe('with an encarregado', () => {
  test.use({ env: { DATA_PROTECTION_OFFICER: 'Ana Souza <privacidade@exemplo.com.br>' } })
  test("'Privacidade' names whom to ask, also to visitors", async ({ page }) => {
    await page.goto('/privacidade')
    await expect(page.getByText('O encarregado (LGPD, artigo 41) é Ana Souza, ')).toBeVisible()
    const link = page.getByRole('link', { name: 'privacidade@exemplo.com.br' })
    await expect(link).toHaveAttribute('href', 'mailto:privacidade@exemplo.com.br')
  })
})

test("'Segurança' shows where one is signed in, and ends it there at once", async ({
  page,
  browser,
  baseURL,
}) => {
  const other = await browser.newContext({ baseURL: baseURL as string, userAgent: WINDOWS })
  const elsewhere = await other.newPage()
  await signIn(elsewhere, 'diretoria')
  await expect(elsewhere).toHaveURL(/\/power-bi/)

  await openAs(page, 'diretoria', '/profile')
  await page.getByRole('link', { name: 'Segurança' }).click()
  const sessions = page.getByRole('list', { name: 'Sessões abertas' }).getByRole('listitem')
  await expect(sessions).toHaveCount(2)
  await expect(sessions.first()).toContainText('este navegador')
  await expect(sessions.last()).toContainText(/^Chrome no Windows.*Último uso: hoje, \d\d:\d\d/)
  await expect(page.getByRole('list', { name: 'Entradas e tentativas' })).toContainText(
    'Entrada: Chrome no Windows',
  )
  await sessions
    .last()
    .getByRole('button', { name: /^Encerrar/ })
    .click()
  const question = page.getByRole('dialog', { name: 'Encerrar esta sessão?' })
  expect(await findSeriousViolations(page)).toEqual([])
  await question.getByRole('button', { name: 'Encerrar sessão' }).click()
  await expect(page.getByText('Sessão encerrada', { exact: true })).toBeVisible()
  await expect(sessions).toHaveCount(1)
  await expect(elsewhere).toHaveURL('/login')

  await signIn(elsewhere, 'diretoria')
  await expect(elsewhere).toHaveURL(/\/power-bi/)
  await page.reload()
  await page.getByRole('button', { name: 'Encerrar todas as outras' }).click()
  await page.getByRole('button', { name: 'Encerrar as outras' }).click()
  await expect(page.getByText('Outras sessões encerradas')).toBeVisible()
  await expect(elsewhere).toHaveURL('/login')
  await expect(page.getByRole('heading', { name: 'Segurança' })).toBeVisible()
  await elsewhere.context().close()
})

test("'Ajudar com a conta' mails, ends sessions and gives the administration", async ({
  page,
  browser,
  baseURL,
  demo,
}) => {
  const email = 'diretoria@grupopatio.com.br'
  const elsewhere = await (await browser.newContext({ baseURL: baseURL as string })).newPage()
  await openSession(elsewhere, 'diretoria')
  await elsewhere.goto('/profile')
  const dialog = page.getByRole('dialog', { name: 'Ajudar com a conta' })
  const open = async () => {
    await page.getByRole('button', { name: 'Mais ações' }).first().click()
    await page.getByRole('menuitem', { name: 'Ajudar com a conta' }).click()
  }
  await openPerson(page, email)
  await open()
  await expect(dialog.getByRole('button', { name: 'Enviar link para nova senha' })).toBeVisible()
  expect(await findSeriousViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Enviar link para nova senha' }).click()
  await expect(page.getByText('Link enviado por e-mail')).toBeVisible()
  await demo.mail(email, 'recovery')

  await open()
  await dialog.getByRole('button', { name: 'Tornar administrador' }).click()
  const question = page.getByRole('dialog', { name: 'Tornar administrador?' })
  await question.getByRole('button', { name: 'Tornar administrador' }).click()
  await expect(page.getByText('A pessoa agora administra o portal')).toBeVisible()
  await open()
  await expect(dialog.getByRole('button', { name: 'Retirar a administração' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Encerrar sessões' }).click()
  await page.getByRole('button', { name: 'Encerrar sessões' }).click()
  await expect(elsewhere).toHaveURL('/login')
  await elsewhere.context().close()

  await openAdmin(page, '?q=admin@grupopatio.com.br')
  await open()
  await expect(dialog).toContainText('Esta é a sua própria conta')
})
