import type { Locator } from '@playwright/test'
import { expect, getReportFrame, muteChanges, openAs, test } from './portal-fixture.ts'

const noReports =
  'Nenhum relatório Power BI disponível. Os relatórios estão sendo configurados pelo administrador.'

test('an area whose token fails is reported and omitted', async ({ page, demo }) => {
  await demo.script({
    on: 'generateToken',
    status: 403,
    body: { error: { code: 'PowerBINotAuthorizedException' } },
    times: 1,
  })
  await openAs(page, 'vendas.rj')
  await expect(page.getByText('Erro ao gerar token para Vendas')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText(['CRM'])
  await expect(getReportFrame(page, 'CRM').locator('[data-card]').first()).toBeVisible()
})

test('when every area fails, the page shows why and whom to contact', async ({ page, demo }) => {
  await demo.script({ on: 'generateToken', status: 404, errorCode: 'PowerBIEntityNotFound', times: 9 })
  await openAs(page, 'vendas.rj')
  for (const area of ['Vendas', 'CRM'])
    await expect(page.getByText(`Erro ao gerar token para ${area}`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Fechar notificação' })).toHaveCount(1)
  const notice = page.getByRole('main').getByRole('status').filter({ hasText: noReports })
  await expect(notice).toContainText('O portal tentou e não conseguiu abrir nenhum dos seus relatórios.')
  await expect(page.getByRole('tab')).toHaveCount(0)
  const why =
    /Vendas, CRM: O portal lê o relatório e o modelo.*\(código PowerBIEntityNotFound, pedido [\w-]{36}\)\. Avise o administrador do portal: quem resolve é o administrador do Power BI\./
  await expect(notice.getByText(why)).toHaveCount(1)
  await notice.getByRole('link', { name: 'Escrever ao administrador' }).click()
  await expect(page.getByLabel('Sugestão / Mensagem')).toHaveValue(why)
})

test('a transient failure stays on its tab, marks the tabs not open and is retried', async ({ page }) => {
  const quote = ' (código InternalServerError, pedido 6d55)'
  const detail = `O Power BI não respondeu${quote}. Tente novamente em instantes.`
  const refusal = { code: 'power-bi-unavailable', detail, requestId: 'r' }
  const answer = { status: 503, json: { type: 'about:blank', title: 'x', status: 503, ...refusal } }
  const tokens = '**/api/functions/get-powerbi-token'
  await page.route(tokens, (route) => route.fulfill(answer))
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, 'diretoria')
  const notices = page.getByRole('region', { name: 'Notificações' })
  const areas = ['Vendas', 'Oficina', 'HPD', 'CRM', 'Marketing', 'Gerentes']
  const tab = (area: string) => page.getByRole('tab', { name: area })
  for (const area of areas)
    await expect(tab(`Erro ao gerar token para ${area}`)).toHaveCount(area === 'Vendas' ? 0 : 1)
  await expect(page.getByRole('tab')).toHaveCount(7)
  const failure = page.getByRole('tabpanel').getByRole('alert')
  await expect(failure.getByText('O portal tenta de novo sozinho')).toBeVisible()
  await expect(failure.getByText('O Power BI não respondeu. Tente novamente em instantes.')).toBeVisible()
  await expect(failure.getByText(`Erro ao gerar token para Vendas${quote}`)).toBeVisible()
  await tab('Oficina').click()
  await expect(tab('Erro ao gerar token para Oficina')).toHaveCount(0)
  await expect(failure).toContainText('Erro ao gerar token para Oficina')
  await tab('Vendas').click()
  await expect(failure).toContainText('Erro ao carregar o relatório do Power BI')
  await expect(notices.getByRole('alert')).toHaveCount(0)
  // The page tries again by itself too, which would take the button away before the press.
  const { promise: retried, resolve: answerTokens } = Promise.withResolvers<void>()
  await page.route(tokens, async (route) => {
    await retried
    await route.continue()
  })
  await failure.getByRole('button', { name: 'Tentar novamente' }).click()
  answerTokens()
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await page.getByRole('tab', { name: 'CRM' }).click()
  await expect(getReportFrame(page, 'CRM').locator('[data-card]').first()).toBeVisible({ timeout: 20_000 })
})

test('a report that takes long says so and what to do, and nothing moves', async ({ page }) => {
  await page.clock.install()
  await page.route('**/api/functions/get-powerbi-token', () => {})
  await openAs(page, 'vendas.rj')
  const text = page.getByText('Carregando o relatório Vendas…')
  const loading = page.getByRole('status').filter({ has: text })
  await expect(loading).toHaveText('Carregando o relatório Vendas…')
  const top = (await text.boundingBox())?.y
  await page.clock.fastForward(8_000)
  await expect(loading).toContainText('Está demorando mais que o normal.')
  await expect(loading).toContainText('recarregue a página')
  expect((await text.boundingBox())?.y).toBe(top)
  const reloaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Recarregar' }).click()
  await reloaded
})

test('a tab opened without a network says so at once, and opens by itself with it', async ({ page }) => {
  const offline = page.getByRole('tabpanel').getByText('Você está sem conexão')
  await openAs(page, 'diretoria')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await page.context().setOffline(true)
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  for (const area of ['Oficina', 'Operadores']) {
    await page.getByRole('tab', { name: area }).click()
    await expect(offline).toBeVisible()
    await expect(page.getByText(/Carregando o relatório/).filter({ visible: true })).toHaveCount(0)
  }
  await page.context().setOffline(false)
  await expect(getReportFrame(page, 'Operadores').locator('body')).not.toBeEmpty()
  await page.getByRole('tab', { name: 'Oficina' }).click()
  await expect(getReportFrame(page, 'Oficina').locator('[data-card]').first()).toBeVisible()
  await expect(offline).toHaveCount(0)
})

test('areas with an incomplete setting are named on one card', async ({ page, portal }) => {
  await portal.database.db
    .updateTable('global_powerbi_settings')
    .set({ workspace_id: null })
    .where('type', 'in', ['vendas', 'oficina', 'hpd', 'crm'])
    .execute()
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, 'diretoria')
  const notices = page.getByRole('region', { name: 'Notificações' })
  await expect(notices.getByRole('alert')).toHaveText(
    ['Vendas', 'Oficina', 'HPD', 'CRM'].map((area) => new RegExp(`^Configuração incompleta para ${area}`)),
  )
  // A phone shows one toast and can expand the others.
  await notices.getByRole('button', { name: 'e mais 3' }).click()
  await expect(notices.getByText('Configuração incompleta para Vendas')).toBeInViewport({ ratio: 1 })
  await notices.getByRole('button', { name: 'Fechar notificação' }).click()
  await expect(notices.getByRole('alert')).toHaveCount(0)
})

test('a paused capacity has its own state, and a failed refresh shows a warning', async ({ page, demo }) => {
  const paused = { error: { code: 'CapacityNotActive', message: 'The capacity is not active' } }
  await demo.script({ on: 'generateToken', status: 403, body: paused, times: 1 })
  const value = [
    { status: 'Failed', endTime: new Date(Date.now() - 3_600_000).toISOString() },
    { status: 'Completed', endTime: new Date(Date.now() - 26.5 * 3_600_000).toISOString() },
  ]
  await demo.script({ on: 'refreshes', body: { value }, times: 2 })
  await openAs(page, 'vendas.rj')
  const failure = page.getByRole('tabpanel').getByRole('alert')
  await expect(failure).toContainText('A capacidade está pausada')
  await expect(page.getByRole('tab')).toHaveText(['Vendas', 'CRM'])
  await failure.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await expect(page.getByText(/^A última atualização falhou · dados de .*, \d\d:\d\d$/)).toBeVisible()
})

test('an error inside the frame shows the error state with a reload button', async ({ page, demo }) => {
  await openAs(page, 'vendas.rj')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await demo.script({ on: 'frame', message: 'LoadReportFailed', errorCode: '404' })
  await expect(page.getByText('Erro ao carregar o relatório do Power BI')).toBeVisible()
  const reloaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Recarregar' }).click()
  await reloaded
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
})

test('an overloaded capacity inside the frame heals by itself', async ({ page, demo }) => {
  await page.clock.install()
  await openAs(page, 'vendas.rj')
  const card = getReportFrame(page, 'Vendas').locator('[data-card]').first()
  await expect(card).toBeVisible({ timeout: 20_000 })
  const detailedMessage = 'Cannot load model due to reaching capacity limits.'
  const message = 'ExplorationContainer_FailedToLoadModel_DefaultDetails'
  await demo.script({ on: 'frame', message, detailedMessage })
  await page.clock.runFor(2_000)
  const failure = page.getByRole('tabpanel').getByRole('alert')
  await expect(failure).toContainText('O Power BI está sobrecarregado agora.')
  await expect(failure).not.toContainText('administrador')
  await page.clock.fastForward(60_000)
  await expect(failure).toHaveCount(0)
  await expect(card).toBeVisible()
})

test('visuals that a paused capacity left empty are asked for again', async ({ page }) => {
  await page.addInitScript(() => {
    addEventListener('message', ({ data }) => {
      if (data?.url === '/report/load') Object.assign(window, { uid: data.headers.uid })
      if (data?.url === '/report/refresh') document.body.dataset.refreshed = ''
    })
  })
  await page.clock.install()
  await openAs(page, 'vendas.rj')
  const report = getReportFrame(page, 'Vendas')
  await expect(report.locator('[data-card]').first()).toBeVisible({ timeout: 20_000 })
  await report.locator('body').evaluate(() => {
    const { uid } = window as unknown as { uid: string }
    const body = { message: 'OpenConnectionError', level: 4 }
    parent.postMessage(
      { method: 'POST', url: `/reports/${uid}/events/error`, headers: { id: 'x' }, body },
      '*',
    )
  })
  await expect
    .poll(async () => {
      await page.clock.fastForward(60_000)
      return report.locator('body').getAttribute('data-refreshed')
    })
    .toBe('')
  await expect(page.getByText('Erro ao carregar o relatório do Power BI')).toHaveCount(0)
})

test('an administrator reads who mends a report', async ({ page, demo }) => {
  await openAs(page, 'admin')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible({ timeout: 20_000 })
  await demo.script({ on: 'frame', message: 'LoadReportFailed', errorCode: '404' })
  const failure = page.getByRole('tabpanel').getByRole('alert')
  await expect(failure).toContainText('Este relatório não existe mais no Power BI.')
  await expect(failure).toContainText('confira-o e o Workspace ID nas configurações')
  await expect(failure).toContainText('Código: LoadReportFailed 404')
})

test('a report is shown once loaded, however long its visuals take', async ({ page }) => {
  await page.addInitScript(() => {
    const withhold = (event: MessageEvent) => {
      if (String(event.data?.url).endsWith('/events/rendered')) event.stopImmediatePropagation()
    }
    addEventListener('message', withhold, { capture: true })
  })
  await openAs(page, 'vendas.rj')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await expect(page.getByText('Carregando o relatório Vendas…')).toHaveCount(0)
})

test('an expired token is renewed once, automatically', async ({ page, demo }) => {
  await openAs(page, 'vendas.rj')
  const card = getReportFrame(page, 'Vendas').locator('[data-card]').first()
  await expect(card).toBeVisible()
  await demo.reset()
  await demo.script({ on: 'frame', message: 'TokenExpired', errorCode: '403' })
  await expect
    .poll(async () =>
      (await fetch(`${demo.url}/demo/power-bi/faults`)).json().then((faults) => JSON.stringify(faults)),
    )
    .not.toContain('TokenExpired')
  await expect(card).toBeVisible()
  await expect(page.getByText('Erro ao carregar o relatório do Power BI')).toHaveCount(0)
})

test('settings that fail to load are reported and can be retried', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  // The event stream would refetch them before the press.
  await muteChanges(page)
  await page.route('**/api/reports/me', (route) => route.fulfill({ status: 500, body: 'no' }))
  await openAs(page, 'vendas.rj')
  // Under the pointer it stays until it is measured.
  await page.getByText('Erro ao carregar configurações').hover()
  const message = page.getByText(noReports)
  await expect(message).toBeVisible()
  // On a phone too it leaves the screen's own message free.
  const read = async (locator: Locator) => (await locator.boundingBox()) ?? { y: 0, height: 0 }
  const [toast, own] = [await read(page.getByRole('region', { name: 'Notificações' })), await read(message)]
  expect(toast.y > own.y + own.height || toast.y + toast.height < own.y).toBe(true)
  await expect(page.getByText('Os seus relatórios não puderam ser carregados agora.')).toBeVisible()
  await page.unroute('**/api/reports/me')
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('tab')).toHaveText(['Vendas', 'CRM'])
})
