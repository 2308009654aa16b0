import type { Page } from '@playwright/test'
import { watchLayoutShifts } from './layout-shifts.ts'
import {
  createSession,
  expect,
  openAs,
  openSession,
  PASSWORD,
  signIn,
  solveHumanCheck,
  test,
  toEmail,
} from './portal-fixture.ts'

const LINK = 'token_hash=abc&type='
/** Stubs the server's reply about any link. */
const stubLinkState = (page: Page, state: string) =>
  page.route('**/api/auth/verify**', (route) => route.fulfill({ json: { email: toEmail('ana'), state } }))
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** Calls the portal as a seeded account, from another device. */
async function callApiAs(name: string, url: string, body: object): Promise<void> {
  const session = await createSession(name)
  const headers = { authorization: `Bearer ${session.access_token}`, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(reply.status).toBe(200)
}

for (const width of [1440, 390])
  test(`every screen has brand and heading in the same place, without layout shifts (${width} px)`, async ({
    page,
  }) => {
    test.setTimeout(180_000)
    await page.setViewportSize({ width, height: 900 })
    const moved = await watchLayoutShifts(page)
    const screens: [path: string, title: string][] = [
      ['/login', 'Entrar'],
      ['/signup', 'Criar conta'],
      ['/forgot-password', 'Esqueci minha senha'],
      ['/reset-password', 'O link chegou incompleto'],
      [`/reset-password#${LINK}recovery`, 'Nova senha'],
      [`/auth/callback#${LINK}signup`, 'Crie sua senha'],
      ['/contato', 'Entre em Contato'],
      ['/nao-fui-eu#token_hash=abc', 'Não foi você?'],
      ['/nada-aqui', 'Oops! Page not found'],
    ]
    await stubLinkState(page, 'asks-password')
    const places: Record<'forms' | 'messages', Set<string>> = { forms: new Set(), messages: new Set() }
    const heights = new Set<string>()
    // On a slow connection the font loads last.
    let fontMayCome = Promise.withResolvers<void>()
    await page.route('**/*.woff2', async (route) => {
      await fontMayCome.promise
      await route.continue()
    })
    for (const [path, title] of screens) {
      fontMayCome = Promise.withResolvers<void>()
      await page.goto('about:blank')
      await page.goto(path, { waitUntil: 'commit' })
      await expect(heading(page)).toHaveText(title)
      fontMayCome.resolve()
      await page.waitForLoadState()
      if (path === '/login' || path === '/signup')
        await expect(page.locator('altcha-widget').getByRole('checkbox')).toBeVisible()
      expect(await moved(), path).toEqual([])
      const parts = [page.getByRole('banner').getByText('Grupo Pátio'), heading(page)]
      const boxes = await Promise.all(parts.map((part) => part.boundingBox()))
      const isForm = (await page.locator('svg:has(use[href*="report-picture"])').count()) > 0
      places[isForm ? 'forms' : 'messages'].add(JSON.stringify(boxes.map((box) => box?.x)))
      heights.add(JSON.stringify(boxes.map((box) => [box?.y, box?.height])))
    }
    expect([...heights]).toHaveLength(1)
    for (const place of Object.values(places)) expect([...place]).toHaveLength(1)
    // A message has the whole width and is centered.
    const [, x] = JSON.parse([...places.messages].join())
    expect(x).toBe(Math.max(24, (width - 432) / 2 + 24))
  })

for (const width of [1440, 390])
  test(`nothing shifts while a password is typed (${width} px)`, async ({ page }) => {
    test.setTimeout(180_000)
    await page.setViewportSize({ width, height: 900 })
    const moved = await watchLayoutShifts(page)
    const typeInto = async (label: string) => {
      const field = page.getByLabel(label, { exact: true })
      await field.click()
      await moved()
      await field.pressSequentially('Fi@2')
      // Each new hint, and each that disappears.
      for (const text of [
        'Fiat@2026',
        'Fiat@2026 Fiat JEEP toyota',
        'A',
        'ABC',
        'abc 123',
        'abc 123 qwerty carros',
      ])
        await field.fill(text)
      expect(await moved(), page.url()).toEqual([])
    }
    await page.goto('/signup')
    await page.getByLabel('E-mail').fill(toEmail('ana'))
    await solveHumanCheck(page)
    await typeInto('Senha')
    await stubLinkState(page, 'asks-password')
    await page.goto(`/reset-password#${LINK}recovery`)
    await typeInto('Nova senha')
    await page.goto(`/auth/callback#${LINK}signup`)
    await typeInto('Senha')
    await signIn(page, 'curta', 'curta123')
    await expect(page.getByRole('dialog')).toBeVisible()
    await typeInto('Nova senha')
    await openAs(page, 'diretoria', '/profile')
    await expect(page.getByText('Último acesso')).toBeVisible()
    expect(await moved()).toEqual([])
    await typeInto('Nova senha')
  })

test('forms have a report next to them, messages do not, and the brand shows before anything has loaded', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const picture = page.waitForResponse(/report-picture-[\w-]+\.svg$/)
  await page.goto('/login')
  expect((await picture).ok()).toBe(true)
  const panel = page.locator('svg:has(use[href*="report-picture"])')
  await expect(panel).toBeVisible()
  await page.goto('/nada-aqui')
  await expect(heading(page)).toBeVisible()
  await expect(panel).toHaveCount(0)

  await page.route(/\.js$/, () => {})
  for (const path of ['/', '/nada-aqui', '/nao-fui-eu', '/email-verification', '/auth/callback']) {
    await page.goto(path, { waitUntil: 'commit' })
    await expect(page.getByText('Grupo Pátio', { exact: true }).first()).toBeVisible()
  }
  await expect(heading(page)).toHaveText('Verificando seu e-mail...')
})

