import type { Page } from '@playwright/test'
import { expect, openAs, solveHumanCheck, test } from './portal-fixture.ts'

async function fillIn(
  page: Page,
  values: { name?: string; email?: string; phone?: string; message?: string },
) {
  const fields = { name: 'Nome', email: 'E-mail', phone: 'Celular', message: 'Sugestão / Mensagem' }
  for (const [field, label] of Object.entries(fields)) {
    const value = values[field as keyof typeof values]
    if (value !== undefined) await page.getByLabel(label).fill(value)
  }
}
const LABELS = ['Nome', 'E-mail', 'Celular', 'Sugestão / Mensagem']
const send = (page: Page) => page.getByRole('button', { name: 'Enviar Mensagem' }).click()
const filled = {
  name: ' Ana Souza ',
  email: 'ana@exemplo.com.br',
  phone: '21987654321',
  message: 'Quero saber\ndo acesso.',
}

test('sending a message clears the form', { tag: '@translated' }, async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('link', { name: 'Contato' }).click()
  await expect(page).toHaveURL('/contato')
  await expect(page).toHaveTitle(/^Entre em Contato · /)
  await expect(page.getByLabel('Sugestão / Mensagem')).toHaveAttribute('rows', '6')
  await fillIn(page, filled)
  await expect(page.getByText('22 de 1000 caracteres')).toBeVisible()
  const bodies: Record<string, unknown>[] = []
  const pressed = Promise.withResolvers<void>()
  await page.route('**/api/support-messages', async (route) => {
    bodies.push(route.request().postDataJSON())
    await pressed.promise
    await route.continue()
  })
  // The form delays a submit under 3 s, and further clicks are ignored.
  await send(page)
  const sending = page.getByRole('button', { name: 'Enviando...' })
  await sending.click({ force: true })
  await page.keyboard.press('Enter')
  await expect.poll(() => bodies.length).toBe(1)
  await sending.click({ force: true })
  // Text typed now would be cleared unsent, so the fields are read-only.
  for (const label of LABELS) await expect(page.getByLabel(label)).toHaveAttribute('readonly')
  pressed.resolve()
  await expect(page.getByText('Mensagem enviada com sucesso!')).toBeVisible()
  for (const label of LABELS) {
    await expect(page.getByLabel(label)).toHaveValue('')
    await expect(page.getByLabel(label)).toBeEditable()
  }
  await expect(page.getByText('0 de 1000 caracteres')).toBeVisible()
  expect(bodies).toEqual([
    {
      name: 'Ana Souza',
      email: 'ana@exemplo.com.br',
      phone: '(21) 98765-4321',
      message: 'Quero saber\ndo acesso.',
      website: '',
      fill_ms: expect.any(Number),
    },
  ])
  expect(bodies[0]?.fill_ms).toBeGreaterThanOrEqual(3_000)
  const panel = page.getByRole('form').getByText('Recebemos sua mensagem de ana@exemplo.com.br.')
  await expect(page.getByText('Mensagem enviada com sucesso!')).toHaveCount(0, { timeout: 30_000 })
  await expect(panel).toBeVisible()
  await page.getByLabel('Nome').fill('A')
  await expect(panel).toHaveCount(0)
  await page.getByLabel('Nome').fill('')
  await page.reload()
  await expect(page.getByLabel('Nome')).toHaveValue('')
  await page.getByRole('link', { name: 'Voltar' }).click()
  await expect(page).toHaveURL('/login')
})

test('each validation error has a toast and shows next to its field', async ({ page }) => {
  await page.goto('/contato')
  const notices = page.getByRole('region', { name: 'Notificações' }).getByRole('alert')
  await fillIn(page, { name: '  ', email: 'ana@', phone: ' ', message: '\n' })
  await send(page)
  await expect(notices).toHaveText([
    'Nome é obrigatório',
    'E-mail inválido',
    'Celular é obrigatório',
    'Mensagem é obrigatória',
  ])
  await expect(page.getByLabel('Nome')).toBeFocused()
  await expect(page.getByLabel('Nome')).toHaveAccessibleDescription('Nome é obrigatório')
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('E-mail inválido')
  await expect(page.getByLabel('Celular')).toHaveAccessibleDescription('Celular é obrigatório')
  await expect(page.getByLabel('Sugestão / Mensagem')).toHaveAccessibleDescription(
    /^Mensagem é obrigatória 0 de 1000/,
  )
  await fillIn(page, {
    name: 'a'.repeat(101),
    email: 'a'.repeat(256),
    phone: '+1 '.repeat(8),
    message: 'a'.repeat(1001),
  })
  await expect(page.getByText('Nome é obrigatório')).toHaveCount(1)
  await send(page)
  await expect(notices).toHaveText([
    'Nome deve ter no máximo 100 caracteres',
    'E-mail deve ter no máximo 255 caracteres',
    'E-mail inválido',
    'Celular deve ter no máximo 20 caracteres',
    'Mensagem deve ter no máximo 1000 caracteres',
  ])
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(
    'E-mail deve ter no máximo 255 caracteres. E-mail inválido',
  )
  // Characters are counted as the rule counts them.
  await fillIn(page, { message: ` ${'🚗'.repeat(600)}\n` })
  await expect(page.getByText('600 de 1000 caracteres')).not.toHaveClass(/text-danger/)
  await fillIn(page, { message: '🚗'.repeat(1001) })
  await expect(page.getByText('1001 de 1000 caracteres')).toHaveClass(/text-danger/)
})

