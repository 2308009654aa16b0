import type { Page } from '@playwright/test'
import { ageAuthentication } from '#server/testing/builders.ts'
import { findSeriousViolations } from './axe-findings.ts'
import type { RunningPortal } from './portal.ts'
import { expect, openSession, PASSWORD, test, typeNewPassword } from './portal-fixture.ts'

const MINUTE = 60_000

/** Opens a screen in a session whose last password is older. */
async function openAged(page: Page, portal: RunningPortal, name: string, path: string, ageMs: number) {
  const token = await ageAuthentication(portal, await openSession(page, name), ageMs)
  await page.evaluate((access_token) => {
    const session = JSON.parse(localStorage.getItem('patio.session') as string)
    localStorage.setItem('patio.session', JSON.stringify({ ...session, access_token }))
  }, token)
  await page.goto(path)
}

const getQuestion = (page: Page) => page.getByRole('dialog', { name: 'Confirme que é você' })

test('the password is asked for over a form, which keeps what was typed', async ({ page, portal }) => {
  await openAged(page, portal, 'naoverificado', '/profile', 11 * MINUTE)
  const question = getQuestion(page)
  const submit = page.getByRole('button', { name: 'Alterar Senha' })
  await typeNewPassword(page, 'Cavalo-Verde-88')
  await submit.click()
  const field = question.getByLabel('Sua senha', { exact: true })
  await expect(field).toBeFocused()
  expect(await findSeriousViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  await expect(page.getByText('Nada foi feito: confirme sua senha para continuar.').first()).toBeVisible()
  await expect(page.getByLabel('Nova senha', { exact: true })).toHaveValue('Cavalo-Verde-88')
  await expect(submit).toBeFocused()

  await submit.click()
  await question.getByRole('button', { name: 'Confirmar' }).click()
  await expect(question.getByText('Digite sua senha')).toBeVisible()
  await field.fill('outra-senha')
  await page.keyboard.press('Enter')
  await expect(question.getByText('Senha incorreta. Confira e tente novamente.')).toBeVisible()
  await field.fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Senha alterada com sucesso!')).toBeVisible()
  await expect(question).toHaveCount(0)
})

test('one answer counts in every tab, also after a reload, and over another dialog', async ({
  page,
  context,
  portal,
}) => {
  await openAged(page, portal, 'admin', '/admin?q=pendente', 180 * MINUTE)
  await page.getByRole('checkbox', { name: 'Selecionar pendente@grupopatio.com.br' }).check()
  await page.getByRole('button', { name: 'Excluir Selecionados (1)' }).click()
  const deletion = page.getByRole('dialog', { name: 'Confirmar Exclusão' })
  await deletion.getByRole('button', { name: /^Excluir 1/ }).click()
  const question = getQuestion(page)
  await expect(question.getByLabel('Sua senha', { exact: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  await expect(deletion).toBeVisible()
  // It says what for and whom, and Back takes it along.
  await page.evaluate(() => history.pushState(history.state, '', location.href))
  await deletion.getByRole('button', { name: /^Excluir 1/ }).click()
  await expect(question).toContainText('Confirmar Exclusão')
  await page.goBack()
  await expect(question).toHaveCount(0)
  await expect(deletion).toBeVisible()
  await deletion.getByRole('button', { name: /^Excluir 1/ }).click()
  await question.getByLabel('Sua senha', { exact: true }).fill(PASSWORD)
  await question.getByRole('button', { name: 'Confirmar' }).click()
  await expect(page.getByText('1 usuário(s) excluído(s) com sucesso')).toBeVisible()

  const tab = await context.newPage()
  await tab.goto('/profile')
  await typeNewPassword(tab, 'Cavalo-Verde-88')
  await tab.getByRole('button', { name: 'Alterar Senha' }).click()
  await expect(tab.getByText('Senha alterada com sucesso!')).toBeVisible()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

  test('the question fits, and a tap beside it keeps what was typed', async ({ page, portal }) => {
    await openAged(page, portal, 'naoverificado', '/profile', 11 * MINUTE)
    await typeNewPassword(page, 'Cavalo-Verde-88')
    await page.getByRole('button', { name: 'Alterar Senha' }).tap()
    const question = getQuestion(page)
    const field = question.getByLabel('Sua senha', { exact: true })
    await field.fill(PASSWORD)
    await page.touchscreen.tap(195, 20)
    await expect(field).toHaveValue(PASSWORD)
    const { x = 0, width = 0 } = (await question.boundingBox()) ?? {}
    expect([x >= 8, x + width <= 382]).toEqual([true, true])
    for (const button of await question.getByRole('button').all())
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(40)
    await question.getByRole('button', { name: 'Confirmar' }).tap()
    await expect(page.getByText('Senha alterada com sucesso!')).toBeVisible()
  })
})

test('whoever has no password confirms with Microsoft in another window, as the same person', async ({
  page,
  portal,
}) => {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Entrar com Microsoft' }).click()
  await page.getByRole('button', { name: /^novata@/ }).click()
  await expect(page).not.toHaveURL(/login|callback|directory/)
  const token = await page.evaluate(
    () => JSON.parse(localStorage.getItem('patio.session') ?? '').access_token,
  )
  const aged = await ageAuthentication(portal, token, 11 * MINUTE)
  await page.evaluate((access_token) => {
    const session = JSON.parse(localStorage.getItem('patio.session') as string)
    localStorage.setItem('patio.session', JSON.stringify({ ...session, access_token }))
  }, aged)
  await page.goto('/profile')
  await typeNewPassword(page, 'Cavalo-Verde-88')
  await page.getByRole('button', { name: 'Alterar Senha' }).click()
  const question = getQuestion(page)
  const confirm = question.getByRole('button', { name: 'Confirmar com Microsoft' })
  await expect(question.getByText('A Microsoft abre em outra janela')).toBeVisible()
  expect(await findSeriousViolations(page)).toEqual([])
  const goTo = async (account: RegExp) => {
    const opened = page.waitForEvent('popup')
    await confirm.click()
    const window = await opened
    await window.getByRole('button', { name: account }).click()
    return window
  }
  const wrong = await goTo(/^vendas\.rj@/)
  await expect(wrong.getByText('Você entrou na Microsoft com outra conta')).toBeVisible()
  await wrong.close()
  await expect(question.getByText('Entre na Microsoft na janela que se abriu')).toBeVisible()
  await goTo(/^novata@/)
  await expect(question).toHaveCount(0)
  await expect(page.getByText('Senha alterada com sucesso!')).toBeVisible()
})