test('every form that sets a password names its account, without warnings of Chromium', async ({ page }) => {
  const remarks: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('[DOM]')) remarks.push(`${page.url()}: ${message.text()}`)
  })
  const expectOwner = async (name: string) => {
    const owner = page.locator('form:has([autocomplete=new-password]) [autocomplete=username]')
    await expect(owner).toHaveValue(toEmail(name))
  }
  await page.goto('/signup')
  await page.getByLabel('E-mail').fill(toEmail('ana'))
  await expectOwner('ana')
  await stubLinkState(page, 'asks-password')
  await page.goto(`/reset-password#${LINK}recovery`)
  await expectOwner('ana')
  await page.goto(`/auth/callback#${LINK}signup`)
  await expectOwner('ana')
  // The hint below the strength also uses the link's address.
  await page.getByLabel('Senha', { exact: true }).fill('Seguro-Ana-2026')
  await signIn(page, 'curta', 'curta123')
  await expectOwner('curta')
  await openAs(page, 'vendas.rj', '/profile')
  await expectOwner('vendas.rj')
  expect(remarks).toEqual([])
})

test('every form focuses its first field, except on a phone', async ({ page, browser, baseURL }) => {
  const phone = await (
    await browser.newContext({ baseURL: baseURL as string, hasTouch: true, isMobile: true })
  ).newPage()
  for (const each of [page, phone]) {
    await stubLinkState(each, 'asks-password')
    for (const [path, label] of [
      ['/login', 'E-mail'],
      ['/signup', 'E-mail'],
      ['/forgot-password', 'E-mail'],
      [`/reset-password#${LINK}recovery`, 'Nova senha'],
      [`/auth/callback#${LINK}signup`, 'Senha'],
      ['/contato', 'Nome'],
    ] as const) {
      await each.goto('about:blank')
      await each.goto(path)
      const field = each.getByLabel(label, { exact: true })
      await expect(each.locator('form button[type=submit]')).toBeEnabled()
      if (each === page) await expect(field).toBeFocused()
      else await expect(field).not.toBeFocused()
    }
  }
  await phone.context().close()
})

test('/login reports that the password was changed elsewhere, without earlier toasts', async ({
  page,
  demo,
}) => {
  await openAs(page, 'vendas.rj', '/profile')
  await page.getByRole('button', { name: 'Alterar Senha' }).click()
  const leftOver = page.getByText('A nova senha deve ter pelo menos 12 caracteres').first()
  await expect(leftOver).toBeVisible()
  await callApiAs('vendas.rj', `${demo.url}/api/functions/change-password`, {
    newPassword: 'Cavalo-Verde-88',
  })
  await expect(page).toHaveURL('/login')
  await expect(page.getByText('A senha desta conta foi trocada. Entre com a nova senha.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Notificações' }).locator('p')).toHaveCount(0)
  // After the sign-in, the person is back where they were.
  await page.getByLabel('E-mail').fill(toEmail('vendas.rj'))
  await page.getByLabel('Senha', { exact: true }).fill('Cavalo-Verde-88')
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await expect(page).toHaveURL('/profile')
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByText('A senha desta conta foi trocada.')).toHaveCount(0)
})

