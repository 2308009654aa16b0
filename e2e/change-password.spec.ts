import type { Page } from '@playwright/test'
import { expect, openAs, signIn, test, typeNewPassword } from './portal-fixture.ts'

/** The bar follows the score to the letter; a line says that the server will refuse. */
async function expectGreenThoughRefused(page: Page) {
  await expect(page.getByText('100/100')).toBeVisible()
  await expect(page.getByRole('meter').locator('[data-level]')).toHaveClass(/bg-green-/)
  await expect(page.getByText('Será recusada: contém “patio”.')).toBeVisible()
  const requirements = page.getByRole('list', { name: 'Requisitos da senha' })
  await expect(requirements.getByText('(atendido)')).toHaveCount(5)
}

test('a password that is too short must be changed before anything else', { tag: '@translated' }, async ({
  page,
}) => {
  await signIn(page, 'curta', 'curta123')
  const dialog = page.getByRole('dialog', { name: 'Atualização de Senha Necessária' })
  const submit = dialog.getByRole('button', { name: 'Atualizar senha' })
  await expect(dialog).toBeVisible()
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 5),
    () => page.reload(),
    () => page.goto('/power-bi'),
  ]) {
    await leave()
    await expect(dialog).toBeVisible()
  }

  await typeNewPassword(page, 'curta', 'outra')
  await submit.click()
  await expect(dialog.getByText('A senha deve ter no mínimo 12 caracteres')).toBeVisible()
  await expect(dialog.getByText('As senhas não coincidem')).toBeVisible()

  // A rule of the server only: the password contains the group's name.
  await typeNewPassword(page, 'Grupopatio-2026!')
  await expectGreenThoughRefused(page)
  await submit.click()
  await expect(dialog.getByText(/^Senha rejeitada pelo servidor\./)).toBeVisible()

  await page.route('**/api/functions/change-password', (route) => route.abort())
  await typeNewPassword(page, 'Bem-Mais-Longa-41')
  await submit.click()
  await expect(page.getByText('Erro ao atualizar senha')).toBeVisible()
  await page.unroute('**/api/functions/change-password')

  await submit.click()
  await expect(page.getByText('Senha atualizada com sucesso!')).toBeVisible()
  await expect(page).toHaveURL(/\/power-bi/)
  await page.reload()
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(dialog).toHaveCount(0)
})

test('a password change on the profile ends other sessions', { tag: '@translated' }, async ({
  page,
  browser,
  demo,
  baseURL,
}) => {
  const email = 'semrelatorio@grupopatio.com.br'
  await page.goto('/profile')
  await expect(page).toHaveURL('/login')
  const elsewhere = await (await browser.newContext({ baseURL: baseURL as string })).newPage()
  await openAs(elsewhere, 'semrelatorio')

  await openAs(page, 'semrelatorio')
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await expect(page).toHaveURL('/profile')
  await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
  const account = page.getByRole('main').locator('dl')
  await expect(account).toContainText(email)
  await expect(account).toContainText('O e-mail não pode ser alterado.')

  const submit = page.getByRole('button', { name: 'Alterar Senha' })
  await typeNewPassword(page, 'Grupopatio-2026!')
  await expectGreenThoughRefused(page)
  await typeNewPassword(page, 'Curta-1!')
  await submit.click()
  await expect(page.getByRole('alert')).toHaveText('A nova senha deve ter pelo menos 12 caracteres')
  await typeNewPassword(page, 'Cavalo-Verde-88', 'outra')
  await submit.click()
  await expect(page.getByRole('alert')).toHaveText('As senhas não coincidem')
  await typeNewPassword(page, 'Cavalo-Verde-88')
  await submit.click()
  await expect(page.getByText('Senha alterada com sucesso!')).toBeVisible()
  await expect(page.getByLabel('Nova senha', { exact: true })).toHaveValue('')
  await expect(page.getByLabel('Confirmar nova senha')).toHaveValue('')
  await page.reload()
  await expect(account).toContainText(email)
  await typeNewPassword(page, 'Cavalo-Verde-88')
  await submit.click()
  await expect(page.getByRole('alert')).toHaveText('A nova senha não pode ser igual às últimas 5 senhas.')

  await elsewhere.reload()
  await expect(elsewhere).toHaveURL('/login')
  await elsewhere.context().close()

  const { link, text } = await demo.mail(email, 'password-changed')
  await page.goto(link ?? (/\S+\/nao-fui-eu#\S+/.exec(text)?.[0] as string))
  await page.getByRole('button', { name: 'Não fui eu' }).click()
  await expect(page.getByRole('heading', { name: 'Sessões encerradas' })).toBeVisible()
  await demo.mail(email, 'recovery')
  await page.goto('/power-bi')
  await expect(page).toHaveURL('/login')
})
