import type { Page } from '@playwright/test'
import { expect, test } from './portal-fixture.ts'

const ALERT = 'Não foi possível carregar o portal. Verifique sua internet e recarregue a página.'

/** Answers 404 for matching files, as a replica of another version does. */
async function loseFiles(page: Page, pattern: string): Promise<() => number> {
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads++
  })
  await page.route(pattern, (route) => route.fulfill({ status: 404 }))
  return () => loads
}

for (const [what, pattern] of [
  ['entry script', '**/assets/index-*.js'],
  ['script that the entry imports', '**/assets/libraries-*.js'],
  ['style sheet', '**/assets/index-*.css'],
] as const) {
  test(`a page without its ${what} says so and reloads by itself`, async ({ page }) => {
    const countLoads = await loseFiles(page, pattern)
    await page.goto('/login')
    await expect(page.getByText(ALERT)).toBeVisible()
    await page.unroute(pattern)
    await expect.poll(countLoads).toBe(2)
    await expect(page.getByText(ALERT)).toHaveCount(0)
    await page.getByRole('link', { name: 'Esqueci minha senha' }).click()
    await expect(page).toHaveURL('/forgot-password')
  })
}

test('a page whose entry script stays away is reloaded once', async ({ page }) => {
  await page.clock.install()
  const countLoads = await loseFiles(page, '**/assets/index-*.js')
  await page.goto('/login')
  await expect(page.getByText(ALERT)).toBeVisible()
  await page.clock.runFor(3_000)
  await expect.poll(countLoads).toBe(2)
  await expect(page.getByText(ALERT)).toBeVisible()
  await page.clock.runFor(30_000)
  expect(countLoads()).toBe(2)
})
