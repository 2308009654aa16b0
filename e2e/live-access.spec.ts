import type { Page } from '@playwright/test'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { expect, test, toast } from './administration.ts'
import { createSession, getReportFrame, openAs, toEmail } from './portal-fixture.ts'

// Nobody clicks, reloads or gives a page the focus here.
const VENDAS = toEmail('vendas.rj')
const tabs = (page: Page) => page.getByRole('tab')
const SOON = { timeout: 10_000 }

test('a report leaves the screen with the access to it, and returns with that', async ({ page, other }) => {
  await openAs(page, 'vendas.rj')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible(SOON)
  await other.change(VENDAS, { types: ['CRM'] })
  await expect(tabs(page)).toHaveText(['CRM'], SOON)
  await expect(page.locator('iframe[title="Vendas"]')).toHaveCount(0)
  await other.change(VENDAS, { approved: false })
  await expect(page.getByText('Sua conta está pendente de aprovação')).toBeVisible(SOON)
  await expect(page.locator('iframe')).toHaveCount(0)
  // Loaded late; it tells of the approval.
  await expect(page.getByRole('button', { name: 'Verificar agora' })).toBeVisible()
  await other.change(VENDAS, { approved: true })
  await expect(toast(page, 'Sua conta foi aprovada')).toBeVisible(SOON)
  await expect(getReportFrame(page, 'CRM').locator('[data-card]').first()).toBeVisible(SOON)
})

test('an access that ends, report settings and the catalogue show in every tab', async ({
  page,
  other,
  portal,
}) => {
  await openAs(page, 'vendas.rj')
  await expect(tabs(page)).toHaveText(['Vendas', 'CRM'])
  const second = await page.context().newPage()
  await second.goto('/power-bi')
  for (const tab of [page, second]) await expect(tabs(tab)).toHaveText(['Vendas', 'CRM'])
  const { db } = portal.database
  await db.deleteFrom('global_powerbi_settings').where('type', '=', 'vendas').execute()
  for (const tab of [page, second]) await expect(tabs(tab)).toHaveText(['CRM'], { timeout: 20_000 })
  const { body } = await other.call('PATCH', '/api/catalogue/types/crm', { label: 'Clientes' })
  expect(body).toHaveProperty('version')
  for (const tab of [page, second]) await expect(tabs(tab)).toHaveText(['Clientes'], { timeout: 20_000 })
  const yesterday = toSaoPauloDay(Date.now() - 24 * 60 * 60_000)
  await db.updateTable('profiles').set({ valid_until: yesterday }).where('email', '=', VENDAS).execute()
  for (const tab of [page, second])
    await expect(tab.getByText('Seu acesso ao portal era válido até')).toBeVisible(SOON)
})

test('a session that ends elsewhere says why, in every tab', async ({ page, portal }) => {
  await openAs(page, 'vendas.rj')
  await expect(tabs(page)).toHaveText(['Vendas', 'CRM'])
  const second = await page.context().newPage()
  await second.goto('/profile')
  await expect(second.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
  const elsewhere = await createSession('vendas.rj')
  const reply = await fetch(`${portal.url}/api/functions/change-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${elsewhere.access_token}` },
    body: JSON.stringify({ newPassword: 'Garagem-Azul-2031-Nova!' }),
  })
  expect(await reply.json()).toMatchObject({ success: true })
  for (const tab of [page, second]) {
    await expect(tab).toHaveURL(/\/login$/, SOON)
    await expect(tab.getByText('A senha desta conta foi trocada. Entre com a nova senha.')).toBeVisible()
  }
})

test('a role that is given or taken shows at once', async ({ page, demo }) => {
  await openAs(page, 'diretoria')
  await expect(tabs(page).first()).toBeVisible()
  await demo.setAdministrator('diretoria', true)
  await page.getByRole('link', { name: /^Administração/ }).click(SOON)
  await expect(page).toHaveURL(/\/admin/)
  await expect(page.getByRole('heading', { name: 'Administração', level: 1 })).toBeVisible()
  await demo.setAdministrator('diretoria', false)
  await expect(toast(page, 'Acesso negado. Apenas administradores.')).toBeVisible(SOON)
  await expect(toast(page, /^Seu papel de administrador acaba de ser retirado/)).toBeVisible()
  await expect(page).toHaveURL(/\/power-bi/)
  await expect(page.getByRole('link', { name: /^Administração/ })).toHaveCount(0)
})

test('a page that waits says so while no changes reach it, and is up to date soon after', async ({
  page,
  portal,
}) => {
  let isCut = true
  await page.route('**/api/changes', (route) => (isCut ? route.abort() : route.continue()))
  await openAs(page, 'pendente')
  const promise = page.getByText('esta página se atualiza sozinha')
  await expect(promise).toBeVisible()
  await expect(page.getByText('Agora esta página não recebe avisos.')).toBeVisible({ timeout: 15_000 })
  await portal.database.db
    .updateTable('profiles')
    .set({ approved: true, types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] })
    .where('email', '=', toEmail('pendente'))
    .execute()
  isCut = false
  // The page reconnects within five seconds, and reads two seconds later.
  await expect(toast(page, 'Sua conta foi aprovada')).toBeVisible({ timeout: 20_000 })
})

test('changes made at one replica show in a browser at another', async ({ page, browser, portal, other }) => {
  await openAs(page, 'vendas.rj')
  await expect(tabs(page)).toHaveText(['Vendas', 'CRM'])
  const replica = await portal.startReplica()
  const administrator = await browser.newPage({ baseURL: replica })
  await openAs(administrator, 'admin', '/admin?q=pendente@')
  const row = administrator.getByRole('row').filter({ hasText: 'pendente@' })
  await expect(row.getByText('Pendente', { exact: true }).first()).toBeVisible(SOON)
  // Written by way of the first replica, seen at the second, and the other way round.
  await other.change(toEmail('pendente'), { approved: true, types: ['CRM'], marcas: ['GM'], estados: ['MG'] })
  await expect(row.getByText('Aprovado', { exact: true })).toBeVisible(SOON)
  // What showed the first change may have been the first event of the stream.
  await other.change(toEmail('pendente'), { approved: false })
  await expect(row.getByText('Pendente', { exact: true }).first()).toBeVisible(SOON)
  const { user_id } = await other.person(VENDAS)
  const { access_token } = await createSession('admin')
  const reply = await fetch(`${replica}/api/profiles/${user_id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
    body: JSON.stringify({ types: ['CRM'] }),
  })
  expect(reply.status).toBe(200)
  await expect(tabs(page)).toHaveText(['CRM'], SOON)
  await expect(page.locator('iframe[title="Vendas"]')).toHaveCount(0)
  await administrator.close()
})
