import { expect, openAs, reportOf, signIn, solveHumanCheck, test } from './portal-fixture.ts'
import { seriousFindings } from './serious-findings.ts'

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1440, 390])
    test(`axe finds nothing serious on /login and /power-bi (${colorScheme}, ${width} px)`, async ({
      page,
    }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 844 })
      await page.goto('/login')
      await expect(page.locator('altcha-widget').getByRole('checkbox')).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
      await openAs(page, 'naoverificado')
      await expect(reportOf(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
    })

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1440, 390])
    test(`axe finds nothing serious on the account screens (${colorScheme}, ${width} px)`, async ({
      page,
    }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 844 })
      const expectClean = async (heading: string) => {
        await expect(page.getByRole('heading', { name: heading })).toBeVisible()
        expect(await seriousFindings(page)).toEqual([])
      }
      await page.goto('/signup')
      await page.getByLabel('Senha', { exact: true }).fill('Abc1')
      await solveHumanCheck(page)
      await page.getByRole('button', { name: 'Criar conta' }).click()
      await expect(page.getByText('Senha deve ter no mínimo 12 caracteres')).toBeVisible()
      await expectClean('Criar conta')
      const email = `axe-${colorScheme}-${width}@grupopatio.com.br`
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Senha', { exact: true }).fill('Um-Cavalo-Azul-77')
      await page.getByLabel('Confirmar senha').fill('Um-Cavalo-Azul-77')
      await page.getByRole('button', { name: 'Criar conta' }).click()
      await expectClean('Confirme seu e-mail')

      await page.goto('/forgot-password')
      await page.getByRole('button', { name: 'Enviar link' }).click()
      await expectClean('Esqueci minha senha')
      await page.goto('/reset-password')
      await expectClean('Link inválido ou expirado')
      await page.goto('/nada-aqui')
      await expectClean('Oops! Page not found')
      let state = 'asks-password'
      await page.route('**/api/auth/verify**', (route) => route.fulfill({ json: { email, state } }))
      const followLink = async () => {
        await page.goto('about:blank')
        await page.goto('/auth/callback#token_hash=abc&type=signup')
      }
      await followLink()
      await page.getByLabel('Senha', { exact: true }).fill('Fiat2026')
      await expectClean('Crie sua senha')
      state = 'too-late'
      await followLink()
      await expectClean('Peça um novo link')
      await openAs(page, 'semrelatorio')
      await followLink()
      await expectClean('Este link é de outra conta')
      await page.getByRole('button', { name: 'Sair e confirmar' }).click()
      await expectClean('Peça um novo link')
      await page.unroute('**/api/auth/verify**')
      await page.goto('/nao-fui-eu#token_hash=abc')
      await expectClean('Não foi você?')
      await signIn(page, 'curta', 'curta123')
      await expectClean('Atualização de Senha Necessária')
      await page.getByRole('button', { name: 'Sair' }).click()
      await expect(page.getByText('Você saiu com sucesso')).toBeVisible()
      await signIn(page, 'semrelatorio', 'not the password')
      await expect(page.getByRole('form').getByRole('alert')).toBeVisible()
      await expectClean('Entrar')
      await openAs(page, 'semrelatorio')
      await page.getByRole('link', { name: 'Minha conta' }).click()
      await expectClean('Minha Conta')
    })

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1440, 390])
    test(`axe finds nothing serious in any component (${colorScheme}, ${width} px)`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 844 })
      await page.goto('/demo/estilo')
      await expect(page.getByRole('heading', { name: 'Estilo' })).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
      for (const name of ['Filtrar por Página: Página 3', 'Mais ações']) {
        await page.getByRole('button', { name }).click()
        await expect(page.getByRole(name === 'Mais ações' ? 'menu' : 'dialog')).toBeVisible()
        expect(await seriousFindings(page)).toEqual([])
        await page.keyboard.press('Escape')
      }
      for (const name of ['Janela', 'Pergunta', 'Pergunta respondida']) {
        await page.getByRole('button', { name, exact: true }).click()
        await expect(page.getByRole('dialog')).toBeVisible()
        expect(await seriousFindings(page)).toEqual([])
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog')).toHaveCount(0)
      }
      await page.getByRole('button', { name: 'Mostrar notificações' }).click()
      await expect(page.getByText('Notificação: info')).toBeVisible()
      // Those that have no room are still being scrolled away.
      await expect.poll(() => seriousFindings(page)).toEqual([])
    })
