import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { expectNoSeriousViolations, findSeriousViolations, forEachAppearance } from './axe-findings.ts'
import {
  expect,
  getReportFrame,
  muteChanges,
  openAs,
  signIn,
  solveHumanCheck,
  test,
  toEmail,
} from './portal-fixture.ts'
import { sendMessages } from './support-calls.ts'

test('axe finds no serious violation on /login and /power-bi', async ({ page }) => {
  await page.goto('/login')
  await expect(page.locator('altcha-widget').getByRole('checkbox')).toBeVisible()
  await expectNoSeriousViolations(page)
  await forEachAppearance(page, async () => {
    // On a phone the report has another layout.
    await openAs(page, 'naoverificado')
    await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
    expect(await findSeriousViolations(page)).toEqual([])
  })
})

async function expectClean(page: Page, heading: string) {
  await expect(page.getByRole('heading', { name: heading })).toBeVisible()
  await expectNoSeriousViolations(page)
}

test('axe finds no serious violation on the account screens', async ({ page }) => {
  await page.goto('/signup')
  await page.getByLabel('Senha', { exact: true }).fill('Abc1')
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await expect(page.getByText('Senha deve ter no mínimo 12 caracteres')).toBeVisible()
  await expectClean(page, 'Criar conta')
  await page.getByLabel('E-mail').fill(toEmail('axe'))
  await page.getByLabel('Senha', { exact: true }).fill('Um-Cavalo-Azul-77')
  await page.getByLabel('Confirmar senha').fill('Um-Cavalo-Azul-77')
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await expectClean(page, 'Confirme seu e-mail')

  await page.goto('/forgot-password')
  await page.getByRole('button', { name: 'Enviar link' }).click()
  await expectClean(page, 'Esqueci minha senha')
  await page.goto('/reset-password')
  await expectClean(page, 'O link chegou incompleto')
  await page.goto('/nada-aqui')
  await expectClean(page, 'Oops! Page not found')
  await page.goto('/nao-fui-eu#token_hash=abc')
  await expectClean(page, 'Não foi você?')
  await signIn(page, 'curta', 'curta123')
  await expectClean(page, 'Atualização de Senha Necessária')
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect(page.getByText('Você saiu com sucesso')).toBeVisible()
  await signIn(page, 'semrelatorio', 'not the password')
  await expect(page.getByRole('form').getByRole('alert')).toBeVisible()
  await expectClean(page, 'Entrar')
  await openAs(page, 'semrelatorio', '/profile')
  await expectClean(page, 'Minha Conta')
})

test('axe finds no serious violation on the targets of mail links', async ({ page }) => {
  let state = 'asks-password'
  await page.route('**/api/auth/verify**', (route) =>
    route.fulfill({ json: { email: toEmail('axe'), state } }),
  )
  const followLink = async () => {
    await page.goto('about:blank')
    await page.goto('/auth/callback#token_hash=abc&type=signup')
  }
  await followLink()
  await page.getByLabel('Senha', { exact: true }).fill('Fiat2026')
  await expectClean(page, 'Crie sua senha')
  state = 'too-late'
  await followLink()
  await expectClean(page, 'Peça um novo link')
  await openAs(page, 'semrelatorio')
  await followLink()
  await expectClean(page, 'Este link é de outra conta')
  await page.getByRole('button', { name: 'Sair e confirmar' }).click()
  await expectClean(page, 'Peça um novo link')
})

