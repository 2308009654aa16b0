import type { Page, Request } from '@playwright/test'
import { clickMenuItem, getRowMenu, toast } from './administration.ts'
import { expect, muteChanges, openAs, openSession, test } from './portal-fixture.ts'

const DEMOTED = 'diretoria'
const VENDAS = 'vendas.rj@grupopatio.com.br'

/** Actions under way when the administrator is demoted: the steps up to the last click, and that click. */
const ACTIONS: Record<
  string,
  { prepare?: (page: Page) => Promise<void>; press: (page: Page) => Promise<void> }
> = {
  save: {
    async prepare(page) {
      await clickMenuItem(page, 'Gerenciar Tipos de Acesso')
      await page.getByRole('dialog').getByRole('checkbox', { name: 'Slack' }).check()
    },
    press: (page) => page.getByRole('dialog').getByRole('button', { name: 'Salvar' }).click(),
  },
  delete: {
    async prepare(page) {
      await page.getByRole('row').getByRole('checkbox').last().check()
      await page.getByRole('button', { name: 'Excluir Selecionados (1)' }).click()
      await expect(page.getByRole('dialog').getByText(VENDAS)).toBeVisible()
    },
    press: (page) =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /^Excluir/ })
        .click(),
  },
  history: { press: (page) => clickMenuItem(page, 'Histórico') },
  export: { press: (page) => clickMenuItem(page, 'Exportar dados') },
}

test('a demoted administrator is sent away by any action on users, which has no effect', async ({
  page,
  browser,
  demo,
}) => {
  await demo.setAdministrator(DEMOTED, true)
  const context = await browser.newContext({ baseURL: demo.url })
  // The event stream would notify them too.
  await muteChanges(context)
  const reading = new Set<Request>()
  context.on('request', (request) => /\/api\/(?!changes)/.test(request.url()) && reading.add(request))
  context.on('requestfinished', (request) => reading.delete(request))
  context.on('requestfailed', (request) => reading.delete(request))
  const first = await context.newPage()
  await openSession(first, DEMOTED)
  const tabs: { name: string; tab: Page; press: (page: Page) => Promise<void> }[] = []
  for (const [name, { prepare, press }] of Object.entries(ACTIONS)) {
    const tab = await context.newPage()
    await tab.goto(`/admin?q=${VENDAS}`)
    await expect(getRowMenu(tab)).toBeVisible()
    await prepare?.(tab)
    tabs.push({ name, tab, press })
  }
  // Only the clicks' requests pass: a periodic refetch or a late reply could also reveal the demotion.
  for (const { tab } of tabs)
    await tab.route(/\/api\/(?!user-roles|.*\/(history|export))/, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.fallback(),
    )
  await expect.poll(() => reading.size).toBe(0)
  await demo.setAdministrator(DEMOTED, false)

  for (const { name, tab, press } of tabs)
    await test.step(name, async () => {
      // They have not been notified yet.
      await expect(tab).toHaveURL(/\/admin/)
      const downloads: unknown[] = []
      tab.on('download', (download) => downloads.push(download))
      await press(tab)
      await expect(toast(tab, 'Acesso negado. Apenas administradores.').first()).toBeVisible()
      await expect(tab).toHaveURL(/\/power-bi/)
      await expect(tab.getByRole('dialog')).toHaveCount(0)
      await expect(tab.getByRole('link', { name: 'Administração' })).toHaveCount(0)
      expect(downloads).toEqual([])
    })
  await context.close()

  // Unchanged, as another administrator sees.
  await openAs(page, 'admin', `/admin?q=${VENDAS}`)
  await clickMenuItem(page, 'Histórico')
  await expect(page.getByRole('dialog').getByText('Nenhuma alteração registrada')).toBeVisible()
})
