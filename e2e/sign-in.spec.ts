import { expect, getReportFrame, openAs, PASSWORD, signIn, solveHumanCheck, test } from './portal-fixture.ts'

const email = (name: string) => `${name}@grupopatio.com.br`

test('the start page redirects a visitor to /login and a signed-in person to the reports', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page).toHaveURL('/login')
  await signIn(page, 'diretoria')
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByText('Login realizado com sucesso!')).toBeVisible()
  for (const path of ['/', '/login']) {
    await page.goto(path)
    await expect(page).toHaveURL(/\/power-bi/)
  }
})

test('the form shows the first validation error only and keeps the input', async ({ page }) => {
  // Without a challenge the human check cannot be solved.
  await page.route('**/api/auth/challenge', (route) => route.abort())
  await page.goto('/login')
  const submit = page.getByRole('button', { name: 'Entrar', exact: true })
  await submit.click()
  await expect(page.getByText('E-mail inválido').first()).toBeVisible()
  await expect(page.getByText('Senha é obrigatória')).toHaveCount(0)

  await page.getByLabel('E-mail').fill(email('diretoria'))
  await submit.click()
  await expect(page.getByText('Senha é obrigatória').first()).toBeVisible()

  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
  await submit.click()
  await expect(page.getByText('Por favor, complete a verificação reCAPTCHA')).toBeVisible()
  await expect(page.getByLabel('E-mail')).toHaveValue(email('diretoria'))
})

test('blanks around a pasted password are named', async ({ page }) => {
  await page.goto('/login')
  const field = page.getByLabel('Senha', { exact: true })
  await field.fill(` ${PASSWORD}`)
  await expect(field).toHaveAccessibleDescription('A senha começa com um espaço.')
  await field.fill(PASSWORD)
  await expect(field).toHaveAccessibleDescription('')
})

test('a wrong password is reported and resets the human check', async ({ page }) => {
  const answers = new Set<string | null>()
  page.on('request', (request) => {
    if (request.url().endsWith('/verify-recaptcha')) answers.add(request.postData())
  })
  await signIn(page, 'diretoria', 'not the password')
  await expect(page.getByText('Falha no login. Verifique suas credenciais.')).toBeVisible()
  const form = page.getByRole('form', { name: 'Entrar' })
  await expect(form.getByRole('alert')).toContainText('E-mail ou senha não conferem.')
  await expect(page).toHaveURL('/login')
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await expect(page).toHaveURL(/\/power-bi/)
  // Solved again: an answer and its pass are valid once.
  expect(answers.size).toBe(2)
})

test('a lock-out counts down in the form, then enables the button', async ({ page }) => {
  await page.clock.install()
  await page.route('**/api/auth/token**', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '69' },
      json: { code: 'rate-limited', detail: 'Muitas tentativas.' },
    }),
  )
  await signIn(page, 'diretoria', 'not the password')
  const form = page.getByRole('form', { name: 'Entrar' })
  const button = form.getByRole('button', { name: 'Entrar', exact: true })
  await expect(page.getByText('Muitas tentativas. Tente novamente em 69 segundos.')).toBeVisible()
  await expect(form.getByRole('alert')).toContainText('Tente de novo em 1:0')
  await expect(button).toBeDisabled()
  await page.clock.fastForward(30_000)
  await expect(form.getByRole('alert')).toContainText('Tente de novo em 0:3')
  const unlock = form.getByRole('link', { name: 'Uma nova senha também desbloqueia' })
  await expect(unlock).toHaveAttribute('href', '/forgot-password')
  await page.clock.fastForward(40_000)
  await expect(form.getByText('Você já pode tentar de novo.')).toBeVisible()
  await expect(button).toBeEnabled()
})