test('axe finds no serious violation on /contato and /mensagens', async ({ page, demo }) => {
  await page.goto('/contato')
  await page.getByRole('button', { name: 'Enviar Mensagem' }).click()
  await expect(page.getByText('Nome é obrigatório').first()).toBeVisible()
  await expectNoSeriousViolations(page)

  await sendMessages(demo, { message: 'linha\n'.repeat(20) })
  await openAs(page, 'admin', '/mensagens')
  await expect(page.getByRole('button', { name: 'Mostrar tudo' }).first()).toBeVisible()
  await expectNoSeriousViolations(page)
  await page.getByRole('button', { name: 'Excluir' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNoSeriousViolations(page)
  await page.goto('/mensagens?q=nada+disso')
  await expect(page.getByText('Nenhuma mensagem encontrada')).toBeVisible()
  await expectNoSeriousViolations(page)
})

test('axe finds no serious violation in any component', async ({ page }) => {
  // Six popups in four variants each.
  test.setTimeout(180_000)
  await page.goto('/demo/estilo')
  await expect(page.getByRole('heading', { name: 'Estilo' })).toBeVisible()
  await expectNoSeriousViolations(page)
  for (const [role, name, popup] of [
    ['combobox', 'Filtrar por Marca: todas', 'listbox'],
    ['combobox', 'Filtrar por Página: Página 3', 'dialog'],
    ['button', 'Mais ações', 'menu'],
    ['button', 'Janela pequena', 'dialog'],
  ] as const) {
    await page.getByRole(role, { name }).click()
    await expect(page.getByRole(popup)).toBeVisible()
    await expectNoSeriousViolations(page)
    await page.keyboard.press('Escape')
  }
  await expect(page.getByRole('dialog')).toHaveCount(0)
  for (const name of ['Janela', 'Formulário', 'Pergunta', 'Pergunta respondida']) {
    await page.getByRole('button', { name, exact: true }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectNoSeriousViolations(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await page.getByRole('button', { name: 'Mostrar notificações' }).click()
  await expect(page.getByText('Notificação: info')).toBeVisible()
  await forEachAppearance(page, () =>
    // Toasts beyond the visible ones are still scrolling.
    expect.poll(() => findSeriousViolations(page)).toEqual([]),
  )
})

test('forced colors show the selected tab, buttons and the strength of a password', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  const styleOf = (locator: Locator, property: string) =>
    locator.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
  await page.goto('/signup')
  await page.getByLabel('Senha', { exact: true }).fill('Um-Cavalo')
  const fill = page.getByRole('meter').locator('div')
  expect(await styleOf(fill, 'background-color')).not.toBe(
    await styleOf(page.getByRole('meter'), 'background-color'),
  )
  expect(await styleOf(page.getByRole('button', { name: 'Criar conta' }), 'border-top-style')).toBe('solid')
  await openAs(page, 'diretoria')
  const colors = await Promise.all(
    [true, false].map((selected) =>
      styleOf(page.getByRole('tab', { selected }).first(), 'border-bottom-color'),
    ),
  )
  expect(new Set(colors).size).toBe(2)
  await openAs(page, 'admin', '/profile')
  const badge = page.getByRole('link', { name: /^Administração, \d/ }).locator('[data-text]')
  expect(await styleOf(badge, 'color')).not.toBe(await styleOf(badge, 'background-color'))
})

test('at 400 % zoom the report has at least 60 % of the height, whatever stands beside it', async ({
  page,
}) => {
  // The stream has the reports read again, perhaps just when the page closes.
  await muteChanges(page)
  await page.setViewportSize({ width: 360, height: 225 })
  const expectRoom = () =>
    expect
      .poll(async () => {
        const { y, height } = (await page.locator('iframe[title="Vendas"]').boundingBox()) ?? {
          y: 0,
          height: 0,
        }
        return Math.min(y + height, 225) - y
      })
      .toBeGreaterThanOrEqual(0.6 * 225)
  const notices = [{ id: randomUUID(), severity: 'info', text: 'Relatório novo em Vendas.' }]
  await page.route('**/api/notices', (route) => route.fulfill({ json: { items: notices } }))
  await page.route('**/api/reports/me', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), notices } })
  })
  await openAs(page, 'naoverificado', '/power-bi?area=CRM')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await expect(page.getByText('A área CRM não está entre os seus relatórios.')).toBeInViewport()
  await expectRoom()
  await page.getByRole('button', { name: 'Mostrar menu e abas' }).click()
  await expect(page.getByRole('tab', { name: 'Vendas' })).toBeInViewport({ ratio: 1 })
  await expectRoom()
  for (const below of ['Relatório novo em Vendas.', 'Seu e-mail ainda não foi verificado.']) {
    await page.getByText(below).scrollIntoViewIfNeeded()
    await expect(page.getByText(below)).toBeInViewport()
  }
})

test('toasts are at the edge where they cover no field', async ({ page }) => {
  await page.goto('/demo/estilo')
  await page.getByRole('main').evaluate((main) => {
    const field = main.appendChild(document.createElement('input'))
    Object.assign(field.style, { position: 'fixed', bottom: '3rem', right: '3rem' })
    field.ariaLabel = 'No canto'
  })
  await page.getByRole('button', { name: 'Mostrar notificações' }).click()
  await expect(page.getByText('Notificação: info')).toBeVisible()
  // Playwright clicks only what nothing covers, and these stay.
  await page.getByLabel('No canto').click()
})
