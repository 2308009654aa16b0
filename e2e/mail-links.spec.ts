import { type Browser, devices, type Page } from '@playwright/test'
import { type Demo, expect, openAs, signUp, test, toEmail, typeNewPassword } from './portal-fixture.ts'

const STRANGERS = 'Estranha-Nebulosa-31!'
const OWNERS = 'Um-Cavalo-Azul-77'

/** Opens a browser of another person, or of the same person on another device. */
async function openOtherBrowser(browser: Browser, demo: Demo, device: object = {}): Promise<Page> {
  return (await browser.newContext({ ...device, baseURL: demo.url })).newPage()
}
const getMailLink = async (demo: Demo, email: string, count = 1) =>
  (await demo.mail(email, 'verification', count)).link as string
const typeFirstPassword = async (page: Page, password: string) => {
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await page.getByLabel('Confirmar senha').fill(password)
  await page.getByRole('button', { name: 'Confirmar e-mail' }).click()
}

test('the owner of the mailbox gets the account, even on another device and after a stranger’s sign-up', async ({
  page,
  browser,
  demo,
}) => {
  const email = toEmail('dona')
  const stranger = await openOtherBrowser(browser, demo)
  await signUp(stranger, email, STRANGERS)
  await expect(stranger).toHaveURL('/email-verification')
  await signUp(page, email, OWNERS)
  await expect(page).toHaveURL('/email-verification')
  const link = await getMailLink(demo, email, 2)

  const phone = await openOtherBrowser(browser, demo, devices['Pixel 7'])
  await phone.goto(link)
  await expect(phone.getByRole('heading', { name: 'Crie sua senha' })).toBeVisible()
  await expect(phone.getByRole('main')).toContainText(email)
  await expect(phone).toHaveURL('/auth/callback')
  await typeFirstPassword(phone, 'Grupopatio-2026!')
  await expect(phone.getByRole('alert')).toContainText('Senha rejeitada pelo servidor.')
  await phone.reload()
  await typeFirstPassword(phone, OWNERS)
  await expect(phone.getByText('E-mail verificado!')).toBeVisible()
  await expect(phone).toHaveURL(/\/power-bi$/)

  await phone.context().close()
  await stranger.context().close()
})

test('a link of another account requires the signed-in person to sign out first', async ({
  page,
  browser,
  demo,
}) => {
  const email = toEmail('visita')
  const elsewhere = await openOtherBrowser(browser, demo)
  await signUp(elsewhere, email, OWNERS)
  const link = await getMailLink(demo, email)
  await elsewhere.context().close()

  await openAs(page, 'diretoria')
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Este link é de outra conta' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(email)
  await expect(page.getByRole('main')).toContainText(toEmail('diretoria'))
  await page.getByRole('link', { name: 'Ficar nesta conta' }).click()
  await expect(page).toHaveURL(/\/power-bi/)
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await expect(page.getByRole('main').locator('dl')).toContainText(toEmail('diretoria'))

  await page.goto(link)
  await page.getByRole('button', { name: 'Sair e confirmar' }).click()
  await typeFirstPassword(page, OWNERS)
  await expect(page.getByText('E-mail verificado!')).toBeVisible()
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await expect(page.getByRole('main').locator('dl')).toContainText(email)
})

test('a mail scanner that opens every link and runs its page uses nothing up', async ({
  page,
  browser,
  demo,
}) => {
  test.setTimeout(120_000)
  const email = toEmail('lida.antes')
  const member = toEmail('semrelatorio')
  // Mails of every kind that contain links.
  await signUp(page, email, OWNERS)
  const confirmation = await getMailLink(demo, email)
  const other = await openOtherBrowser(browser, demo)
  await signUp(other, member, STRANGERS)
  await demo.mail(member, 'account-exists')
  await other.goto('/forgot-password')
  const requestReset = async (count: number) => {
    await other.goto('/forgot-password')
    await other.getByLabel('E-mail').fill(member)
    await other.getByRole('button', { name: 'Enviar link' }).click()
    return (await demo.mail(member, 'recovery', count)).link as string
  }
  await other.goto(await requestReset(1))
  await typeNewPassword(other, 'Outra-Senha-Boa-9')
  await other.getByRole('button', { name: 'Redefinir senha' }).click()
  await demo.mail(member, 'password-changed')
  const reset = await requestReset(2)

  const mails: { kind: string; text: string }[] = await (await fetch(`${demo.url}/demo/mailbox.json`)).json()
  expect(new Set(mails.map(({ kind }) => kind))).toEqual(
    new Set(['verification', 'account-exists', 'recovery', 'password-changed', 'waiting-digest']),
  )
  const links = new Set(mails.flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? []))
  expect([...links].filter((link) => link.includes('token_hash=')).length).toBeGreaterThanOrEqual(5)
  const scan = async (link: string) => {
    const scanner = await openOtherBrowser(browser, demo)
    await scanner.goto(link)
    // A scanner does not wait forever.
    await scanner.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {})
    await scanner.context().close()
  }
  for (const link of links) await scan(link)

  await page.goto(confirmation)
  await expect(page.getByText('E-mail verificado!')).toBeVisible()
  await other.goto(reset)
  await typeNewPassword(other, 'Mais-Uma-Senha-7')
  await other.getByRole('button', { name: 'Redefinir senha' }).click()
  await expect(other.getByText('Senha redefinida', { exact: true })).toBeVisible()
  // The reset ended the notice of the one before.
  const notice = await demo.mail(member, 'password-changed', 2)
  const notMe = /\S+\/nao-fui-eu#\S+/.exec(notice.text)?.[0] as string
  await scan(notMe)
  await other.goto(notMe)
  await other.getByRole('button', { name: 'Não fui eu' }).click()
  await expect(other.getByRole('heading', { name: 'Sessões encerradas' })).toBeVisible()
  await other.context().close()
})

test('a link whose fragment a mail gateway dropped says that it arrived incomplete', async ({ page }) => {
  const remedy = 'copie o endereço inteiro'
  for (const [path, text] of [
    ['/reset-password', remedy],
    // Cut in the middle.
    ['/reset-password#token_hash=abc', remedy],
    ['/nao-fui-eu', remedy],
    ['/segunda-etapa', remedy],
    ['/parar-envio', 'pare o envio na lista'],
  ] as const) {
    await page.goto('about:blank')
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 }), path).toHaveText('O link chegou incompleto')
    await expect(page.getByRole('main'), path).toContainText(text)
  }
  await page.goto('/auth/callback')
  await expect(page.getByText('Não foi possível confirmar seu e-mail. Tente novamente.')).toBeVisible()
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('main')).toContainText('O link chegou incompleto.')
  await expect(page.getByRole('main')).toContainText(remedy)

  await openAs(page, 'diretoria')
  await page.goto('/auth/callback')
  await expect(page).toHaveURL(/\/power-bi/)
})
