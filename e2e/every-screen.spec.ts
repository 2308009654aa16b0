import type { Page } from '@playwright/test'
import { pressInMenu } from './administration.ts'
import {
  test as base,
  expect,
  openAs,
  openSession,
  reportOf,
  signIn,
  solveHumanCheck,
  typeNewPassword,
} from './portal-fixture.ts'
import { SCREEN_STATES } from './screen-states.ts'
import { breakPolicy, watchViolations } from './watch-violations.ts'

// Every screen, dialog and report under the portal's policies. It signs people up and uses their links.
const test = base.extend<{ violations: string[] }>({
  // Seen by every test, whether or not it names it.
  violations: [
    async ({ page }, use) => {
      const violations = await watchViolations(page)
      await use(violations)
      expect(violations).toEqual([])
    },
    { auto: true },
  ],
})
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first()
const dialogOf = (page: Page) => page.getByRole('dialog')

async function openAsAdmin(page: Page, path: string): Promise<void> {
  await openAs(page, 'admin')
  if (path !== '/power-bi') await page.goto(path)
}
/** Opens a dialog, waits for a text in it, and closes it by Escape. */
async function lookInto(page: Page, button: string, text: string | RegExp, isInMenu = false): Promise<void> {
  if (isInMenu) await pressInMenu(page, button)
  else await page.getByRole('button', { name: button, exact: true }).first().click()
  await expect(dialogOf(page).getByText(text).first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialogOf(page)).toHaveCount(0)
}

test('the watch sees what breaks the policy', async ({ browser, demo }) => {
  const page = await (await browser.newContext()).newPage()
  const violations = await watchViolations(page)
  await page.goto(`${demo.url}/login`)
  await breakPolicy(page)
  const seen = expect.poll(() => violations.join('\n'))
  await seen.toContain('enforce: img-src https://elsewhere.example/x.png at ')
  await seen.toContain('report: require-trusted-types-for ')
  expect(violations.join('\n')).toContain('console at ')
  await page.context().close()
})

test('/signup, /email-verification, /auth/callback', async ({ page, demo }) => {
  const email = 'toda.tela@grupopatio.com.br'
  await page.goto('/signup')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Senha', { exact: true }).fill('Um-Cavalo-Azul-77')
  await page.getByLabel('Confirmar senha').fill('Um-Cavalo-Azul-77')
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await expect(page).toHaveURL('/email-verification')
  await expect(heading(page, 'Confirme seu e-mail')).toBeVisible()
  await page.goto('/auth/callback#token_hash=abc&type=signup')
  await expect(page.getByText('Erro na verificação')).toBeVisible()
  const { link } = await demo.mail(email, 'verification')
  await page.goto(link as string)
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByText(/aprovação/).first()).toBeVisible()
})

test('/login, /forgot-password, /reset-password, /nao-fui-eu, a page that is not there', async ({
  page,
  demo,
}) => {
  const email = 'vendas.rj@grupopatio.com.br'
  await page.goto('/login')
  await expect(page.locator('altcha-widget').getByRole('checkbox')).toBeVisible()
  await page.goto('/forgot-password')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Enviar link' }).click()
  await expect(heading(page, 'E-mail enviado')).toBeVisible()
  await page.goto('/reset-password')
  await expect(heading(page, 'Link inválido ou expirado')).toBeVisible()
  await page.goto((await demo.mail(email, 'recovery')).link as string)
  await typeNewPassword(page, 'Outra-Senha-Boa-9')
  await page.getByRole('button', { name: 'Redefinir senha' }).click()
  await expect(page).toHaveURL('/login')
  await page.goto('/nao-fui-eu#token_hash=abc')
  await page.getByRole('main').getByRole('button').first().click()
  await expect(heading(page, 'Link inválido ou expirado')).toBeVisible()
  for (const path of ['/nada-aqui', '/admin/nada-aqui']) {
    await page.goto(path)
    await expect(heading(page, 'Oops! Page not found')).toBeVisible()
    await expect(page).toHaveTitle(/^Página não encontrada · /)
  }
})

test('/login of somebody who owes a new password', async ({ page }) => {
  await signIn(page, 'curta', 'curta123')
  await expect(heading(page, 'Atualização de Senha Necessária')).toBeVisible()
})

test('/power-bi with every report open, also through SSO, and /profile', async ({ page }) => {
  await openAsAdmin(page, '/power-bi')
  await expect(page.getByRole('tab', { name: 'Operadores' })).toBeVisible()
  const areas = await page.getByRole('tab').allTextContents()
  expect(areas.join()).toMatch(/Vendas.*Operadores/)
  for (const name of areas) {
    await page.getByRole('tab', { name, exact: true }).click()
    await expect(reportOf(page, name).locator('[data-card]').first()).toBeVisible({ timeout: 20_000 })
  }
  await page.goto('/profile')
  await expect(heading(page, 'Minha Conta')).toBeVisible()
  await page.getByRole('button', { name: /Alterar [Ss]enha/ }).click()
  await expect(page.getByLabel('Confirmar nova senha')).toBeVisible()
})

