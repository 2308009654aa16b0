import type { Locator, Page } from '@playwright/test'
import { expect, openAs } from './portal-fixture.ts'

/** Signs in as the administrator and opens the table. @param rest of its address, after /admin */
export async function openTable(page: Page, rest = ''): Promise<void> {
  await openAs(page, 'admin', `/admin${rest}`)
  await expect(rows(page).first()).toBeVisible()
}

/** Returns the rendered rows, without the header. */
export const rows = (page: Page): Locator => page.locator('#usuarios tbody [data-index]')

const columnHead = (page: Page, name: string): Locator =>
  page.locator('#usuarios').getByRole('columnheader', { name, exact: true })

/** Returns the button of a column's header. */
export const header = (page: Page, name: string): Locator => columnHead(page, name).getByRole('button')

/** Waits until the rows are sorted by a column. */
export async function waitUntilSorted(page: Page, name: string, direction: string): Promise<void> {
  await expect(columnHead(page, name)).toHaveAttribute('aria-sort', direction)
  await expect(page.locator('#usuarios table')).toHaveAttribute('aria-busy', 'false')
}

export const getStatus = (page: Page): Locator => page.locator('#usuarios').getByRole('status')

/** Returns the button of a filter by its name; its text is the picked value. */
export const getFilter = (page: Page, name: string): Locator =>
  page.getByRole('combobox', { name: new RegExp(`^Filtrar por ${name}: `) })

export async function pickFilter(page: Page, name: string, option: string): Promise<void> {
  const all = page.getByRole('button', { name: /^Filtros/, expanded: false })
  if (await all.isVisible()) await all.click()
  await getFilter(page, name).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Returns the addresses in the first rows, from the top. */
export async function readFirstEmails(page: Page, count: number): Promise<string[]> {
  await expect(page.locator('#usuarios table')).toHaveAttribute('aria-busy', 'false')
  const row = (index: number) => page.locator(`#usuarios tbody [data-index="${index}"]`)
  const cells = Array.from({ length: count }, (_, index) => row(index).locator('td').nth(1))
  return (await Promise.all(cells.map((cell) => cell.textContent()))).map((text) => text ?? '')
}

/** Returns the number of people that the table displays. */
export async function countPeople(page: Page): Promise<number> {
  await expect(getStatus(page)).toHaveText(/^\d+ usuários$/)
  return Number.parseInt((await getStatus(page).textContent()) ?? '', 10)
}

/** Checks whether the page is wider than the window. */
export function hasHorizontalOverflow(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
}
