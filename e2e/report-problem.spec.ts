import { expect, openAs, reportOf, test } from './portal-fixture.ts'
import { callAs, cardOf } from './support-calls.ts'

interface Listed {
  items: { name: string; email: string; phone: string; message: string }[]
}

test('a report that failed is reported to the administrators, once and without a token', async ({
  page,
  demo,
  browser,
}) => {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/problem-reports')) sent.push(request.postData() ?? '')
  })
  const tokens: string[] = []
  page.on('response', async (response) => {
    if (response.url().endsWith('/get-powerbi-token')) tokens.push((await response.json()).embedToken)
  })
  await openAs(page, 'vendas.rj')
  await expect(reportOf(page, 'Vendas').locator('[data-card]').first()).toBeVisible({ timeout: 15_000 })
  await demo.script({ on: 'frame', message: 'LoadReportFailed', errorCode: '404' })
  await expect(page.getByText('Erro ao carregar o relatório do Power BI')).toBeVisible()
  const report = page.getByRole('button', { name: 'Relatar problema' })
  await page.route('**/problem-reports', (route) => route.abort())
  await report.click()
  await expect(page.getByText('Erro ao relatar o problema')).toBeVisible()
  await page.unroute('**/problem-reports')
  await report.click()
  const done = page.getByRole('button', { name: 'Problema relatado' })
  await expect(done).toBeVisible()
  await expect(page.getByText('Problema relatado aos administradores')).toBeVisible()
  await done.click({ force: true })
  expect(sent).toHaveLength(2)
  expect(tokens.length).toBeGreaterThan(0)
  for (const token of tokens) expect(sent.join()).not.toContain(token)

  const admin = await (await browser.newContext({ baseURL: demo.url, locale: 'pt-BR' })).newPage()
  await openAs(admin, 'admin')
  const { items } = await callAs<Listed>(admin, 'GET', '/api/support-messages?q=LoadReportFailed')
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ email: 'vendas.rj@grupopatio.com.br', phone: '—' })
  const { reportId, requestId } = JSON.parse(sent[1] ?? '{}')
  expect(requestId).toMatch(/^[\da-f-]{36}$/)
  const expected = ['LoadReportFailed', 'Marcas: FIAT, JEEP', 'Estados: RJ', 'Chrom', reportId, requestId]
  for (const part of expected) expect(items[0]?.message).toContain(part)
  await admin.goto('/mensagens?q=LoadReportFailed')
  await expect(cardOf(admin, items[0]?.name ?? '')).toContainText('service principal')
  await admin.context().close()
})
