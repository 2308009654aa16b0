import { expect, openSession, signUp, solveHumanCheck, test, toEmail } from './portal-fixture.ts'
import { SCREEN_STATES } from './screen-states.ts'
import { listLooseTexts } from './translate-page.ts'

test.use({ isTranslated: true })

test('the form of /login stays in use after a wrong password', async ({ page }) => {
  await page.goto('/login')
  await page.locator('h1 font').first().waitFor()
  await page.getByLabel('E-mail').fill(toEmail('vendas.rj'))
  const field = page.getByLabel('Senha', { exact: true })
  await field.fill('Errada-Mas-Longa-1')
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await expect(page.getByRole('form').getByRole('alert')).toContainText('E-mail ou senha não conferem.')
  await expect(page.getByRole('button', { name: 'Entrar', exact: true })).toBeEnabled()
  await field.fill('Outra-Errada-1')
  await expect(field).toHaveValue('Outra-Errada-1')
})

test('a countdown goes on', async ({ page }) => {
  await signUp(page, toEmail('nova.pessoa'), 'Um-Cavalo-Azul-77')
  await page.getByRole('button', { name: 'Reenviar e-mail de verificação' }).click()
  const button = page.getByRole('button', { name: /^Reenviar em \d+s$/ })
  const first = await button.textContent()
  await expect(button).not.toHaveText(first ?? '')
})

const PARTS = 4

for (let part = 0; part < PARTS; part++)
  test(`no screen dies translated, or keeps a text node (${part + 1} of ${PARTS})`, async ({ page }) => {
    test.setTimeout(600_000)
    page.setDefaultTimeout(60_000)
    const loose = new Set<string>()
    for (const { name, as, path, given, ready, act } of SCREEN_STATES.filter((_, n) => n % PARTS === part)) {
      await openSession(page, as ?? 'admin')
      if (!as) await page.evaluate(() => localStorage.clear())
      await given?.(page)
      await page.goto(path)
      await ready(page).waitFor()
      await act?.(page)
      for (const text of await page.evaluate(listLooseTexts)) loose.add(`${name}: ${text}`)
      // Much is drawn differently there.
      for (const width of [390, 1280]) await page.setViewportSize({ width, height: 844 })
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.goto('about:blank')
    }
    expect([...loose]).toEqual([])
  })
