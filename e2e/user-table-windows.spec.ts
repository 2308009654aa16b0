import type { Page } from '@playwright/test'
import { expect, test } from './portal-fixture.ts'
import { hasHorizontalOverflow, header, openTable, rows, waitUntilSorted } from './user-table-fixture.ts'

test('rows are visible in every window size, with filters and a selection', async ({ page }) => {
  for (const [width, height] of [
    [844, 390],
    [720, 450],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await openTable(page, '/pessoas')
    await page.getByRole('button', { name: 'Filtros', exact: true }).click()
    await rows(page).first().getByRole('checkbox').check()
    await page.locator('main').evaluate((main) => main.scrollTo({ top: 3_000 }))
    await expect(page.getByRole('button', { name: 'Excluir Selecionados (1)' })).toBeInViewport()
    await expect(header(page, 'E-mail')).toBeInViewport()
    await expect.poll(() => measureRows(page), `${width} × ${height}`).toBeGreaterThan(180)
    expect(await hasHorizontalOverflow(page)).toBe(false)
  }
})

/** Returns the height below the header and above the sticky bottom bar in which rows receive clicks. */
function measureRows(page: Page): Promise<number> {
  return page.evaluate(() => {
    const x = window.innerWidth / 2
    const isRow = (y: number) => document.elementFromPoint(x, y)?.closest('#usuarios [data-index]') != null
    return Array.from({ length: window.innerHeight }, (_, y) => y).filter(isRow).length
  })
}

/** Returns how many rows of average height fit into the visible area. */
const countVisibleRows = (page: Page) =>
  page.evaluate(() => {
    const at = (y: number) =>
      document.elementFromPoint(window.innerWidth / 2, y)?.closest('#usuarios [data-index]') ?? []
    const hits = Array.from({ length: window.innerHeight }, (_, y) => at(y)).flat()
    const seen = [...new Set(hits)]
    const heights = seen.map((row) => row.getBoundingClientRect().height)
    return (hits.length * seen.length) / heights.reduce((sum, each) => sum + each, 0)
  })

test('twelve people are visible on a desktop and four on a phone', async ({ page }) => {
  for (const [width, height, wanted] of [
    [1440, 900, 12],
    [390, 844, 4],
  ] as const) {
    await page.setViewportSize({ width, height })
    await openTable(page)
    await page.locator('main').evaluate((main) => main.scrollTo({ top: 4_000 }))
    await expect.poll(() => countVisibleRows(page)).toBeGreaterThanOrEqual(wanted)
  }
})

test('on a phone the header fades at its overflowing edge and can be scrolled to its end', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openTable(page)
  const head = page.locator('#usuarios thead tr')
  await expect(head).toHaveCSS('mask-image', /linear-gradient/)
  const last = header(page, 'Último Acesso')
  // Content above may still load and move it.
  await expect(async () => {
    await last.blur()
    await last.focus()
    await expect(last).toBeInViewport({ ratio: 1, timeout: 500 })
  }).toPass()
  const [button, edge] = [await last.boundingBox(), await head.boundingBox()]
  if (!button || !edge) throw new Error('Nothing is drawn')
  expect(button.x + button.width).toBeLessThan(edge.x + edge.width - 40)
  await expect(page.getByRole('searchbox')).toHaveJSProperty('scrollWidth', await getInnerWidth(page))
})

const getInnerWidth = (page: Page) => page.getByRole('searchbox').evaluate((input) => input.clientWidth)

test('cards keep their heights in another order, and the last one ends with the table', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openTable(page, '?q=ana')
  const measureRest = () =>
    page.evaluate(() => {
      document.querySelector('main')?.scrollTo({ top: 99_999 })
      const body = document.querySelector('#usuarios tbody')
      const count = Number(body?.closest('table')?.getAttribute('aria-rowcount'))
      const bottom = body?.querySelector(`[aria-rowindex="${count}"]`)?.getBoundingClientRect().bottom
      return body && bottom && Math.round(body.getBoundingClientRect().bottom - bottom)
    })
  await expect.poll(measureRest).toBe(0)
  for (const direction of ['ascending', 'descending']) {
    await header(page, 'Nome').click()
    await waitUntilSorted(page, 'Nome', direction)
    await expect.poll(measureRest).toBe(0)
  }
})

test("returning from 'Minha conta' restores the scroll position of the table", async ({ page }) => {
  await openTable(page, '?status=approved')
  const top = () => page.locator('main').evaluate((main) => main.scrollTop)
  await page.locator('main').evaluate((main) => main.scrollTo({ top: 3_000 }))
  const there = rows(page).filter({ hasNotText: 'admin@' }).nth(8)
  let email = ''
  // Rows are rendered once the scroll position is known; content above may still load and move them.
  await expect(async () => {
    email = (await there.locator('td').nth(1).textContent()) ?? ''
    await expect(page.getByText(email, { exact: true })).toBeInViewport({ timeout: 500 })
  }).toPass()
  const left = await top()
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await expect(page.getByRole('button', { name: 'Alterar Senha' })).toBeVisible()
  await page.goBack()
  await expect(page.getByText(email, { exact: true })).toBeInViewport()
  expect(await top()).toBe(left)
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await expect(page.getByRole('button', { name: 'Alterar Senha' })).toBeVisible()
  await page.getByRole('link', { name: 'Administração' }).click()
  await expect(rows(page).first()).toBeVisible()
  expect(await top()).toBe(0)
})

test('printing shows every loaded person and then restores the table', async ({ page }) => {
  // Before the page's own listener, which removes the rows again.
  await page.addInitScript(() =>
    window.addEventListener('afterprint', () => {
      const rows = [...document.querySelectorAll('#usuarios tbody [data-index]')]
      const isAlone = rows.some((row) => getComputedStyle(row).position === 'absolute')
      document.documentElement.dataset.onPaper = isAlone ? 'apart' : `${rows.length}`
    }),
  )
  await openTable(page, '/pessoas')
  await page.locator('main').evaluate((main) => main.scrollTo({ top: 1_400 }))
  const box = page.locator('#usuarios [data-index="30"]').getByRole('checkbox')
  await box.focus()
  let more = 0
  page.on('request', (request) => request.url().includes('cursor=') && more++)
  await page.pdf()
  await expect(page.locator('html')).toHaveAttribute('data-on-paper', '100')
  expect(more).toBe(0)
  await expect(box).toBeFocused()
  await expect(box).toBeInViewport()
})