test('the form reports a lost connection and its return', async ({ page, context }) => {
  // The solved check is exchanged for a pass right after, still online.
  const exchanged = page.waitForResponse('**/api/functions/verify-recaptcha')
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email('diretoria'))
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
  await solveHumanCheck(page)
  await exchanged
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  const form = page.getByRole('form', { name: 'Entrar' })
  await expect(page.getByText('Falha no login. Verifique suas credenciais.')).toBeVisible()
  await expect(page.getByText('Sem conexão com o portal. Verifique sua internet')).toBeVisible()
  // The human check restarts and may show a message too.
  await expect(form.getByRole('alert').filter({ hasText: 'Você está sem conexão' })).toBeVisible()
  await context.setOffline(false)
  await expect(form.getByText('A conexão voltou. Você já pode tentar de novo.')).toBeVisible()
})

test('on a phone the error is visible above the keyboard and not covered by a toast', async ({ page }) => {
  // What an on-screen keyboard leaves of 844 px.
  await page.setViewportSize({ width: 390, height: 460 })
  await signIn(page, 'diretoria', 'not the password')
  await expect(page.getByText('Falha no login. Verifique suas credenciais.')).toBeVisible()
  const form = page.getByRole('form', { name: 'Entrar' })
  for (const part of [form.getByRole('alert'), page.getByLabel('Senha', { exact: true })]) {
    await expect(part).toBeInViewport({ ratio: 1 })
    const isUncovered = () =>
      part.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        const points = [top + 2, (top + bottom) / 2, bottom - 2]
        return points.every((y) => element.contains(document.elementFromPoint((left + right) / 2, y)))
      })
    // The alert is scrolled into view after the toast is rendered, which stays for nine seconds.
    await expect.poll(isUncovered, { timeout: 5_000 }).toBe(true)
  }
})

test('a failed human check stops the sign-in', async ({ page }) => {
  await page.route('**/api/functions/verify-recaptcha', (route) =>
    route.fulfill({ json: { success: false } }),
  )
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email('diretoria'))
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
  await expect(page.getByText('Falha na verificação reCAPTCHA')).toBeVisible()
  await expect(page).toHaveURL('/login')
})

test('on a slow connection an early submit waits for the human check and is sent once', async ({ page }) => {
  const { promise: delivery, resolve: deliver } = Promise.withResolvers<void>()
  await page.route('**/assets/altcha-widget-*.js', async (route) => {
    await delivery
    await route.continue()
  })
  const answers: number[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/auth/token')) answers.push(response.status())
  })
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email('diretoria'))
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
  const button = page.getByRole('button', { name: 'Entrar', exact: true })
  await button.click()
  await expect(button).toHaveAttribute('aria-busy', 'true')
  deliver()
  await expect(page).toHaveURL(/\/power-bi/)
  expect(answers).toEqual([200])
})

test('the built-in administrator needs no human check, and only administrators see messages and administration', async ({
  page,
}) => {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email('admin'))
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  const header = page.getByRole('banner')
  await expect(header.getByRole('link', { name: /^Mensagens, \d+ não lidas$/ })).toBeVisible()
  await expect(header.getByRole('link', { name: /^Administração/ })).toBeVisible()
  await openAs(page, 'semrelatorio', '/mensagens')
  await expect(page).toHaveURL(/\/power-bi$/)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(header.getByRole('link', { name: /conta/i })).toBeVisible()
  await expect(header.getByRole('link', { name: /Mensagens|Administração/ })).toHaveCount(0)
})

test('an unknown path shows the 404 page and logs the path', async ({ page }) => {
  const logged = page.waitForEvent('console', (message) => message.text().includes('/nao-existe'))
  for (const path of ['/admin/nao-existe', '/nao-existe']) {
    await page.goto(path)
    await expect(page.getByText('Oops! Page not found')).toBeVisible()
    await expect(page).toHaveTitle(/^Página não encontrada · /)
  }
  await logged
  await page.getByRole('main').getByRole('link').first().click()
  await expect(page).toHaveURL('/login')
})

test('a browser that refuses storage can sign in, open the reports and sign out', async ({ page }) => {
  // As Chromium does when all cookies are blocked.
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    }
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get: refuse })
    navigator.locks.request = async () => refuse()
  })
  await signIn(page, 'diretoria')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByText('Este navegador não guarda nada deste site.')).toBeVisible()
})
