import { expect, signIn, test, typeNewPassword } from './portal-fixture.ts'

const NEW_PASSWORD = 'Outra-Senha-Boa-9'

test('a forgotten password is reset by mail, and the new one signs in', { tag: '@translated' }, async ({
  page,
  demo,
}) => {
  const email = 'semrelatorio@grupopatio.com.br'
  await page.goto('/login')
  const field = page.getByLabel('E-mail')
  // Before hydration the link does not carry the address.
  await expect(page.getByRole('button', { name: 'Entrar', exact: true })).toBeEnabled()
  await field.fill(email)
  await page.getByRole('link', { name: 'Esqueci minha senha' }).click()
  await expect(page.getByRole('heading', { name: 'Esqueci minha senha' })).toBeVisible()
  await expect(page).toHaveURL('/forgot-password')
  await expect(field).toHaveValue(email)
  await field.fill('')
  await page.getByRole('button', { name: 'Enviar link' }).click()
  await expect(page.getByRole('alert')).toHaveText('Erro de validaçãoE-mail inválido')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Enviar link' }).click()
  await expect(page.getByRole('heading', { name: 'E-mail enviado' })).toBeVisible()
  await expect(page.getByText(/expira em 1 hora/)).toBeVisible()
  await expect(page.getByText(/spam/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Voltar para o login' })).toBeVisible()

  const { link } = await demo.mail(email, 'recovery')
  await fetch(link as string)
  await page.goto(link as string)
  await expect(page).toHaveURL('/reset-password')
  await expect(page.getByText('Mínimo de 8 caracteres')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('patio.session'))).toBeNull()

  const requirements = page.getByRole('list', { name: 'Requisitos da senha' })
  const met = requirements.getByRole('listitem').filter({ hasText: '(atendido)' })
  await expect(met).toHaveCount(0)
  const submit = page.getByRole('button', { name: 'Redefinir senha' })
  await typeNewPassword(page, 'Curta1!')
  await submit.click()
  await expect(page.getByRole('alert')).toContainText('A senha deve ter no mínimo 8 caracteres')
  await typeNewPassword(page, NEW_PASSWORD, 'outra')
  await submit.click()
  await expect(page.getByRole('alert')).toContainText('As senhas não coincidem')
  await expect(met).toHaveCount(5)
  const meter = page.getByRole('meter', { name: 'Força da senha' })
  const refusal = page.getByText('Será recusada: contém “patio”.')
  // Bar, label, line and toast agree: too few points, then enough with a guessable part.
  for (const [typed, score, isGuessable, listed] of [
    ['hvxtkqm!', 35, 0, ['Mínimo de 8 caracteres', 'Caracteres especiais']],
    ['Patio-2026-Xyz', 39, 1, /./],
  ] as const) {
    await typeNewPassword(page, typed)
    await expect(met).toContainText(listed instanceof RegExp ? Array(5).fill(listed) : [...listed])
    await expect(meter).toHaveAttribute('aria-valuenow', String(score))
    await expect(meter.locator('[data-level]')).toHaveClass(/bg-red-/)
    await expect(page.getByText('Força da senha: Fraca')).toBeVisible()
    await expect(refusal).toHaveCount(isGuessable)
    await submit.click()
    await expect(page.getByRole('alert')).toHaveText('Senha fracaPor favor, escolha uma senha mais forte.')
  }

  // Rejected passwords and a reload in between use nothing up.
  await page.reload()
  await typeNewPassword(page, NEW_PASSWORD)
  const titles = await page.evaluateHandle(() => {
    const seen = new Set<string | null | undefined>()
    const record = () => seen.add(document.querySelector('h1')?.textContent)
    new MutationObserver(record).observe(document.body, { childList: true, subtree: true })
    return seen
  })
  // The page leaves two seconds after the reply.
  const redeemed = page.waitForResponse('**/api/auth/verify')
  await submit.click()
  await redeemed
  await expect(page.getByText('Senha redefinida', { exact: true })).toBeVisible()
  await expect(page).toHaveURL('/reset-password')
  await expect(page).toHaveURL('/login')
  const stored = await page.evaluate(() => ({ ...localStorage }))
  const devices = Object.keys(stored).filter((key) => /^patio\.device\.\w+$/.test(key))
  expect(devices.map((key) => stored[key]?.length)).toEqual([43])
  expect(JSON.stringify(stored)).not.toContain(email)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Entrar')
  await expect(page.getByLabel('E-mail')).toHaveValue(email)
  expect(await titles.evaluate((seen) => [...seen])).not.toContain('Link inválido ou expirado')

  await signIn(page, 'semrelatorio', NEW_PASSWORD)
  await expect(page).toHaveURL(/\/power-bi/)

  await page.goto(link as string)
  await expect(page.getByRole('heading', { name: 'Link inválido ou expirado' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Pedir um novo link' })).toHaveAttribute(
    'href',
    '/forgot-password',
  )
})

test('a link that cannot be checked is kept for a retry, and a mail that cannot be requested is reported', async ({
  page,
}) => {
  await page.route('**/api/auth/verify**', (route) => route.abort())
  await page.goto('/reset-password#token_hash=abc&type=recovery')
  await expect(page.getByText('Não foi possível conferir o link agora.')).toBeVisible()
  await page.unroute('**/api/auth/verify**')
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('heading', { name: 'Link inválido ou expirado' })).toBeVisible()

  await page.route('**/api/auth/recover**', (route) => route.abort())
  await page.goto('/forgot-password')
  await page.getByLabel('E-mail').fill('ana@grupopatio.com.br')
  await page.getByRole('button', { name: 'Enviar link' }).click()
  await expect(page.getByText('Erro ao enviar e-mail')).toBeVisible()
})
