import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, reportOf, signIn, test } from './portal-fixture.ts'

async function seriousFindings(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
}

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1440, 390])
    test(`axe finds nothing serious on /login and /power-bi (${colorScheme}, ${width} px)`, async ({
      page,
    }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 844 })
      await page.goto('/login')
      await expect(page.locator('altcha-widget').getByRole('checkbox')).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
      await signIn(page, 'naoverificado')
      await expect(reportOf(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
    })
