import { getEmulatedReport } from '#server/testing/builders.ts'
import {
  expect,
  getReportFrame,
  muteChanges,
  openAs,
  PASSWORD,
  solveHumanCheck,
  test,
  toEmail,
} from './portal-fixture.ts'
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
  const reason = page
    .getByRole('main')
    .getByText('Esta visão filtra por MG e ES, que não estão no seu acesso')
  await expect(reason).toBeVisible()
  // Above the report for as long as it holds, and over no figures.
  await expect(page.getByRole('region', { name: 'Notificações' }).getByRole('listitem')).toHaveCount(0)
  const [line, frame] = [await reason.boundingBox(), await page.locator('iframe').first().boundingBox()]
  expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThanOrEqual(frame?.y ?? 0)
  await getReportFrame(page, 'Vendas').getByRole('button', { name: 'Limpar seleção: MG, ES' }).click()
  await expect(page.getByRole('button', { name: 'Visões: Minas, alterada' })).toBeVisible()
  await expect(reason).toHaveCount(0)
  await page.reload()
  await expect(reason).toBeVisible()
  await page.getByRole('button', { name: 'Como foi publicado' }).click()
  await expect(reason).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Visões', exact: true })).toBeVisible()
  await expect(page).not.toHaveURL(/visao/)

  // Where its filters do not tell, the owner's lists do.
  const other = await addReportView(portal, 'diretoria', { shared: true })
  await page.goto(`/power-bi?area=Vendas&visao=${other}`)
  const general = page.getByText('Quem salvou esta visão vê mais marcas ou estados do que você')
  await expect(general).toBeVisible()
  await page.getByRole('tab', { name: 'CRM' }).click()
  await expect(general).toHaveCount(0)
  await page.getByRole('tab', { name: 'Vendas' }).click()
  await page.getByRole('button', { name: 'Fechar', exact: true }).click()
  await expect(general).toHaveCount(0)
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

test('who has opened a shared view sees that it is renamed, overwritten or no longer shared', async ({
  page,
  portal,
}) => {
  const id = await addReportView(portal, 'diretoria', { shared: true })
  const change = (values: object) =>
    portal.database.db
      .updateTable('report_views')
      .set({ updated_at: new Date(), ...values })
      .where('id', '=', id)
      .execute()
  const changeOwner = (values: object) =>
    portal.database.db.updateTable('profiles').set(values).where('email', '=', toEmail('diretoria')).execute()
  const views = page.getByRole('button', { name: /^Visões/ })
  const report = getReportFrame(page, 'Vendas')
  const pageName = report.locator('[aria-current="page"]')
  await openAs(page, 'vendas.rj', `/power-bi?area=Vendas&visao=${id}`)
  await expect(views).toHaveAccessibleName('Visões: GM no RJ')
  await expect(pageName).toHaveText('Detalhe por estado')
  await page.getByRole('button', { name: 'Fechar', exact: true }).click()

  await change({ name: 'Rio' })
  await expect(page.getByText('A visão “GM no RJ” agora se chama “Rio”.')).toBeVisible()
  await expect(views).toHaveAccessibleName('Visões: Rio')
  const selection = { column: 'Marca', values: ['FIAT'] }
  await change({ state: toState({ page: 'detalhe-por-estado', filters: [], selection }) })
  const overwritten = page.getByText('Quem compartilhou a visão “Rio” a salvou de novo: a tela mostra')
  await expect(overwritten).toBeVisible()
  await expect(views).toHaveAccessibleName('Visões: Rio, alterada')
  await page.getByRole('button', { name: 'Abrir como está agora' }).click()
  await expect(report.getByRole('button', { name: 'Limpar seleção: FIAT' })).toBeVisible()
  await expect(overwritten).toHaveCount(0)
  await expect(views).toHaveAccessibleName('Visões: Rio')

  const ended = page.getByText('A visão “Rio” não está mais compartilhada com você: o relatório está como')
  for (const [end, again] of [
    [() => change({ shared: false }), () => change({ shared: true })],
    [() => changeOwner({ valid_until: '2026-01-01' }), () => changeOwner({ valid_until: null })],
    [() => changeOwner({ types: ['CRM'] }), () => changeOwner({ types: ['Vendas'] })],
    [() => changeOwner({ approved: false }), () => changeOwner({ approved: true })],
  ] as const) {
    await end()
    await expect(ended).toBeVisible()
    await expect(views).toHaveAccessibleName('Visões')
    await expect(page).toHaveURL('/power-bi?area=Vendas')
    await expect(pageName).toHaveText('Visão geral')
    await views.click()
    const row = page.getByRole('dialog', { name: 'Visões' }).getByRole('button', { name: /^Rio/ })
    await expect(page.getByRole('button', { name: /^Como foi publicado/ })).toHaveAttribute(
      'aria-current',
      'true',
    )
    await expect(row).toHaveCount(0)
    await again()
    await row.click()
    await expect(views).toHaveAccessibleName('Visões: Rio')
    await expect(ended).toHaveCount(0)
    await expect(pageName).toHaveText('Detalhe por estado')
  }
})

