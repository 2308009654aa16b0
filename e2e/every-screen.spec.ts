import { expect, getReportFrame, openAs, openSession, test } from './portal-fixture.ts'
import { SCREEN_STATES } from './screen-states.ts'
import { breakPolicy, watchViolations } from './watch-violations.ts'

test('watchViolations reports violations of the policy', async ({ browser, demo }) => {
  const context = await browser.newContext()
  const violations = await watchViolations(context)
  const page = await context.newPage()
  await page.goto(`${demo.url}/login`)
  await breakPolicy(page)
  const seen = expect.poll(() => violations.join('\n'))
  await seen.toContain('enforce: img-src https://elsewhere.example/x.png at ')
  await seen.toContain('report: require-trusted-types-for ')
  await seen.toContain('console at ')
  await context.close()
})

test('every report opens, also through SSO', async ({ page }) => {
  await openAs(page, 'admin')
  await expect(page.getByRole('tab', { name: 'Operadores' })).toBeVisible()
  const areas = await page.getByRole('tab').allTextContents()
  expect(areas.join()).toMatch(/Vendas.*Operadores/)
  for (const name of areas) {
    await page.getByRole('tab', { name, exact: true }).click()
    await expect(getReportFrame(page, name).locator('[data-card]').first()).toBeVisible({ timeout: 20_000 })
  }
})

/** Runs in the page: records layout shifts without user input, with the moved elements. */
function watchShifts(): void {
  const shifts: string[] = []
  Object.assign(window, { shifts })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
      sources: { node: Node | null }[]
    })[]) {
      // Toasts are above the page and grow upwards.
      const moved = entry.sources.flatMap(({ node }) =>
        node instanceof Element && !node.closest('[aria-live]') ? node.outerHTML.slice(0, 90) : [],
      )
      // A late font shifts a line by a fraction of a pixel.
      if (entry.value >= 0.001 && !entry.hadRecentInput && moved.length > 0)
        shifts.push(`${entry.value.toFixed(4)} ${moved}`)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Runs in the page: finds controls without visible text and without a tooltip. */
function findNamelessIcons(): string[] {
  const showsWords = (element: Element) =>
    [...element.querySelectorAll('*'), element].some(
      (part) =>
        [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) &&
        part.getBoundingClientRect().width > 1,
    )
  return [...document.querySelectorAll('button, a[href], [role="button"]')]
    .filter(
      (element) =>
        element.checkVisibility() &&
        !showsWords(element) &&
        !element.closest('[data-tooltip]') &&
        // The group's mark stands for its name where a report's title needs the room.
        !element.matches('header a[aria-label$=": ir para os relatórios"]'),
    )
    .map((element) => element.outerHTML.slice(0, 120))
}

for (const width of [1440, 390])
  test(`no screen has a layout shift while loading or an icon without a name (${width} px)`, async ({
    page,
  }) => {
    test.setTimeout(240_000)
    await page.setViewportSize({ width, height: 844 })
    await page.addInitScript(watchShifts)
    for (const { name, as, path, given, ready } of SCREEN_STATES.filter(({ act }) => !act)) {
      if (as) await openSession(page, as)
      // Not as the person of an earlier state.
      else await page.evaluate(() => localStorage.clear()).catch(() => {})
      await given?.(page)
      await page.goto(path)
      await expect(ready(page)).toBeVisible()
      const shifts = await page.evaluate(async () => {
        await document.fonts.ready
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
        return (window as unknown as { shifts: string[] }).shifts
      })
      expect.soft(shifts, name).toEqual([])
      expect.soft(await page.evaluate(findNamelessIcons), name).toEqual([])
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })
