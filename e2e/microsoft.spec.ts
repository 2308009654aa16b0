import type { Page } from '@playwright/test'
import { MICROSOFT_REFUSALS } from '#contract/microsoft.ts'
import { findSeriousViolations } from './axe-findings.ts'
import { createSession, type Demo, expect, openAs, test, toEmail } from './portal-fixture.ts'

/** Goes to Microsoft, which a real OpenID provider plays; it knows nobody here yet. */
async function chooseAccount(page: Page, account: RegExp | string, from = '/login'): Promise<void> {
  await page.context().clearCookies()
  await page.goto(from)
  await enter(page, account)
}

/** Goes to Microsoft from the screen that is open. */
async function enter(page: Page, account: RegExp | string): Promise<void> {
  await page.getByRole('button', { name: 'Entrar com Microsoft' }).click()
  await expect(page.getByRole('heading', { name: 'Escolha uma conta' })).toBeVisible()
  await page.getByRole('button', { name: account }).click()
}

test('an account of the same address opens after one mailed link, and from then on by Microsoft alone', async ({
  page,
  browser,
  demo,
}) => {
  await chooseAccount(page, /já tem conta no portal/)
  await expect(page.getByRole('heading', { name: 'Falta confirmar pelo e-mail' })).toBeVisible()
  await expect(page.getByText(toEmail('vendas.rj'))).toBeVisible()
  expect(await findSeriousViolations(page)).toEqual([])
  const { link } = await demo.mail(toEmail('vendas.rj'), 'microsoft-link')
  const elsewhere = await browser.newPage({ baseURL: demo.url })
  await elsewhere.goto(link ?? '')
  await expect(elsewhere.getByRole('alert')).toContainText('começou em outro navegador')
  await elsewhere.close()
  await page.goto('about:blank')
  await page.goto(link ?? '')
  await expect(page).toHaveURL(/\/power-bi/)

  await page.evaluate(() => localStorage.clear())
  await chooseAccount(page, /já tem conta no portal/)
  await expect(page).toHaveURL(/\/power-bi/)
  await page.goto('/profile/seguranca')
  await expect(page.getByText('Para desligá-la')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Desligar' })).toBeVisible()
})

const CRM = '/power-bi?area=CRM'
const VENDAS = /já tem conta no portal/

/** Signs in from a link into the portal, for which the first time asks for a mail too. */
async function linkVendas(page: Page, demo: Demo): Promise<void> {
  await chooseAccount(page, VENDAS, CRM)
  await expect(page.getByRole('heading', { name: 'Falta confirmar pelo e-mail' })).toBeVisible()
  const { link } = await demo.mail(toEmail('vendas.rj'), 'microsoft-link')
  await page.goto('about:blank')
  await page.goto(link ?? '')
  await expect(page).toHaveURL(CRM)
}

/** Ends the session of the page from another browser. */
async function endElsewhere(page: Page, demo: Demo): Promise<void> {
  const { access_token } = await createSession('vendas.rj')
  const headers = { Authorization: `Bearer ${access_token}` }
  const ended = await fetch(`${demo.url}/api/auth/logout?scope=others`, { method: 'POST', headers })
  expect(ended.ok).toBe(true)
  await expect(page).toHaveURL('/login')
}

test('a link into the portal outlives the sign-in with Microsoft, its mail and its refusals', async ({
  page,
  demo,
}) => {
  await linkVendas(page, demo)
  await page.evaluate(() => localStorage.clear())
  await chooseAccount(page, 'Cancelar', CRM)
  await page.getByRole('link', { name: 'Voltar para o login' }).click()
  await enter(page, VENDAS)
  await expect(page).toHaveURL(CRM)
  expect(await page.evaluate(() => sessionStorage.getItem('patio.return-path'))).toBeNull()
})

test('a sign-in with Microsoft leads back to where the session ended, and nobody else', async ({
  page,
  demo,
}) => {
  await linkVendas(page, demo)
  await endElsewhere(page, demo)
  await page.context().clearCookies()
  await enter(page, VENDAS)
  await expect(page).toHaveURL(CRM)
  await endElsewhere(page, demo)
  await page.context().clearCookies()
  await enter(page, /entra pela primeira vez/)
  await expect(page.getByText('Sua conta está pendente de aprovação')).toBeVisible()
  await expect(page).toHaveURL('/power-bi')
})

test('who is signed in already reads so when Microsoft answers again', async ({ page }) => {
  let callback = ''
  page.on('request', (request) => {
    if (request.url().includes('/auth/microsoft/callback')) callback = request.url()
  })
  await chooseAccount(page, /entra pela primeira vez/)
  await expect(page).toHaveURL(/\/power-bi/)
  const addresses = [
    callback,
    ...['expired', 'replayed'].map((it) => `/auth/callback#type=microsoft&erro=${it}`),
  ]
  for (const address of [...addresses, '/auth/callback#type=microsoft&token_hash=spent']) {
    await page.goto('about:blank')
    await page.goto(address)
    await expect(
      page.getByText('Você já entrou no portal; esta resposta da Microsoft não vale mais.'),
    ).toBeVisible()
    expect(await findSeriousViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Ir para os relatórios' }).click()
    await expect(page).toHaveURL('/power-bi')
  }
})

test('a refusal while an account is linked leads back to Segurança', async ({ page }) => {
  await openAs(page, 'vendas.rj', '/profile/seguranca')
  await page.getByRole('button', { name: 'Ligar conta Microsoft' }).click()
  await expect(page.getByRole('heading', { name: 'Escolha uma conta' })).toBeVisible()
  await page.context().clearCookies()
  await page.goto('/auth/callback#type=microsoft&erro=other-browser')
  await expect(page.getByRole('alert')).toHaveText(MICROSOFT_REFUSALS['other-browser'])
  await page.getByRole('link', { name: 'Voltar para Segurança' }).click()
  await expect(page).toHaveURL('/profile/seguranca')
})

test('who comes for the first time has an account that waits for approval', async ({ page }) => {
  await chooseAccount(page, /entra pela primeira vez/)
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByText('Sua conta está pendente de aprovação')).toBeVisible()
})

test('whom the portal does not admit reads why, and comes back to the form', async ({ page }) => {
  const refused: [RegExp | string, keyof typeof MICROSOFT_REFUSALS][] = [
    [/convidado de outra empresa/, 'guest'],
    [/de outro diretório/, 'other-tenant'],
    [/conta desativada/, 'not-permitted'],
    ['Cancelar', 'cancelled'],
  ]
  for (const [account, refusal] of refused) {
    await chooseAccount(page, account)
    await expect(page.getByRole('alert')).toHaveText(MICROSOFT_REFUSALS[refusal])
    await page.getByRole('link', { name: 'Voltar para o login' }).click()
    await expect(page).toHaveURL(/\/login/)
  }
})

test('every refusal is a sentence, also for a callback opened in another browser', async ({
  page,
  browser,
  demo,
}) => {
  let callback = ''
  page.on('request', (request) => {
    if (request.url().includes('/auth/microsoft/callback')) callback = request.url()
  })
  await chooseAccount(page, /entra pela primeira vez/)
  await expect(page).toHaveURL(/\/power-bi/)
  const elsewhere = await browser.newPage({ baseURL: demo.url })
  await elsewhere.goto(callback)
  await expect(elsewhere.getByRole('alert')).toHaveText(MICROSOFT_REFUSALS['other-browser'])
  for (const [refusal, sentence] of Object.entries(MICROSOFT_REFUSALS)) {
    await elsewhere.goto('about:blank')
    await elsewhere.goto(`/auth/callback#type=microsoft&erro=${refusal}`)
    await expect(elsewhere.getByRole('alert')).toHaveText(sentence)
  }
  for (const unknown of ['%3Cb%3E', '__proto__', 'constructor', 'toString']) {
    await elsewhere.goto('about:blank')
    await elsewhere.goto(`/auth/callback#type=microsoft&erro=${unknown}`)
    await expect(elsewhere.getByRole('alert')).toHaveText(MICROSOFT_REFUSALS['invalid-answer'])
  }
  await elsewhere.close()
})

test('an account is linked and unlinked in Segurança', async ({ page }) => {
  await openAs(page, 'vendas.rj', '/profile/seguranca')
  await page.getByRole('button', { name: 'Ligar conta Microsoft' }).click()
  await page.getByRole('button', { name: /já tem conta no portal/ }).click()
  await expect(page.getByText('Conta Microsoft ligada')).toBeVisible()
  await expect(page).toHaveURL(/\/profile\/seguranca/)
  await page.getByRole('button', { name: 'Desligar' }).click()
  await page
    .getByRole('dialog', { name: 'Desligar a conta Microsoft?' })
    .getByRole('button', { name: 'Desligar' })
    .click()
  await expect(page.getByRole('button', { name: 'Ligar conta Microsoft' })).toBeVisible()
})

test('several tabs go to Microsoft and back, each for itself', async ({ page }) => {
  await page.context().clearCookies()
  const openTab = async () => {
    const tab = await page.context().newPage()
    await tab.goto('/login')
    await tab.getByRole('button', { name: 'Entrar com Microsoft' }).click()
    await expect(tab.getByRole('heading', { name: 'Escolha uma conta' })).toBeVisible()
    return tab
  }
  const choose = (tab: Page, account: RegExp | string) => tab.getByRole('button', { name: account }).click()
  const [oldest, refused, first, second] = [
    await openTab(),
    await openTab(),
    await openTab(),
    await openTab(),
  ] as const
  for (let count = 0; count < 7; count++) await (await openTab()).close()

  // Eleven attempts were begun, of which ten may wait.
  await choose(oldest, /entra pela primeira vez/)
  await expect(oldest.getByRole('alert')).toHaveText(MICROSOFT_REFUSALS['other-browser'])
  await choose(refused, 'Cancelar')
  await expect(refused.getByRole('alert')).toHaveText(MICROSOFT_REFUSALS.cancelled)
  await choose(first, /entra pela primeira vez/)
  await expect(first).toHaveURL(/\/power-bi/)
  await choose(second, /entra pela primeira vez/)
  await expect(second).toHaveURL(/\/power-bi/)
  await expect(second.getByText('Sua conta está pendente de aprovação')).toBeVisible()
  expect(
    await second.evaluate(() => Object.keys(localStorage).filter((key) => /microsoft/.test(key))),
  ).toHaveLength(10)
})
