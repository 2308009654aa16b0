import { getEmulatedReport } from '#server/testing/builders.ts'
import { expect, getReportFrame, openAs, PASSWORD, solveHumanCheck, test, toEmail } from './portal-fixture.ts'
import { addReportView, toState } from './report-view-fixture.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

test('a link to a view opens it for others with their own rows, and until it is withdrawn', async ({
  page,
  portal,
}) => {
  const id = await addReportView(portal, 'diretoria')
  await openAs(page, 'vendas.rj', `/power-bi?area=Vendas&visao=${id}`)
  await expect(
    page.getByText('Esta visão não existe mais ou não foi compartilhada com você.', { exact: false }),
  ).toBeVisible()

  await openAs(page, 'diretoria', `/power-bi?area=Vendas&visao=${id}`)
  await expect(page.getByRole('button', { name: 'Visões: GM no RJ' })).toBeVisible()
  await page.getByRole('button', { name: 'Compartilhar', exact: true }).click()
  await expect(page.getByText(/O nome e os valores dos filtros vão junto\.$/)).toBeVisible()
  // The link of a view that is not shared yet opens for nobody else.
  await expect(page.getByLabel('Link')).toHaveCount(0)
  await page.getByRole('button', { name: 'Copiar link' }).click()
  await expect(page.getByText('Link copiado')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toBe(`${portal.url}/power-bi?area=Vendas&visao=${id}`)

  await openAs(page, 'vendas.rj', link)
  const scope = getReportFrame(page, 'Vendas').locator('.scope')
  await expect(scope).toContainText('FIAT, JEEP  ·  RJ')
  await page.getByRole('button', { name: 'Visões: GM no RJ' }).click()
  const theirs = page.getByRole('region', { name: 'Compartilhadas comigo' })
  await expect(theirs.getByRole('button', { name: /^GM no RJ/ })).toContainText('Dirceu Diretor')
  await theirs.getByRole('button', { name: 'Mais ações' }).click()
  await page.getByRole('menuitem', { name: 'Tirar da lista' }).click()
  await expect(theirs).toHaveCount(0)

  await openAs(page, 'diretoria', link)
  await page.getByRole('button', { name: 'Compartilhar', exact: true }).click()
  await page.getByRole('button', { name: 'Deixar de compartilhar' }).click()
  await expect(page.getByText('O link desta visão não abre mais para outras pessoas')).toBeVisible()
  await openAs(page, 'vendas.rj', link)
  await expect(
    page.getByText('Esta visão não existe mais ou não foi compartilhada com você.', { exact: false }),
  ).toBeVisible()
  await expect(scope).toBeVisible()
})

test('what was changed since goes along once it is saved, and a spoilt link is understood', async ({
  page,
}) => {
  await openAs(page, 'diretoria', '/power-bi?area=vendas')
  await expect(page).toHaveURL('/power-bi?area=Vendas')
  await expect(getReportFrame(page, 'Vendas').locator('.scope')).toBeVisible()
  await page.getByRole('button', { name: 'Compartilhar', exact: true }).click()
  await page.getByRole('button', { name: 'Salvar como está agora' }).click()
  await page.getByLabel('Nome da visão').fill('Para a reunião')
  await page.getByRole('button', { name: 'Salvar', exact: true }).click()
  await expect(page.getByText(/O link abre a visão “Para a reunião”/)).toBeVisible()
  await page.getByRole('button', { name: 'Copiar link' }).click()
  await expect(page.getByText('Link copiado')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  await openAs(page, 'vendas.rj', link)
  await expect(page.getByRole('button', { name: 'Visões: Para a reunião' })).toBeVisible()
  await page.goto(link.slice(0, -1))
  await expect(page.getByText('O link está incompleto: peça que seja enviado de novo.')).toBeVisible()
})

test('a shared view that shows nothing says why, and leads to the report as published', async ({
  page,
  portal,
}) => {
  const state = toState({
    page: 'visao-geral',
    filters: [],
    selection: { column: 'Estado', values: ['MG', 'ES'] },
  })
  const id = await addReportView(portal, 'diretoria', { name: 'Minas', state, shared: true })
  await openAs(page, 'vendas.rj', `/power-bi?area=Vendas&visao=${id}`)
  const reason = page.getByText('Esta visão filtra por MG e ES, que não estão no seu acesso')
  await expect(reason).toBeVisible()
  await page.getByRole('button', { name: 'Como foi publicado' }).click()
  await expect(reason).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Visões', exact: true })).toBeVisible()
  await expect(page).not.toHaveURL(/visao/)

  // Where its filters do not tell, the owner's lists do.
  const other = await addReportView(portal, 'diretoria', { shared: true })
  await page.goto(`/power-bi?area=Vendas&visao=${other}`)
  await expect(page.getByText('Quem salvou esta visão vê mais marcas ou estados do que você')).toBeVisible()
  await page.getByRole('tab', { name: 'CRM' }).click()
  await expect(page.getByText('Quem salvou esta visão')).toHaveCount(0)
})

test('an area of the person whose report fails is not called missing, and is tried again', async ({
  page,
}) => {
  const { reportId } = getEmulatedReport('CRM')
  const detail = 'O relatório não existe. Avise o administrador do portal.'
  const refusal = { code: 'power-bi-rejected', detail, requestId: 'r' }
  const json = { type: 'about:blank', title: 'x', status: 502, ...refusal }
  const tokens = '**/api/functions/get-powerbi-token'
  await page.route(tokens, (route) =>
    route.request().postDataJSON().reportId === reportId
      ? route.fulfill({ status: 502, json })
      : route.continue(),
  )
  await openAs(page, 'vendas.rj', '/power-bi?area=CRM')
  const notice = page.getByRole('alert').filter({ hasText: 'O relatório de CRM não abre agora.' })
  await expect(notice).toContainText(detail)
  await expect(page.getByText('não está entre os seus relatórios')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Pedir acesso' })).toHaveCount(0)
  await page.unroute(tokens)
  await notice.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('tab', { selected: true })).toHaveText('CRM')
  await expect(notice).toHaveCount(0)
})

test('an area that the person lacks, or that does not exist, is named', async ({ page }) => {
  await openAs(page, 'vendas.rj', '/power-bi?area=hpd&visao=5f0f8d1e-3a57-4c0f-9d0e-6a1b2c3d4e5f')
  await expect(page.getByText('A área HPD não está entre os seus relatórios.')).toBeVisible()
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Vendas')
  await expect(getReportFrame(page, 'Vendas').locator('.scope')).toBeVisible()
  await expect(page.getByText('Esta visão não existe mais')).toHaveCount(0)
  await page.getByRole('tab', { name: 'CRM' }).click()
  await expect(page.getByText('A área HPD')).toHaveCount(0)

  await page.goto('/power-bi?area=Vendaz')
  await expect(page.getByText('Não existe uma área chamada “Vendaz”. Confira o link.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Pedir acesso' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Fechar', exact: true }).click()
  await expect(page.getByText('Vendaz')).toHaveCount(0)
  await page.goto('/power-bi?area=HPD')
  await page.getByRole('link', { name: 'Pedir acesso' }).click()
  await expect(page.getByRole('checkbox', { name: 'HPD', exact: true })).toBeChecked()
})

test('a link opens after the sign-in, but not for the next person of a browser', async ({ page }) => {
  await page.goto('/pedir-acesso?area=HPD')
  await expect(page).toHaveURL('/login')
  const submitSignIn = async (name: string) => {
    await page.getByLabel('E-mail').fill(toEmail(name))
    await page.getByLabel('Senha', { exact: true }).fill(PASSWORD)
    await solveHumanCheck(page)
    await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  }
  await submitSignIn('vendas.rj')
  await expect(page.getByRole('checkbox', { name: 'HPD', exact: true })).toBeChecked()
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect(page).toHaveURL('/login')

  await page.goto('/power-bi?area=CRM')
  await expect(page).toHaveURL('/login')
  await page.reload()
  await submitSignIn('vendas.rj')
  await expect(page.getByRole('tab', { selected: true })).toHaveText('CRM')
  await expect(page).toHaveURL('/power-bi?area=CRM')

  await page.getByRole('link', { name: 'Minha conta' }).click()
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect(page).toHaveURL('/login')
  await submitSignIn('diretoria')
  await expect(page).toHaveURL('/power-bi')
})