test('/login reports that the account was removed, and that another tab has signed out', async ({
  page,
  context,
  demo,
}) => {
  await openSession(page, 'pendente')
  const session = await createSession('pendente')
  await callApiAs('admin', `${demo.url}/api/functions/delete-users`, { userIds: [session.user.id] })
  await page.goto('/power-bi')
  await expect(page.getByText(/^Sua conta foi removida do portal\./)).toBeVisible()
  await expect(page).toHaveURL('/login')

  await openAs(page, 'diretoria')
  const other = await context.newPage()
  await other.goto('/profile')
  // The server's stream tells the first tab before the second one knows.
  await other.route('**/api/auth/logout?*', async (route) => {
    const response = await route.fetch()
    await expect(page).toHaveURL('/login')
    await route.fulfill({ response })
  })
  await other.getByRole('button', { name: 'Sair' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByText('Você saiu do portal em outra aba.')).toBeVisible()
  await expect(other.getByText('Você saiu com sucesso')).toBeVisible()
  await expect(other.getByText('Você saiu do portal em outra aba.')).toHaveCount(0)
})

test('after inactivity the same person returns to where they were, another person does not', async ({
  page,
}) => {
  await page.clock.install()
  for (const [name, end] of [
    ['vendas.rj', /\/profile$/],
    ['diretoria', /\/power-bi/],
  ] as const) {
    await openAs(page, 'vendas.rj', '/profile')
    await expect(heading(page)).toHaveText('Minha Conta')
    await page.clock.fastForward('31:00')
    await expect(page).toHaveURL('/login')
    await expect(page.getByText('Ao entrar, você volta para onde estava.')).toBeVisible()
    await page.getByLabel('E-mail').fill(toEmail(name))
    await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
    await solveHumanCheck(page)
    await page.getByRole('button', { name: 'Entrar', exact: true }).click()
    await expect(page).toHaveURL(end)
    await page.getByRole('button', { name: 'Sair' }).click()
    await expect(page).toHaveURL('/login')
  }
})

test('/profile shows the person’s account and entitlements', async ({ page }) => {
  await signIn(page, 'vendas.rj')
  await page.getByRole('link', { name: 'Minha conta' }).click()
  const lines = page.getByRole('main').locator('dl > div')
  await expect(lines).toHaveText([
    `E-mail${toEmail('vendas.rj')}O e-mail não pode ser alterado.`,
    'NomeVera Vendas',
    'ÁreasVendas, CRM',
    'MarcasFIAT, JEEP',
    'EstadosRJ',
    /^Último acesso\d\d\/\d\d\/\d{4}, \d\d:\d\d$/,
  ])
  await expect(page.getByRole('textbox')).toHaveCount(2)
})

test.describe(() => {
  test.use({ env: { RATE_LIMITS: 'on' } })

  test('a second request for a reset link shows when it is allowed', async ({ page }) => {
    await page.goto('/forgot-password')
    const ask = async () => {
      await page.getByLabel('E-mail').fill(toEmail('diretoria'))
      await page.getByRole('button', { name: 'Enviar link' }).click()
    }
    await ask()
    await page.getByRole('button', { name: 'Usar outro e-mail' }).click()
    await ask()
    await expect(page.getByText('Erro ao enviar e-mail')).toBeVisible()
    const form = page.getByRole('form')
    await expect(form.getByRole('alert')).toContainText(/Já recebemos um pedido há pouco.*em [01]:\d\d/)
    const button = page.getByRole('button', { name: 'Enviar link' })
    await expect(button).toBeDisabled()
    // Another address is not limited.
    await page.getByLabel('E-mail').fill(toEmail('vendas.rj'))
    await expect(button).toBeEnabled()
  })
})
