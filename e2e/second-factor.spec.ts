import type { Page } from '@playwright/test'
import { showCode } from '#server/testing/factor-calls.ts'
import { findSeriousViolations } from './axe-findings.ts'
import type { RunningPortal } from './portal.ts'
import { expect, openAs, signIn, solveHumanCheck, test, toEmail } from './portal-fixture.ts'

/** Makes this browser one that the account has long known. */
async function allowEnrolment({ database: { db }, clock }: RunningPortal): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ enrolment_allowed_at: new Date(clock()) })
    .execute()
}

/** Gives the browser an authenticator, as a notebook with a fingerprint reader has. */
async function addAuthenticator(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { client, authenticatorId }
}

const getSetup = (page: Page) => page.getByRole('dialog', { name: 'Configurar a segunda etapa' })

test('an app of codes is set up, asked for at the sign-in, and replaced by a recovery code once', async ({
  page,
  portal,
}) => {
  await openAs(page, 'diretoria', '/profile/seguranca')
  await allowEnrolment(portal)
  await page.getByRole('button', { name: 'Configurar' }).click()
  const setup = getSetup(page)
  expect(await findSeriousViolations(page)).toEqual([])
  await setup.getByRole('button', { name: 'Aplicativo de códigos' }).click()
  await expect(setup.getByRole('img', { name: /Código QR/ })).toBeVisible()
  const secret = ((await setup.locator('p.font-mono').textContent()) ?? '').replaceAll(' ', '')
  expect(await findSeriousViolations(page)).toEqual([])
  const code = setup.getByLabel('Código de 6 números')
  await expect(code).toBeFocused()
  await code.fill('000000')
  await setup.getByRole('button', { name: 'Ativar' }).click()
  await expect(setup.getByText('O código não confere.')).toBeVisible()
  await code.fill(showCode(portal, secret))
  await setup.getByLabel('Nome (opcional)').fill('Celular da diretoria')
  await setup.getByRole('button', { name: 'Ativar' }).click()
  const codes = setup.getByRole('list', { name: 'Códigos de recuperação' }).getByRole('listitem')
  await expect(codes).toHaveCount(10)
  expect(await findSeriousViolations(page)).toEqual([])
  const recovery = (await codes.first().textContent()) ?? ''
  await expect(setup.getByRole('button', { name: 'Concluir' })).toBeDisabled()
  // The codes are shown this once.
  await page.keyboard.press('Escape')
  await setup.getByLabel('Guardei os códigos em lugar seguro').check()
  await setup.getByRole('button', { name: 'Concluir' }).click()
  const list = page.getByRole('list', { name: 'Segunda etapa' })
  await expect(list).toContainText('Celular da diretoria')
  await expect(list).toContainText('Aplicativo de códigos')
  await expect(page.getByText('Códigos de recuperação: restam 10 de 10.')).toBeVisible()

  await page.evaluate(() => localStorage.clear())
  await signIn(page, 'diretoria')
  await expect(page.getByRole('heading', { name: 'Confirme que é você' })).toBeVisible()
  await expect(page).toHaveURL(/\/login/)
  expect(await findSeriousViolations(page)).toEqual([])
  await page.goto('/power-bi')
  await expect(page).toHaveURL(/\/login/)
  await page.getByLabel('Código de 6 números').fill('000000')
  await page.keyboard.press('Enter')
  await expect(page.getByText('O código não confere.')).toBeVisible()
  await page.getByRole('button', { name: 'Usar um código de recuperação' }).click()
  await page.getByLabel('Código de recuperação').fill(recovery.toLowerCase())
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/power-bi/)
  await page.goto('/profile/seguranca')
  await expect(page.getByText('Códigos de recuperação: restam 9 de 10.')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Entradas e tentativas' })).toContainText(
    'Código da segunda etapa errado',
  )
})