test('the row of a view that is gone says so once, above the report', async ({ page, portal }) => {
  const id = await addReportView(portal, 'diretoria', { shared: true })
  await openAs(page, 'vendas.rj', `/power-bi?area=Vendas&visao=${id}`)
  await expect(page.getByRole('button', { name: 'Visões: GM no RJ' })).toBeVisible()
  await muteChanges(page)
  await page.goto('/power-bi?area=Vendas')
  await page.getByRole('button', { name: 'Visões' }).click()
  const row = page.getByRole('button', { name: /^GM no RJ/ })
  await expect(row).toBeVisible()
  await portal.database.db.updateTable('report_views').set({ shared: false }).execute()
  await row.click()
  await expect(page.getByRole('main').getByText('Esta visão não existe mais')).toHaveCount(1)
  await expect(page.getByRole('region', { name: 'Notificações' }).getByRole('listitem')).toHaveCount(0)
  await page.getByRole('button', { name: 'Visões' }).click()
  await expect(row).toHaveCount(0)
})

for (const width of [1440, 1180, 1024, 800, 390])
  test(`at ${width} px a changed view is marked in button, panels and header`, async ({ page, portal }) => {
    const { db } = portal.database
    const { reportId, workspaceId, datasetId } = getEmulatedReport('Gerentes')
    const further = {
      workspace_id: workspaceId,
      report_id: reportId,
      dataset_id: datasetId,
      report_url: null,
    }
    await db
      .insertInto('further_reports')
      .values({ type: 'vendas', name: 'Metas', position: 1, embed_mode: 'service_principal', ...further })
      .execute()
    await page.setViewportSize({ width, height: 844 })
    const id = await addReportView(portal, 'diretoria', { name: 'Minhas vendas da FIAT no Rio de Janeiro' })
    await openAs(page, 'diretoria', `/power-bi?area=Vendas&visao=${id}`)
    const views = page.getByRole('button', { name: /^Visões: Minhas vendas/ })
    await expect(views).toBeVisible()
    const marks = page.locator('[data-changed]')
    await expect(getReportFrame(page, 'Vendas').locator('.scope')).toHaveText(/· +RJ$/)
    await expect(marks).toHaveCount(0)
    const before = await page.getByRole('tab', { name: 'Vendas' }).boundingBox()
    await getReportFrame(page, 'Vendas')
      .getByRole('group', { name: 'Estado' })
      .getByRole('button', { name: 'RJ' })
      .press('Enter')
    await expect(views).toHaveAccessibleName(/, alterada$/)
    await expect(marks).toHaveCount(width < 640 ? 2 : 1)
    for (const mark of await marks.all()) await expect(mark).toBeInViewport({ ratio: 1 })
    if (width < 640) await expect(page.getByRole('banner')).toContainText('alterada')
    expect(await page.getByRole('tab', { name: 'Vendas' }).boundingBox()).toEqual(before)
    await views.click()
    const panel = page.getByRole('dialog', { name: 'Visões' })
    await expect(panel.locator('[data-changed]')).toBeInViewport({ ratio: 1 })
    await expect(panel.getByText('alterada')).toBeInViewport({ ratio: 1 })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: width < 1024 ? 'Ações do relatório' : 'Compartilhar' }).click()
    const share = page.getByRole('dialog', { name: /^(Compartilhar|Ações do relatório)$/ })
    await expect(share.locator('[data-changed]')).toBeVisible()
    await expect(share).toContainText('Alterada: o que você mudou na tela desde então não vai junto.')
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
