import type { Page } from '@playwright/test'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'

async function openOnPhone(page: Page): Promise<void> {
  // Only a loaded report says that it has a phone layout; it is then embedded again.
  const reopened = page.waitForEvent('framedetached')
  await openAs(page, 'diretoria')
  await reopened
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
}

test('a report can be printed, shown full screen and reset', async ({ page }) => {
  await openAs(page, 'diretoria')
  const report = getReportFrame(page, 'Vendas')
  await expect(report.locator('[data-card]').first()).toBeVisible()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const frame = page.frames().find((candidate) => candidate.url().includes('reportEmbed'))
  await frame?.evaluate(() => {
    window.print = () => document.body.setAttribute('data-printed', '')
  })
  await button('Imprimir').click()
  await expect(report.locator('body')).toHaveAttribute('data-printed')

  // The browser itself would print an empty frame.
  await page.emulateMedia({ media: 'print' })
  await expect(
    page.getByText('Para imprimir este relatório, use “Imprimir” ou “Exportar” em PDF'),
  ).toBeVisible()
  await expect(page.locator('iframe[title="Vendas"]')).toBeHidden()
  await page.emulateMedia({ media: null })

  await button('Tela cheia').click()
  await expect
    .poll(() => page.evaluate(() => document.fullscreenElement?.getAttribute('title')))
    .toBe('Vendas')
  await page.evaluate(() => document.exitFullscreen())

  await report
    .getByRole('button', { name: /estado/i })
    .first()
    .click()
  await report.getByRole('group', { name: 'Estado' }).getByRole('button', { name: 'MG' }).click()
  await expect(report.getByRole('button', { name: 'Limpar seleção: MG' })).toBeVisible()
  await button('Restaurar filtros').click()
  await expect(report.getByRole('button', { name: /Limpar seleção/ })).toHaveCount(0)
  await expect(report.getByRole('button', { name: /estado/i }).first()).toHaveAttribute(
    'aria-current',
    'page',
  )
  await expect(report.locator('[data-card]').first()).toBeVisible()
  await expect(button('Restaurar filtros')).toBeVisible()

  // A report that people open with their own Microsoft account accepts no commands.
  await page.getByRole('tab', { name: 'Operadores' }).click()
  await expect(button('Tela cheia')).toBeVisible()
  await expect(button('Imprimir')).toHaveCount(0)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

  test('the tabs fade where more are hidden, and a menu holds the actions', async ({ page }) => {
    await openOnPhone(page)
    const row = page.getByRole('tablist').locator('..')
    const mask = () => row.evaluate((element) => getComputedStyle(element).maskImage)
    await expect.poll(mask).toContain('linear-gradient')
    const actions = page.getByRole('button', { name: 'Ações do relatório' })
    await actions.click()
    await expect(page.getByRole('button', { name: 'Restaurar filtros' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(actions).toBeFocused()
    await actions.click()
    await page.getByRole('button', { name: 'Restaurar filtros' }).click()
    await expect(page.getByRole('button', { name: 'Restaurar filtros' })).toHaveCount(0)

    await page.goto('/power-bi?area=Operadores')
    await expect(page.getByRole('tab', { name: 'Operadores', selected: true })).toBeInViewport({ ratio: 1 })
    await expect(row, 'the last tab stands clear of where the row fades out').not.toHaveClass(
      /(^| )fade-end( |$)/,
    )
    await expect(row).toHaveClass(/(^| )fade-start( |$)/)
  })

  test('a link is sent by the system’s share sheet, and copied where that fails', async ({
    page,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.addInitScript(() => {
      const sent: unknown[] = []
      const share = async (data: ShareData) => {
        sent.push(data)
        if (sent.length === 2) throw new DOMException('closed', 'AbortError')
        if (sent.length === 3) throw new DOMException('refused', 'NotAllowedError')
      }
      Object.assign(window, { sent })
      Object.defineProperty(navigator, 'share', { value: share })
    })
    await openOnPhone(page)
    const actions = page.getByRole('button', { name: 'Ações do relatório' })
    const send = page.getByRole('button', { name: 'Enviar…' })
    await actions.click()
    await send.click()
    await expect(send).toHaveCount(0)
    const url = new URL('/power-bi?area=Vendas', page.url()).href
    expect(await page.evaluate(() => Reflect.get(window, 'sent'))).toEqual([{ title: 'Vendas', url }])
    await actions.click()
    await send.click()
    await expect.poll(() => page.evaluate(() => Reflect.get(window, 'sent').length)).toBe(2)
    await expect(send).toBeVisible()
    await expect(page.getByText('Link copiado')).toHaveCount(0)
    await send.click()
    await expect(page.getByText('Link copiado')).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
  })

  test('in landscape the report has the whole height, and header and tabs can be restored', async ({
    page,
  }) => {
    await page.setViewportSize({ width: 844, height: 390 })
    await openAs(page, 'diretoria')
    const frame = page.locator('iframe[title="Vendas"]')
    await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
    const height = async () => (await frame.boundingBox())?.height
    await expect.poll(height).toBe(390)
    await page.getByRole('button', { name: 'Mostrar menu e abas' }).click()
    await expect(page.getByRole('link', { name: 'Minha conta' })).toBeVisible()
    await page.getByRole('tab', { name: 'Oficina' }).click()
    await expect(page.locator('iframe[title="Oficina"]')).toBeVisible()
    await expect(page.getByRole('tablist')).toBeHidden()
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(page.getByRole('tablist')).toBeVisible()
  })
})