test('a passkey is added with its name, signs in by itself, not as a copy, and is removed', async ({
  page,
  portal,
}) => {
  const { client, authenticatorId } = await addAuthenticator(page)
  await openAs(page, 'diretoria', '/profile/seguranca')
  await allowEnrolment(portal)
  await page.getByRole('button', { name: 'Configurar' }).click()
  const setup = getSetup(page)
  await setup.getByRole('button', { name: 'Chave de acesso' }).click()
  await setup.getByLabel('Nome (opcional)').fill('Notebook da diretoria')
  await setup.getByRole('button', { name: 'Criar chave de acesso' }).click()
  await setup.getByLabel('Guardei os códigos em lugar seguro').check()
  await setup.getByRole('button', { name: 'Concluir' }).click()
  const list = page.getByRole('list', { name: 'Segunda etapa' })
  await expect(list).toContainText('Notebook da diretoria')

  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await page.getByRole('button', { name: 'Usar chave de acesso' }).click()
  await expect(page).toHaveURL(/\/power-bi/)

  await page.evaluate(() => localStorage.clear())
  await signIn(page, 'diretoria')
  // The form of the password, which is still there, has such a button too.
  const step = page.getByRole('form', { name: 'Segunda etapa' })
  await step.getByRole('button', { name: 'Usar chave de acesso' }).click()
  await expect(page).toHaveURL(/\/power-bi/)

  const { credentials } = await client.send('WebAuthn.getCredentials', { authenticatorId })
  const [credential] = credentials as [(typeof credentials)[number]]
  const { credentialId } = credential
  /** What a copy of the key made earlier would show. */
  const setCounter = async (signCount: number) => {
    await client.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    await client.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } })
  }
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await setCounter(0)
  await page.getByRole('button', { name: 'Usar chave de acesso' }).click()
  await expect(page.getByText('o contador dela voltou, como acontece com uma cópia')).toBeVisible()
  await setCounter(credential.signCount)
  await page.getByRole('button', { name: 'Usar chave de acesso' }).click()
  await expect(page).toHaveURL(/\/power-bi/)

  portal.advance(11 * 60_000)
  await page.goto('/profile/seguranca')
  await page.getByRole('button', { name: 'Remover Notebook da diretoria' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remover' }).click()
  const question = page.getByRole('dialog', { name: 'Confirme que é você' })
  await question.getByRole('button', { name: 'Usar Notebook da diretoria' }).click()
  await question.getByRole('button', { name: 'Confirmar' }).click()
  await expect(page.getByText('Segunda etapa removida')).toBeVisible()
  await expect(list).toHaveCount(0)
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await page.getByRole('button', { name: 'Usar chave de acesso' }).click()
  await expect(page.getByText('Esta chave de acesso não é de nenhuma conta do portal.')).toBeVisible()
})

test.describe('where the portal requires it at once', () => {
  test.use({ env: { REQUIRE_SECOND_FACTOR: 'everyone', SECOND_FACTOR_GRACE_DAYS: '0' } })

  test('the sign-in leads to setting it up, with the mailed link in a new browser', async ({
    page,
    context,
    portal,
    demo,
  }) => {
    await signIn(page, 'diretoria')
    await expect(page.getByRole('heading', { name: 'Proteja sua conta' })).toBeVisible()
    await page.getByRole('button', { name: 'Aplicativo de códigos' }).click()
    await page.getByRole('button', { name: 'Enviar link por e-mail' }).click()
    await expect(page.getByText('Enviamos um link para o seu e-mail')).toBeVisible()
    const mail = await demo.mail(toEmail('diretoria'), 'factor-link')
    const tab = await context.newPage()
    await tab.goto(mail.link ?? '')
    await tab.getByRole('button', { name: 'Continuar' }).click()
    await expect(tab).toHaveURL(/\/login/)
    await page.getByRole('button', { name: 'Já abri o link' }).click()
    const secret = ((await page.locator('p.font-mono').textContent()) ?? '').replaceAll(' ', '')
    await page.getByLabel('Código de 6 números').fill(showCode(portal, secret))
    await page.getByRole('button', { name: 'Ativar' }).click()
    const codes = page.getByRole('list', { name: 'Códigos de recuperação' }).getByRole('listitem')
    await expect(codes).toHaveCount(10)
    const [before] = await codes.allTextContents()
    // Neither a reload nor another tab leaves the person without codes.
    await page.reload()
    await tab.goto('/power-bi')
    await expect(tab.getByText('Sua segunda etapa já está ativa')).toBeVisible()
    expect(await findSeriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Criar códigos de recuperação' }).click()
    await expect(codes).toHaveCount(10)
    expect(await codes.allTextContents()).not.toContain(before)
    await page.getByLabel('Guardei os códigos em lugar seguro').check()
    await page.getByRole('button', { name: 'Concluir' }).click()
    await expect(page).toHaveURL(/\/power-bi/)
    await expect(tab).toHaveURL(/\/power-bi/)
  })
})

test.describe('where it is required within days', () => {
  test.use({ env: { REQUIRE_SECOND_FACTOR: 'everyone' } })

  test('the sign-in leads to where it is set up, and lets one read first', async ({ page }) => {
    await signIn(page, 'diretoria')
    await expect(page).toHaveURL(/\/profile\/seguranca/)
    await expect(page.getByText(/^Configure até/)).toBeVisible()
    await page.getByRole('link', { name: 'Agora não: ver os relatórios' }).click()
    await expect(page).toHaveURL(/\/power-bi/)
  })
})

test('the forced password change comes after the second step', async ({ page, portal }) => {
  const { db } = portal.database
  const { user_id } = await db
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', toEmail('curta'))
    .executeTakeFirstOrThrow()
  const { addFactor } = await import('#server/testing/builders.ts')
  await addFactor(portal, user_id, 'a secret of 20 bytes')
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(toEmail('curta'))
  await page.getByLabel('Senha', { exact: true }).fill('curta123')
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await page.getByLabel('Código de 6 números').fill(showCode(portal, 'a secret of 20 bytes'))
  await page.getByRole('button', { name: 'Confirmar' }).click()
  await expect(page.getByRole('dialog', { name: 'Atualização de Senha Necessária' })).toBeVisible()
})
