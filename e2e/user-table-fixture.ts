import type { Locator, Page } from '@playwright/test'
import type { ManagedProfile } from '#contract/users.ts'
import { expect, openAs, PASSWORD } from './portal-fixture.ts'

/** Columns by their number. */
export const EMAIL = 1
export const NAME = 2

/** Signs the administrator in and opens the table. */
export async function openTable(page: Page, search = ''): Promise<void> {
  await openAs(page, 'admin', `/admin${search}`)
  await expect(rows(page).first()).toBeVisible()
}

/** The rows that are drawn, the header's aside. */
export const rows = (page: Page): Locator => page.locator('#usuarios tbody [data-index]')

export const columnHead = (page: Page, name: string): Locator =>
  page.locator('#usuarios').getByRole('columnheader', { name, exact: true })

/** The button of a column's head. */
export const header = (page: Page, name: string): Locator => columnHead(page, name).getByRole('button')

/** Waits until the rows stand in the order of a column: before, they are those of the last order. */
export async function untilSorted(page: Page, name: string, direction: string): Promise<void> {
  await expect(columnHead(page, name)).toHaveAttribute('aria-sort', direction)
  await expect(page.locator('#usuarios table')).toHaveAttribute('aria-busy', 'false')
}

export const words = (page: Page): Locator => page.locator('#usuarios').getByRole('status')

/** The button of a filter by its name: it says what is picked. */
export const filterBy = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^Filtrar por ${name}: `) })

export async function pickFilter(page: Page, name: string, option: string): Promise<void> {
  await filterBy(page, name).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Texts of one column of the first rows, from the top. */
export async function columnTexts(page: Page, column: number, count = 10): Promise<string[]> {
  await expect(page.locator('#usuarios table')).toHaveAttribute('aria-busy', 'false')
  const texts: string[] = []
  for (let index = 0; index < count; index++) {
    const cell = page.locator(`#usuarios tbody [data-index="${index}"] td`).nth(column)
    // Below the name stands what the person may see.
    const text = column === NAME ? cell.locator('span').first() : cell
    texts.push((await text.textContent()) ?? '')
  }
  return texts
}

/** Everybody, as the server tells the administrator. */
export async function readEverybody(portalUrl: string): Promise<ManagedProfile[]> {
  const reply = await fetch(`${portalUrl}/api/auth/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@grupopatio.com.br', password: PASSWORD }),
  })
  const { access_token } = await reply.json()
  const list = await fetch(`${portalUrl}/api/profiles?limit=1000`, {
    headers: { authorization: `Bearer ${access_token}` },
  })
  return (await list.json()).items
}

/** Whether the page is wider than the window. */
export function overflowsSideways(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
}
