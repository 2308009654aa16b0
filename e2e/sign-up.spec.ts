import type { Locator, Page } from '@playwright/test'
import {
  type Demo,
  expect,
  PASSWORD as SEEDED_PASSWORD,
  signUp,
  solveHumanCheck,
  test,
  toEmail,
} from './portal-fixture.ts'
import { getCard } from './support-calls.ts'

const PASSWORD = 'Um-Cavalo-Azul-77'
const getMailLink = async (demo: Demo, email: string, count = 1) =>
  (await demo.mail(email, 'verification', count)).link as string

test('a person signs up, confirms the mail and waits for approval', { tag: '@translated' }, async ({
  page,
  demo,
}) => {
  const email = 'nova.pessoa@grupopatio.com.br'
  await page.goto('/login')
  await page.getByRole('link', { name: 'Criar conta' }).click()
  await expect(page).toHaveURL('/signup')
  await signUp(page, email, PASSWORD)
  await expect(page).toHaveURL('/email-verification')
  const notice = page.getByRole('main')
  await expect(notice).toContainText(`Enviamos um link de confirmação para ${email}: abra-o em até 1 hora.`)
  expect((await notice.textContent())?.match(/hora/g)).toHaveLength(1)

  await page.getByRole('button', { name: 'Reenviar e-mail de verificação' }).click()
  await expect(page.getByText('E-mail enviado')).toBeVisible()
  await expect(page.getByText('Verifique sua caixa de entrada para confirmar seu cadastro.')).toBeVisible()
  const resting = page.getByRole('button', { name: /^Reenviar em (60|5\d)s$/ })
  await expect(resting).toBeDisabled()
  await expect(resting).toBeFocused()
  await page.reload()
  await expect(resting).toBeDisabled()
  // The address is carried over in both directions.
  await page.getByRole('link', { name: 'Entrar', exact: true }).click()
  await expect(page.getByLabel('E-mail')).toHaveValue(email)
  await page.goBack()
  await page.goBack()
  await expect(page).toHaveURL('/signup')
  await expect(page.getByLabel('E-mail')).toHaveValue(email)

  // A prefetch of the link does not use it up.
  const link = await getMailLink(demo, email, 2)
  await fetch(link)
  await page.goto(link)
  await expect(page.getByText('E-mail verificado!')).toBeVisible()
  await expect(page.getByText('Sua conta foi confirmada com sucesso.')).toBeVisible()
  await expect(page).toHaveURL(/\/power-bi$/)
  await expect(page.getByText(/^Sua conta está pendente de aprovação pelo administrador/)).toBeVisible()

  // A second click, and one in a second tab, show no error.
  const tab = await page.context().newPage()
  for (const again of [page, tab]) {
    await again.goto(link)
    await expect(again.getByText('E-mail verificado!')).toBeVisible()
    await expect(again).toHaveURL(/\/power-bi$/)
  }
  await tab.close()

  // The link is valid once.
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect(page).toHaveURL('/login')
  await page.goto(link)
  await expect(page.getByText('Erro na verificação')).toBeVisible()
  await expect(page).toHaveURL('/login')
  await page.reload()
  const main = page.getByRole('main')
  await expect(main.getByText('Este link já foi usado, venceu ou está incompleto.')).toBeVisible()
  await main.getByRole('link', { name: 'faça o cadastro de novo' }).click()
  await expect(page).toHaveURL('/signup')
})

test('each validation error shows next to its field, and the password’s strength is updated while typing', async ({
  page,
}) => {
  await signUp(page, 'ana@outra.com', 'Curta1!', 'diferente')
  const domain = 'Apenas e-mails @grupopatio.com.br são permitidos'
  await expect(page.getByRole('alert')).toHaveText(domain)
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(
    `${domain} Use seu e-mail @grupopatio.com.br.`,
  )
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await expect(page.getByLabel('Senha', { exact: true })).toHaveAccessibleDescription(
    'Senha deve ter no mínimo 12 caracteres',
  )
  await expect(page.getByLabel('Confirmar senha')).toHaveAccessibleDescription('As senhas não correspondem')

  await page.reload()
  const meter = page.getByRole('meter', { name: 'Força da senha' })
  const bar = meter.locator('[data-level]')
  const requirements = page.getByRole('list', { name: 'Requisitos da senha' }).getByRole('listitem')
  await expect(requirements).toHaveText([
    'Use pelo menos 12 caracteres',
    'Adicione letras maiúsculas',
    'Adicione letras minúsculas',
    'Adicione números',
    'Adicione caracteres especiais',
  ])
  for (const [typed, score, label, color] of [
    ['abc!', 35, 'Fraca', 'red'],
    ['Abc1', 60, 'Média', 'yellow'],
    ['Abc1!', 75, 'Forte', 'blue'],
    ['Um-Cavalo-77', 100, 'Muito forte', 'green'],
  ] as const) {
    await page.getByLabel('Senha', { exact: true }).fill(typed)
    await expect(meter).toHaveAttribute('aria-valuenow', String(score))
    await expect(page.getByText(`${score}/100`)).toBeVisible()
    await expect(page.getByText(`Força da senha: ${label}`)).toBeVisible()
    await expect(bar).toHaveClass(new RegExp(`bg-${color}-`))
  }
  await expect(requirements).toHaveText(Array(5).fill(/ \(atendido\)$/))
  // One column, directly below the bar.
  const boxes = await Promise.all((await requirements.all()).map((each) => each.boundingBox()))
  expect(new Set(boxes.map((box) => box?.x)).size).toBe(1)
  const track = await meter.boundingBox()
  expect((boxes[0]?.y ?? 0) - (track?.y ?? 0)).toBeLessThan(16)

  const guessable = page.getByText(/^Será recusada: /)
  await expect(guessable).toHaveCount(0)
  await page.getByLabel('Senha', { exact: true }).fill('Fiat@2026FIAT')
  await expect(guessable).toHaveText('Será recusada: contém “fiat” e “2026”.')
  // Score and color stay as specified.
  await expect(meter).toHaveAttribute('aria-valuenow', '100')
  await expect(bar).toHaveClass(/bg-green-/)
  await page.getByLabel('E-mail').fill('joana.prado@grupopatio.com.br')
  await page.getByLabel('Senha', { exact: true }).fill('xq-Prado-77-zk')
  await expect(guessable).toHaveText('Será recusada: contém “prado”.')
  await page.getByLabel('Senha', { exact: true }).fill('fiat ')
  await expect(guessable).toHaveText('Será recusada: contém “fiat”. A senha termina com um espaço.')
  const missing = requirements.filter({ hasNotText: '(atendido)' })
  await expect(missing).toHaveText([
    'Use pelo menos 12 caracteres',
    'Adicione letras maiúsculas',
    'Adicione números',
  ])
  await page.getByLabel('Senha', { exact: true }).fill('aA')
  await expect(guessable).toHaveCount(0)
  await expect(missing).toHaveCount(3)
})

