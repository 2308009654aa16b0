import { getRowMenu } from './administration.ts'
import { findViolations, forEachAppearance } from './axe-findings.ts'
import { expect, muteChanges, openAs, test } from './portal-fixture.ts'
import {
  countPeople,
  getStatus,
  hasHorizontalOverflow,
  header,
  openTable,
  pickFilter,
  rows,
} from './user-table-fixture.ts'

test('the header is sticky, and rows load ahead of scrolling', async ({ page }) => {
  await openTable(page)
  const count = await countPeople(page)
  await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }))
  await expect(page.locator(`#usuarios [aria-rowindex="${count + 1}"]`)).toBeInViewport()
  await expect(header(page, 'E-mail')).toBeInViewport()
  await expect(page.getByRole('searchbox')).toBeInViewport()
  expect(await rows(page).count()).toBeLessThan(60)
  await header(page, 'Nome').click()
  await expect(page.locator('#usuarios [aria-rowindex="2"]')).toBeInViewport()
})

test('a list or a later page that fails to load is reported and can be retried', async ({ page }) => {
  // The event stream would refetch it before the click.
  await muteChanges(page)
  await page.route('**/api/profiles?*', (route) => route.fulfill({ status: 500, body: '' }))
  await openAs(page, 'admin', '/admin')
  await expect(page.getByRole('region', { name: 'Notificações' })).toContainText('Erro ao carregar usuários')
  await page.unroute('**/api/profiles?*')
  const table = page.locator('#usuarios')
  const retry = table.getByRole('button', { name: 'Tentar novamente' })
  await retry.click()
  await expect(rows(page).first()).toContainText('admin@grupopatio.com.br')

  await page.route('**/api/profiles?*cursor=*', (route) => route.fulfill({ status: 400, body: '' }))
  await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }))
  await expect(table.getByText('Erro ao carregar usuários')).toBeVisible()
  await page.unroute('**/api/profiles?*cursor=*')
  await retry.click()
  await expect(table.getByText('Erro ao carregar usuários')).toBeHidden()
  await expect(table.locator('[data-skeleton]')).toHaveCount(0)
})

test('rows wait for the catalogue, in whose words they say what people have', async ({ page }) => {
  const mayCome = Promise.withResolvers<void>()
  await page.route('**/api/catalogue', async (route) => {
    await mayCome.promise
    await route.continue()
  })
  const listed = page.waitForResponse('**/api/profiles?sort=*')
  await openAs(page, 'admin', '/admin/pessoas')
  await (await listed).finished()
  const skeletons = page.locator('#usuarios [data-skeleton]')
  await expect(skeletons.first()).toBeVisible()
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300)))
  await expect(rows(page)).toHaveCount(0)
  mayCome.resolve()
  await expect(rows(page).first()).toContainText('Todas as áreas, marcas e estados')
  await expect(skeletons).toHaveCount(0)
})

test('a count that fails to load is reported and can be retried', async ({ page }) => {
  // The event stream would refetch both before the press.
  await muteChanges(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.route('**/api/profiles/count*', (route) => route.fulfill({ status: 400, body: '' }))
  await openAs(page, 'admin', '/admin')
  await expect(rows(page).first()).toContainText('admin@grupopatio.com.br')
  await expect(page.getByRole('region', { name: 'Notificações' })).toContainText('Erro ao carregar usuários')
  await expect(page.getByRole('button', { name: /^Pendentes/ })).toHaveCount(0)
  const besideIt = page.getByRole('button', { name: 'Exportar lista' })
  const left = (await besideIt.boundingBox())?.x ?? 0
  const retry = page.locator('#usuarios').getByRole('button', { name: 'Tentar novamente' })
  const rowsMayCome = Promise.withResolvers<void>()
  await page.route('**/api/profiles?*', async (route) => {
    const response = await route.fetch()
    const { items } = await response.json()
    await rowsMayCome.promise
    await route.fulfill({ response, json: { items: items.slice(0, 1), next: null } })
  })
  await Promise.all([page.waitForResponse('**/api/profiles/count*'), retry.click()])
  // Its label changes while counting: only then may the reply succeed.
  await expect(retry).toBeFocused()
  let countedAgain = 0
  page.on('request', (request) => request.url().includes('/profiles/count') && countedAgain++)
  rowsMayCome.resolve()
  await expect(rows(page)).toHaveCount(1)
  expect(countedAgain).toBe(0)
  await page.unroute('**/api/profiles?*')
  await page.unroute('**/api/profiles/count*')
  await retry.press('Enter')
  await expect(getStatus(page)).toHaveText(/^\d+ usuários$/)
  await expect(page.getByRole('button', { name: /^Pendentes \(\d+\)$/ })).toBeVisible()
  // A figure is wider than its placeholder dots.
  expect(Math.abs(((await besideIt.boundingBox())?.x ?? 0) - left)).toBeLessThan(12)
  await expect(page.getByRole('checkbox', { name: 'Selecionar todos' })).toBeEnabled()
  await expect(retry).toHaveCount(0)
  await expect(page.locator('#usuarios')).toBeFocused()
})

test('on a phone people are cards, and nothing overflows', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openTable(page, '/pessoas')
  await expect(page.getByRole('searchbox')).toBeInViewport()
  const row = rows(page).first()
  await getRowMenu(row).click()
  for (const name of ['Remover', 'Gerenciar Marcas e Estados', 'Exportar dados'])
    await expect(page.getByRole('menuitem', { name })).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Escape')
  await expect(row).toContainText(/todos os estados|marcas e estados/)
  await row.getByRole('checkbox').check()
  const edit = page.getByRole('button', { name: 'Alterar Filtros em Massa (1)' })
  await expect(edit).toBeInViewport()
  await page.getByRole('button', { name: 'Filtros', exact: true }).click()
  await pickFilter(page, 'Status', 'Pendente')
  await expect(row.getByRole('button', { name: 'Aprovar' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Filtros (1)' })).toBeInViewport()
  await page.locator('#filtros').getByRole('button', { name: 'Limpar filtros' }).click()
  await header(page, 'Último Acesso').click()
  await expect(page).toHaveURL(/sort=last_sign_in_at/)
  expect(await hasHorizontalOverflow(page)).toBe(false)
})

test('axe finds no violation in the table', async ({ page }) => {
  await openTable(page)
  await rows(page).nth(2).getByRole('checkbox').check()
  await forEachAppearance(page, async () => expect(await findViolations(page, '#usuarios')).toEqual([]))
})
