import type { Locator, Page } from '@playwright/test'
import { EMULATED_REPORTS, type EmulatedReport } from '#emulators/power-bi/catalogue.ts'
import { expect, openAs } from './portal-fixture.ts'

export const [VENDAS, OFICINA] = EMULATED_REPORTS as unknown as [EmulatedReport, EmulatedReport]

export const getTab = (page: Page, area: string) => page.getByRole('tab', { name: new RegExp(`^${area} `) })
/** Returns the form of the selected area. */
export const getForm = (page: Page) => page.getByRole('tabpanel').getByRole('form')
export const getDatasetField = (page: Page) => getForm(page).getByLabel('Dataset ID (opcional)')
export const save = (page: Page) => page.getByRole('button', { name: 'Salvar Configurações' }).click()
export const toast = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notificações' }).getByText(text, { exact: true })
/** Matches a field's description that begins with its error, followed by the hint. */
export const toPrefixPattern = (text: string) => new RegExp(`^${text.replace(/[.()]/g, '\\$&')}( |$)`)

/** Signs in and opens the card of /admin at an area. */
export async function openSettings(page: Page, area: string, name = 'admin'): Promise<Locator> {
  // The overview calls Power BI too, and must not meet the faults that a test scripts.
  const overview = page.waitForResponse('**/api/global-powerbi-settings/states')
  await openAs(page, name, `/admin?area=${area}`)
  await overview
  await expect(getTab(page, area)).toHaveAttribute('aria-selected', 'true')
  return getForm(page)
}

/** Selects an area, whose form replaces the one before once the address has changed. */
export async function selectArea(page: Page, area: string): Promise<void> {
  await getTab(page, area).click()
  await expect(getTab(page, area)).toHaveAttribute('aria-selected', 'true')
}

export async function fillIds(form: Locator, workspaceId: string, reportId: string): Promise<void> {
  await form.getByRole('radio', { name: 'Service Principal' }).check()
  await form.getByLabel('Workspace ID').fill(workspaceId)
  await form.getByLabel('Report ID').fill(reportId)
}
