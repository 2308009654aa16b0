import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'

test('a failed report is reported to the administrators, once and without a token', async ({
  page,
  demo,
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
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible({ timeout: 15_000 })
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
  expect(JSON.parse(sent[1] ?? '')).toMatchObject({
    type: 'Vendas',
    failure: expect.stringContaining('LoadReportFailed'),
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
  })
})