test('the server’s error is shown, and the human check restarts', async ({ page }) => {
  await page.goto('/email-verification')
  await expect(page).toHaveURL('/login')
  await page.route('**/api/auth/signup**', (route) => route.abort())
  await signUp(page, 'outra.pessoa@grupopatio.com.br', PASSWORD)
  await expect(page.getByText('Falha ao criar conta. Tente novamente.')).toBeVisible()
  await expect(page.locator('altcha-widget').getByText('Verificado')).toHaveCount(0)
  await page.unroute('**/api/auth/signup**')

  await signUp(page, 'outra.pessoa@grupopatio.com.br', 'Grupopatio-2026!')
  await expect(page.getByRole('alert')).toContainText('Senha rejeitada pelo servidor.')
  await expect(page.getByRole('alert')).toContainText('Fácil de adivinhar: contém “patio”.')
  await expect(page).toHaveURL('/signup')
})

test('a person who did not sign up removes the account', async ({ page, demo }) => {
  const email = 'alguem.mais@grupopatio.com.br'
  await signUp(page, email, PASSWORD)
  await expect(page).toHaveURL('/email-verification')
  const { text } = await demo.mail(email, 'verification')
  const disown = /\S+\/nao-fui-eu#\S+/.exec(text)?.[0] as string
  await page.goto(disown)
  await expect(page).toHaveURL('/nao-fui-eu')
  await page.reload()
  await page.getByRole('button', { name: 'Não fui eu' }).click()
  await expect(page.getByRole('heading', { name: 'Conta removida' })).toBeVisible()
  await page.goto('/login')
  await page.goto(disown)
  await page.getByRole('button', { name: 'Não fui eu' }).click()
  await expect(page.getByRole('heading', { name: 'Link inválido ou expirado' })).toBeVisible()
})

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  const isThere = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; !(await isThere()); presses++) {
    expect(presses, `presses to ${target}`).toBeLessThan(150)
    await page.keyboard.press('Tab')
  }
}

test('sign-up, sign-in, approval and answering a message work by keyboard alone', async ({ page }) => {
  const { keyboard } = page
  const press = async (target: Locator, key = 'Enter') => {
    await tabTo(page, target)
    await keyboard.press(key)
  }
  const typeInto = async (label: string, text: string) => {
    await tabTo(page, page.getByLabel(label, { exact: true }))
    await keyboard.press('Control+A')
    await keyboard.type(text)
  }
  const button = (name: string | RegExp, scope: Page | Locator = page) =>
    scope.getByRole('button', { name, exact: true })
  await page.goto('/signup')
  await typeInto('E-mail', 'so.teclado@grupopatio.com.br')
  await typeInto('Senha', PASSWORD)
  await typeInto('Confirmar senha', PASSWORD)
  await solveHumanCheck(page)
  await press(button('Criar conta'))
  await expect(page).toHaveURL('/email-verification')
  await press(page.getByRole('link', { name: 'Voltar para o login' }))

  await typeInto('E-mail', toEmail('admin'))
  await typeInto('Senha', SEEDED_PASSWORD)
  await solveHumanCheck(page)
  await keyboard.press('Enter')
  await press(page.getByRole('link', { name: /^Administração, \d+ aguardam aprovação$/ }))

  const waiting = page.getByRole('region', { name: 'Aguardando aprovação' }).getByRole('listitem')
  const pending = waiting.filter({ hasText: toEmail('pendente') })
  await press(button('Aprovar', pending))
  const approving = page.getByRole('dialog', { name: 'Aprovar Usuário' })
  for (const name of ['CRM', 'FIAT', 'RJ'])
    await press(approving.getByRole('checkbox', { name, exact: true }), 'Space')
  await press(button('Aprovar', approving))
  await expect(approving).toHaveCount(0)
  await expect(pending).toHaveCount(0)

  // From the top of the page, as after F5.
  await page.reload()
  await press(page.getByRole('link', { name: /^Mensagens, \d+ não lidas$/ }))
  const card = getCard(page, 'Rita Prado')
  await press(card.getByRole('link', { name: 'Responder', exact: true }))
  await expect(card.getByText(/^Respondida por .+, hoje às/)).toBeVisible()
  await press(button('Marcar como não lida', card))
  await expect(card.getByText('Nova')).toBeVisible()
})
