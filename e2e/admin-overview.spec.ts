import { findSeriousViolations } from './axe-findings.ts'
import { expect, openAs, test } from './portal-fixture.ts'
import { hasHorizontalOverflow, rows } from './user-table-fixture.ts'

test('each number of the overview leads to what it counts, and one rail to every screen', async ({
  page,
  demo,
}) => {
  test.setTimeout(120_000)
  const value = [
    { status: 'Failed', startTime: '2026-11-21T08:00:00Z', endTime: '2026-11-21T09:00:00Z' },
    { status: 'Completed', startTime: '2026-11-20T08:00:00Z', endTime: '2026-11-20T09:00:00Z' },
  ]
  await demo.script({ on: 'refreshes', body: { value }, times: 100 })
  await openAs(page, 'admin', '/admin')
  const figure = (name: RegExp) => page.getByRole('list', { name: 'Visão geral' }).getByRole('link', { name })
  await expect(figure(/^Aguardando aprovação \d+ a mais antiga espera há /)).toBeVisible()
  await expect(figure(/^Relatórios com problema [1-9]\d* .*: a atualização dos dados falhou$/)).toBeVisible()
  const states = page.getByRole('region', { name: 'Estado dos relatórios' })
  await expect(states.getByRole('link', { name: /^Vendas .*falhou; dados de 20\/11\/2026/ })).toBeVisible()
  await expect(states.getByRole('link', { name: /^Slack .*sem relatório$/i })).toBeVisible()
  expect(await findSeriousViolations(page)).toEqual([])

  const came = figure(/^Entraram em 7 dias \d+ de \d+/)
  await came.click()
  await expect(page).toHaveURL(/\/admin\/uso$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Uso')

  const rail = page.getByRole('navigation', { name: 'Administração' })
  for (const [name, title] of [
    ['Visão geral', 'Administração'],
    ['Relatórios', 'Relatórios'],
    ['Aguardando aprovação', 'Aguardando aprovação'],
    ['Convites', 'Convidar pessoas'],
    ['Mensagens', 'Mensagens de Suporte'],
    ['Modelos de acesso', 'Modelos de acesso'],
    ['Revisão de acessos', 'Revisão de acessos'],
    ['Áreas, marcas e estados', 'Áreas, marcas e estados'],
    ['Uso', 'Uso'],
    ['Saúde do portal', 'Saúde do portal'],
    ['Pessoas', 'Pessoas'],
  ] as const) {
    const link = rail.getByRole('link', { name })
    await link.press('Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
    await expect(link).toHaveAttribute('aria-current', 'page')
    await expect(link).toBeFocused()
    expect(
      await page.getByRole('main').locator(':is(a, button).bg-brand:visible').count(),
      title,
    ).toBeLessThan(2)
  }
  await expect(rows(page).first()).toBeVisible()

  await page.setViewportSize({ width: 390, height: 844 })
  await rail.getByRole('link', { name: 'Saúde do portal' }).press('Enter')
  await expect(rail.getByRole('link', { name: 'Saúde do portal' })).toBeInViewport()
  expect(await hasHorizontalOverflow(page)).toBe(false)
})

test('a refresh that the service disabled is a problem of its report', async ({ page, demo }) => {
  const value = [
    { status: 'Disabled', endTime: '2026-11-21T09:00:00Z' },
    { status: 'Completed', endTime: '2026-11-20T09:00:00Z' },
  ]
  await demo.script({ on: 'refreshes', body: { value }, times: 100 })
  await openAs(page, 'admin', '/admin')
  await expect(
    page.getByRole('link', {
      name: /^Relatórios com problema [1-9]\d* .*: a atualização dos dados foi desativada$/,
    }),
  ).toBeVisible()
  await expect(
    page.getByRole('link', { name: /^Vendas .*foi desativada; dados de 20\/11\/2026/ }),
  ).toBeVisible()
})

test('the counts of the header stand inside their buttons', async ({ page }) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await openAs(page, 'admin', '/admin/modelos')
    const link = page.getByRole('banner').getByRole('link', { name: /^Administração, / })
    const [inner, outer] = [await link.locator('[data-text]').boundingBox(), await link.boundingBox()]
    if (!inner || !outer) throw new Error('Nothing is drawn')
    expect(inner.x).toBeGreaterThanOrEqual(outer.x)
    expect(inner.y).toBeGreaterThanOrEqual(outer.y)
    expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width)
  }
})

test('a report that gives no token is a problem on its tab, the overview and in Saúde until it gives one', async ({
  page,
  browser,
  demo,
}) => {
  await openAs(page, 'admin', '/admin?area=CRM')
  const tab = page.getByRole('tab', { name: /^CRM / })
  await expect(tab).toHaveText('CRM com relatório')
  const reader = await (await browser.newContext({ baseURL: demo.url })).newPage()
  const body = { error: { code: 'PowerBIEntityNotFound' } }
  await demo.script({ on: 'generateToken', status: 404, body, times: 100 })
  await openAs(reader, 'vendas.rj', '/power-bi?area=CRM')
  await expect(tab).toHaveText('CRM com problema')
  await expect(page.getByRole('tabpanel').getByText(/^CRM com problema desde/)).toBeVisible()
  await expect(page.getByRole('link', { name: /^CRM .*não abre desde/ })).toBeVisible()
  await page.getByRole('link', { name: 'Saúde do portal com problema' }).click()
  await expect(page.getByText(/^CRM com problema desde/)).toBeVisible()
  await demo.reset()
  await reader.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByText(/^CRM com problema desde/)).toHaveCount(0)
})
