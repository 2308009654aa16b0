import { findViolations, forEachAppearance } from './axe-findings.ts'
import { expect, test } from './portal-fixture.ts'
import { fillIds, getForm, getTab, openSettings, save, selectArea, toast, VENDAS } from './settings-card.ts'

test('the card is usable by keyboard alone', async ({ page }) => {
  await openSettings(page, 'Operadores')
  await getTab(page, 'Operadores').focus()
  for (const key of ['Home', 'ArrowLeft', 'ArrowRight', 'ArrowRight', 'ArrowRight'])
    await page.keyboard.press(key)
  await expect(getTab(page, 'HPD')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(getTab(page, 'HPD')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Tab')
  const radio = (name: string) => getForm(page).getByRole('radio', { name })
  await expect(radio('Service Principal')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(radio('URL Direta (SSO)')).toBeChecked()
  await page.keyboard.press('ArrowDown')
  for (const id of [VENDAS.workspaceId, VENDAS.reportId, '']) {
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await page.keyboard.type(id)
  }
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Configuração do Power BI para HPD salva com sucesso')).toBeVisible()
  await expect(getForm(page).getByLabel('Dataset ID (opcional)')).toBeFocused()
})

test('axe finds no violation in the card, and nothing overflows', async ({ page }) => {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  const expectNothing = () =>
    forEachAppearance(page, async () => {
      expect(await findViolations(page)).toEqual([])
      expect(await overflow()).toBe(0)
    })
  await page.setViewportSize({ width: 390, height: 844 })
  const form = await openSettings(page, 'Slack')
  // The people who wait are listed above the card.
  await page
    .getByRole('heading', { name: 'Configuração Global do Power BI' })
    .evaluate((heading) => heading.scrollIntoView())
  await expect(getTab(page, 'Slack')).toBeInViewport()
  await fillIds(form, 'https://app.powerbi.com', 'x')
  await save(page)
  await expect(form.getByLabel('Report ID')).toHaveAttribute('aria-invalid', 'true')
  await expectNothing()
  await form.getByRole('radio', { name: 'URL Direta (SSO)' }).check()
  await form.getByLabel('URL do relatório').fill('https://app.powerbi.com/view?r=1')
  await expectNothing()
  await selectArea(page, 'CRM')
  await getForm(page).getByRole('radio', { name: 'Nenhum' }).check()
  await save(page)
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNothing()
})