test('on a phone many toasts leave the form usable', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/contato')
  const notices = page.getByRole('region', { name: 'Notificações' })
  for (let presses = 1; presses <= 3; presses += 1) {
    const submit = page.getByRole('button', { name: 'Enviar Mensagem' })
    // Nothing covers it; not once the toasts of the last press have gone.
    await submit.click({ trial: true })
    expect(await notices.getByRole('alert').count()).toBe(presses === 1 ? 0 : 4)
    await submit.click()
    await expect(notices.getByRole('alert')).toHaveCount(4)
    await expect(notices.getByText('Mensagem é obrigatória')).toBeInViewport({ ratio: 1 })
    expect((await notices.boundingBox())?.height).toBeLessThan(110)
  }
  await notices.getByRole('button', { name: 'e mais 3' }).click()
  for (const alert of await notices.getByRole('alert').all()) await expect(alert).toBeInViewport({ ratio: 1 })
  await notices.getByRole('button', { name: 'mostrar menos' }).click()
  await notices.getByRole('button', { name: 'Fechar notificação' }).last().click()
  await expect(notices.getByText('Celular é obrigatório')).toBeInViewport({ ratio: 1 })
  await expect(notices.getByRole('button', { name: 'e mais 2' })).toBeVisible()
})

test('the draft survives a failed request and a reload', async ({ page }) => {
  await page.goto('/contato')
  await fillIn(page, filled)
  await page.route('**/api/support-messages', (route) => route.abort())
  await send(page)
  await expect(page.getByText('Erro ao enviar mensagem. Tente novamente.')).toBeVisible()
  await expect(page.getByText(/^Sem conexão com o portal/)).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Nome')).toHaveValue(filled.name)
  await expect(page.getByLabel('Celular')).toHaveValue('(21) 98765-4321')
  await expect(page.getByLabel('Sugestão / Mensagem')).toHaveValue(filled.message)
  await expect(page.getByText('22 de 1000 caracteres')).toBeVisible()
})

test('a Brazilian phone number is formatted while typing, others are not, and the honeypot is unreachable', async ({
  page,
}) => {
  await page.goto('/contato')
  const phone = page.getByLabel('Celular')
  await phone.pressSequentially('21987654321')
  await expect(phone).toHaveValue('(21) 98765-4321')
  for (let presses = 0; presses < 6; presses += 1) await phone.press('ArrowLeft')
  await phone.press('Backspace')
  await phone.pressSequentially('0')
  await expect(phone).toHaveValue('(21) 98705-4321')
  for (let presses = 0; presses < 20; presses += 1) await phone.press('Delete')
  for (let presses = 0; presses < 20; presses += 1) await phone.press('Backspace')
  await expect(phone).toHaveValue('')
  await phone.pressSequentially('+442071234567')
  await expect(phone).toHaveValue('+442071234567')

  const send = page.getByRole('button', { name: 'Enviar Mensagem' })
  // Before hydration it is disabled, and Tab skips it.
  await expect(send).toBeEnabled()
  await expect(page.getByRole('textbox')).toHaveCount(4)
  await page.getByLabel('Sugestão / Mensagem').focus()
  await page.keyboard.press('Tab')
  await expect(send).toBeFocused()
  const honeypot = page.locator('input[name=website]')
  await expect(honeypot).toHaveAttribute('autocomplete', 'off')
  expect(await honeypot.locator('..').locator('..').boundingBox()).toMatchObject({ width: 1, height: 1 })
})

test('a signed-in person’s name and address are prefilled, also for the next message', async ({ page }) => {
  await openAs(page, 'semrelatorio')
  await page.getByRole('link', { name: 'Contato' }).click()
  await expect(page.getByLabel('E-mail')).toHaveValue('semrelatorio@grupopatio.com.br')
  await expect(page.getByLabel('Nome')).toHaveValue('Saulo Souza')
  await fillIn(page, { phone: filled.phone, message: filled.message })
  await send(page)
  await expect(page.getByText('Recebemos sua mensagem de semrelatorio@grupopatio.com.br.')).toBeVisible()
  await expect(page.getByLabel('Sugestão / Mensagem')).toHaveValue('')
  await expect(page.getByLabel('Nome')).toHaveValue('Saulo Souza')
  await expect(page.getByLabel('E-mail')).toHaveValue('semrelatorio@grupopatio.com.br')
  await page.getByRole('link', { name: 'Voltar' }).click()
  await expect(page).toHaveURL(/\/power-bi$/)
})

test.describe(() => {
  test.use({ env: { CONTACT_CAPTCHA: 'true' } })

  test('with CONTACT_CAPTCHA a human check is required', async ({ page }) => {
    await page.goto('/contato')
    await fillIn(page, filled)
    await solveHumanCheck(page)
    const sent = page.waitForRequest((request) => request.url().endsWith('/api/support-messages'))
    await page.getByLabel('Celular').press('Enter')
    expect((await sent).postDataJSON().captcha).toMatch(/./)
    await expect(page.getByText('Mensagem enviada com sucesso!')).toBeVisible()
    // A pass is valid once: the next message needs another.
    await expect(page.locator('altcha-widget').getByText('Verificado')).toHaveCount(0)
    // Sent from within a field, the focus stays in the form.
    await expect(page.getByRole('button', { name: 'Enviar Mensagem' })).toBeFocused()
  })
})