test('/admin with each of its dialogs', async ({ page }) => {
  await openAsAdmin(page, '/admin?q=diretoria')
  const dialog = dialogOf(page)
  await lookInto(page, 'Gerenciar Tipos de Acesso', 'Operadores', true)
  await lookInto(page, 'Gerenciar Marcas e Estados', 'HONDA', true)
  await lookInto(page, 'Corrigir nome', 'Nome', true)
  await lookInto(page, 'Histórico', /\w/, true)
  await lookInto(page, 'Remover', 'tela de aprovação pendente')
  await page.getByRole('row').getByRole('checkbox').last().check()
  await lookInto(page, 'Alterar Filtros em Massa (1)', 'Marcas')
  await lookInto(page, 'Excluir Selecionados (1)', 'Esta ação não pode ser desfeita')

  await page.goto('/admin?status=pending&verified=no')
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).first().click()
  await expect(dialog.getByText('E-mail não verificado').first()).toBeVisible()
  await dialog.getByRole('button', { name: 'Continuar mesmo assim' }).click()
  await expect(dialog.getByText('HONDA')).toBeVisible()

  await page.goto('/admin/listas')
  await lookInto(page, 'Renomear: Vendas', 'O novo nome passa a valer em toda parte')

  await page.goto('/admin/modelos')
  await lookInto(page, 'Novo modelo', 'Igual a um colega')

  await page.goto('/admin/revisoes')
  await page.getByRole('button', { name: 'Revisar: Marca FIAT' }).click()
  await expect(page.getByRole('button', { name: 'Concluir revisão' })).toBeVisible()

  await page.goto('/admin/convites')
  await page.getByLabel('E-mails').fill('alguem@gmail.com')
  await page.getByRole('button', { name: 'Conferir' }).click()
  await expect(page.getByText('Com erro (1)')).toBeVisible()

  await page.goto('/admin?area=Vendas')
  await page.getByRole('button', { name: 'Testar relatório' }).click()
  await expect(page.getByText(/^Tudo certo: o relatório/)).toBeVisible({ timeout: 10_000 })
  await page.getByRole('tabpanel').getByLabel('Dataset ID (opcional)').fill('x')
  await page.getByRole('link', { name: 'Relatórios' }).first().click()
  await expect(page.getByRole('dialog', { name: 'Sair sem salvar?' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.goto('/admin?area=CRM')
  await page.getByRole('tabpanel').getByRole('radio', { name: 'Nenhum' }).check()
  await page.getByRole('button', { name: 'Salvar Configurações' }).click()
  await expect(page.getByRole('dialog', { name: 'Remover o relatório de CRM?' })).toBeVisible()
})

test('/contato and /mensagens', async ({ page }) => {
  await page.goto('/contato')
  await page.getByLabel('Nome').fill('Rita')
  await page.getByLabel('E-mail').fill('rita@exemplo.com.br')
  await page.getByLabel('Celular').fill('21987654321')
  await page.getByLabel('Sugestão / Mensagem').fill('Olá')
  await page.getByRole('button', { name: 'Enviar Mensagem' }).click()
  await expect(page.getByText('Mensagem enviada com sucesso!')).toBeVisible({ timeout: 15_000 })
  await openAsAdmin(page, '/mensagens')
  await expect(page.getByRole('article').filter({ hasText: 'rita@exemplo.com.br' })).toBeVisible()
  await lookInto(page, 'Excluir', /\w/)
})

/** Runs in the page: adds up how far things moved that nobody had touched, and remembers which. */
function watchShifts(): void {
  const shifts: string[] = []
  Object.assign(window, { shifts })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
      sources: { node: Node | null }[]
    })[]) {
      // Notices lie over the page and grow upwards.
      const moved = entry.sources.flatMap(({ node }) =>
        node instanceof Element && !node.closest('[aria-live]') ? node.outerHTML.slice(0, 90) : [],
      )
      // A font that comes late moves a line by a hair.
      if (entry.value >= 0.001 && !entry.hadRecentInput && moved.length > 0)
        shifts.push(`${entry.value.toFixed(4)} ${moved}`)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Runs in the page: what is pressed and shows no words, and none on hover and focus either. */
function findNamelessIcons(): string[] {
  const showsWords = (element: Element) =>
    [...element.querySelectorAll('*'), element].some(
      (part) =>
        [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) &&
        part.getBoundingClientRect().width > 1,
    )
  return [...document.querySelectorAll('button, a[href], [role="button"]')]
    .filter((element) => element.checkVisibility() && !showsWords(element) && !element.closest('.tooltip'))
    .map((element) => element.outerHTML.slice(0, 120))
}

for (const width of [1440, 390])
  test(`nothing moves while a screen loads, and no icon is without a name (${width} px)`, async ({
    page,
  }) => {
    test.setTimeout(240_000)
    await page.setViewportSize({ width, height: 844 })
    await page.addInitScript(watchShifts)
    for (const { name, as, path, given, ready } of SCREEN_STATES.filter(({ act }) => !act)) {
      if (as) await openSession(page, as)
      await given?.(page)
      await page.goto(path)
      await expect(ready(page)).toBeVisible()
      const shifts = await page.evaluate(async () => {
        await document.fonts.ready
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
        return (window as unknown as { shifts: string[] }).shifts
      })
      expect.soft(shifts, name).toEqual([])
      expect.soft(await page.evaluate(findNamelessIcons), name).toEqual([])
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })
