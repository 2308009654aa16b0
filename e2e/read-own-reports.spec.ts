import { reportMessages } from '#contract/messages.ts'
import { ESTADOS, MARCAS } from '#contract/seeded-catalogue.ts'
import { expect, getReportFrame, muteChanges, openAs, test } from './portal-fixture.ts'

test('a salesperson in RJ sees their two areas with their own figures only', async ({ page, demo }) => {
  await openAs(page, 'vendas.rj')
  await expect(page.getByRole('tab')).toHaveText(['Vendas', 'CRM'])

  for (const area of ['Vendas', 'CRM']) {
    await page.getByRole('tab', { name: area }).click()
    const report = getReportFrame(page, area)
    const expected = await demo.data(`area=${area}&marcas=FIAT,JEEP&estados=RJ`)
    for (const card of expected.cards)
      await expect(report.locator(`[data-card="${card.id}"] [data-value]`)).toHaveText(card.formatted)

    const text = await report.locator('body').textContent()
    for (const marca of MARCAS.filter((name) => !['FIAT', 'JEEP'].includes(name)))
      expect(text).not.toMatch(new RegExp(`\\b${marca}\\b`))
    await report
      .getByRole('button', { name: /estado/i })
      .first()
      .click()
    await expect(report.getByText('RJ').first()).toBeVisible()
    const byState = await report.locator('body').textContent()
    for (const estado of ESTADOS.filter((name) => name !== 'RJ'))
      expect(byState).not.toMatch(new RegExp(`\\b${estado}\\b`))
  }
})

test('the board sees its seven configured areas in the catalogue’s order', { tag: '@translated' }, async ({
  page,
}) => {
  await openAs(page, 'diretoria')
  await expect(page.getByRole('tab')).toHaveText([
    'Vendas',
    'Oficina',
    'HPD',
    'CRM',
    'Marketing',
    'Gerentes',
    'Operadores',
  ])
  await expect(page.getByRole('tab', { name: 'Vendas' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Operadores' }).click()
  await expect(getReportFrame(page, 'Operadores').locator('[data-card]').first()).toBeVisible()
  await expect(page.getByRole('link', { name: 'Abrir no Power BI' })).toBeVisible()
  // As configured in the report's URL.
  await expect(getReportFrame(page, 'Operadores').getByRole('button', { name: 'Filtros' })).toHaveCount(0)
})

test('a waiting person sees the status, can refresh it, and gets the reports without a reload', {
  tag: '@translated',
}, async ({ page, portal }) => {
  const set = (change: { approved?: boolean; email_verified_at?: Date | null; types?: string[] }) =>
    portal.database.db
      .updateTable('profiles')
      .set({ marcas: ['FIAT'], estados: ['RJ'], ...change })
      .where('email', '=', 'pendente@grupopatio.com.br')
      .execute()
  await set({ email_verified_at: null, types: ['Vendas'] })
  await openAs(page, 'pendente')
  await expect(
    page.getByText(
      'Sua conta está pendente de aprovação pelo administrador. Você receberá acesso assim que for aprovado.',
    ),
  ).toBeVisible()
  await expect(page.getByRole('tab')).toHaveCount(0)
  await expect(page.getByText('Avisaremos por e-mail quando a conta for aprovada')).toBeVisible()
  const steps = page.getByRole('list', { name: 'Passos até o acesso' }).getByRole('listitem')
  await expect(steps).toHaveText([/Conta criada: feito/, /E-mail confirmado: falta/, /Aprovação: falta/])
  await expect(steps.nth(1)).toHaveAttribute('aria-current', 'step')

  await page.getByRole('button', { name: 'Verificar agora' }).click()
  await expect(page.getByText(/^Ainda aguardando aprovação\. Verificado às \d\d:\d\d\.$/)).toBeVisible()
  // Text being typed survives what arrives.
  await page.getByLabel('Nome').fill('Paula')
  await set({ email_verified_at: new Date() })
  await expect(steps.nth(1)).toHaveText('E-mail confirmado: feito')
  await expect(steps.nth(2)).toHaveAttribute('aria-current', 'step')
  await expect(page.getByLabel('Nome')).toHaveValue('Paula')
  await set({ approved: true })
  await expect(page.getByText('Sua conta foi aprovada')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText(['Vendas'])
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
})

test('‘Minha Conta’ names the areas that have no report', async ({ page }) => {
  await openAs(page, 'diretoria', '/profile')
  await expect(page.getByText('Ainda sem relatório: Administrativo e Slack.')).toBeVisible()
})

test('an empty screen has its reason in its middle, with the next steps, and fills by itself', async ({
  page,
  portal,
}) => {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await openAs(page, 'semrelatorio')
    const empty = page.getByRole('main').getByRole('status').filter({ hasText: reportMessages.none })
    await expect(empty).toContainText('Assim que um for liberado, ele aparece aqui.')
    for (const name of ['Pedir acesso', 'Escrever ao administrador'])
      expect((await empty.getByRole('link', { name }).boundingBox())?.height).toBeGreaterThanOrEqual(40)
    const { y, height: own } = (await empty.boundingBox()) ?? { y: 0, height: 0 }
    expect(Math.abs(y + own / 2 - height / 2)).toBeLessThan(height / 8)
  }
  await portal.database.db
    .updateTable('profiles')
    .set({ types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] })
    .where('email', '=', 'semrelatorio@grupopatio.com.br')
    .execute()
  await expect(page.getByRole('tab')).toHaveText(['Vendas'])
})

test('a person without areas sees why; without marcas the tabs remain, with the reason and whom to contact', async ({
  page,
  portal,
}) => {
  await openAs(page, 'semrelatorio', '/power-bi?area=oficina')
  const none = page.getByText(
    'Nenhum relatório Power BI disponível. Os relatórios estão sendo configurados pelo administrador.',
  )
  await expect(none).toBeVisible()
  await page.getByRole('link', { name: 'Pedir acesso' }).click()
  await expect(page.getByRole('checkbox', { name: 'Oficina', exact: true })).toBeChecked()
  await page.getByLabel('Motivo').fill('Trabalho na oficina.')
  await page.getByRole('button', { name: 'Enviar pedido' }).click()
  await expect(page.getByRole('heading', { name: 'Pedido de acesso enviado' })).toBeVisible()
  await page.goto('/power-bi')
  await expect(none).toBeVisible()
  await expect(page.getByText(/Pedido enviado hoje às/)).toBeVisible()
  await page.getByRole('link', { name: 'Escrever ao administrador' }).click()
  await expect(page).toHaveURL('/contato')
  await expect(page.getByLabel('E-mail')).toHaveValue('semrelatorio@grupopatio.com.br')
  await expect(page.getByLabel('Sugestão / Mensagem')).toHaveValue(/não vejo nenhum relatório/)

  await portal.database.db
    .updateTable('profiles')
    .set({ marcas: [] })
    .where('email', '=', 'vendas.rj@grupopatio.com.br')
    .execute()
  await openAs(page, 'vendas.rj')
  await expect(page.getByRole('tab')).toHaveText(['Vendas', 'CRM'])
  await expect(page.getByText('Sua conta ainda não tem marcas ou estados liberados.')).toBeVisible()
  await page.getByRole('link', { name: 'Escrever ao administrador' }).click()
  await expect(page.getByLabel('Sugestão / Mensagem')).toHaveValue(/Preciso ver as marcas/)
  // The person's text is not overwritten.
  await page.getByLabel('Sugestão / Mensagem').fill('Outra coisa')
  await page.goBack()
  await page.getByRole('link', { name: 'Escrever ao administrador' }).click()
  await expect(page.getByLabel('Sugestão / Mensagem')).toHaveValue('Outra coisa')
})

test('an unverified person sees the reports below a banner that resends the mail', async ({ page, demo }) => {
  await openAs(page, 'naoverificado')
  await expect(page.getByRole('tab')).toHaveText(['Vendas', 'Oficina'])
  await page.getByRole('button', { name: 'Reenviar e-mail de verificação' }).click()
  await expect(page.getByText('E-mail de verificação enviado')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Reenviar em \d+s$/ })).toBeDisabled()
  await page.reload()
  await expect(page.getByRole('button', { name: /^Reenviar em \d+s$/ })).toBeDisabled()

  const mails = async () =>
    (await fetch(`${demo.url}/demo/mailbox.json?to=naoverificado@grupopatio.com.br`)).json()
  await expect.poll(async () => (await mails()).length).toBeGreaterThan(0)
  const [{ link }] = (await mails()).slice(-1)
  await page.goto(link)
  await expect(page.getByText('E-mail verificado!')).toBeVisible()
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByRole('tab', { name: 'Vendas' })).toBeVisible()
  await expect(page.getByRole('button', { name: /Reenviar/ })).toHaveCount(0)
})

test('the URL and the title name the area', async ({ page }) => {
  await openAs(page, 'diretoria', '/power-bi')
  const selected = page.getByRole('tab', { selected: true })
  await expect(page).toHaveTitle(/^Vendas · Relatórios · /)
  for (const area of ['Oficina', 'CRM']) await page.getByRole('tab', { name: area }).click()
  await expect(page).toHaveURL(/area=CRM/)
  await expect(page).toHaveTitle(/^CRM · Relatórios · /)
  await page.reload()
  await expect(selected).toHaveText('CRM')
  await page.goto('/power-bi?area=Inexistente')
  await expect(selected).toHaveText('Vendas')
})

test('arrow keys move between the tabs and open nothing; Tab enters at the open one', async ({ page }) => {
  await openAs(page, 'diretoria', '/power-bi?area=Oficina')
  const tab = (name: string) => page.getByRole('tab', { name })
  await tab('Oficina').focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(tab('Operadores')).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByRole('tab').and(page.locator(':focus'))).toHaveCount(0)
  await page.keyboard.press('Tab')
  await expect(tab('Oficina')).toBeFocused()
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Oficina')
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/area=Vendas/)
})

test('the back button returns to the tab before; quick changes of tab are one step', async ({ page }) => {
  await page.clock.install()
  await openAs(page, 'diretoria', '/profile')
  await page.getByRole('link', { name: 'Relatórios', exact: true }).click()
  const selected = page.getByRole('tab', { selected: true })
  const open = (area: string) => page.getByRole('tab', { name: area }).click()
  await open('Oficina')
  await page.clock.fastForward(11_000)
  await open('HPD')
  await open('CRM')
  await page.goBack()
  await expect(selected).toHaveText('Oficina')
  await page.goForward()
  await expect(selected).toHaveText('CRM')
  await page.goBack()
  await expect(selected).toHaveText('Oficina')
  // Right after Back a change is a step of its own.
  await open('Gerentes')
  await page.goBack()
  await expect(selected).toHaveText('Oficina')
  await page.goBack()
  await expect(selected).toHaveText('Vendas')
  // There and back again leaves no step that shows the same tab.
  await page.getByRole('tablist').evaluate(async (list) => {
    for (const area of ['Oficina', 'Vendas']) {
      const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')]
      tabs.find((tab) => tab.textContent === area)?.click()
      // The second press comes before the first one is rendered.
      await Promise.resolve()
    }
  })
  await expect(selected).toHaveText('Vendas')
  await page.goBack()
  await expect(page).toHaveURL(/\/profile$/)
})

test('a shared report that cannot be framed is opened in Power BI instead', async ({ page, portal }) => {
  // The event stream would open the second address before the reload, which cuts it off.
  await muteChanges(page)
  const show = (report_url: string) =>
    portal.database.db
      .updateTable('global_powerbi_settings')
      .set({ report_url })
      .where('type', '=', 'operadores')
      .execute()
  const refused = page.getByText('O Power BI não deixa este endereço aparecer dentro do portal.')
  const link = page.getByRole('link', { name: 'Abrir no Power BI' })
  await show('https://app.powerbi.com/links/AbCdEf')
  await openAs(page, 'diretoria', '/power-bi?area=Operadores')
  await expect(refused).toBeVisible()
  await expect(link).toHaveAttribute('href', 'https://app.powerbi.com/links/AbCdEf')
  await expect(page.locator('iframe[title="Operadores"]')).toHaveCount(0)

  // Browsers do not report a refused frame: `load` fires all the same, and the frame's state is alike.
  await show('https://app.powerbi.com/reportEmbed?reportId=1&autoAuth=true')
  await page.route('https://app.powerbi.com/reportEmbed**', (route) =>
    route.fulfill({ contentType: 'text/html', headers: { 'x-frame-options': 'DENY' }, body: 'never shown' }),
  )
  const refusal = page.waitForEvent('requestfailed', (request) => request.url().includes('/reportEmbed'))
  await page.reload()
  expect((await refusal).failure()?.errorText).toBe('net::ERR_BLOCKED_BY_RESPONSE')
  await expect(page.getByText('Carregando o relatório Operadores…')).toHaveCount(0)
  await expect(page.getByText('O relatório não apareceu?')).toBeVisible()
  await expect(link).toHaveAttribute('href', /^https:\/\/app\.powerbi\.com\/reportEmbed\?reportId=1&/)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(link).toBeInViewport()
})
