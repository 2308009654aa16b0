import type { Page } from '@playwright/test'
import { expect, type Fault, test } from './portal-fixture.ts'
import { openSettings } from './settings-card.ts'

const FAULTS: [fault: Fault, sentence: RegExp][] = [
  [
    { on: 'report', status: 404 },
    /^O relatório não existe neste espaço de trabalho: o administrador do portal precisa/,
  ],
  [
    { on: 'report', status: 403 },
    /^O portal não tem acesso a este espaço de trabalho: .*o administrador do Power BI precisa/,
  ],
  [
    { on: 'dataset', status: 404 },
    /^O modelo de dados não existe no espaço de trabalho em que deveria estar: o administrador do portal precisa/,
  ],
  [{ on: 'report', status: 429, headers: { 'retry-after': '60' } }, /^O Power BI pediu uma pausa/],
  [{ on: 'report', status: 503, times: 2 }, /^O Power BI não respondeu como devia: espere/],
  [{ on: 'directory', status: 401 }, /^O Microsoft Entra recusou as credenciais do portal: a equipe de TI/],
]

async function openVendas(page: Page) {
  const form = await openSettings(page, 'Vendas')
  const button = form.getByRole('button', { name: 'Testar relatório' })
  return { form, button, result: form.locator('[aria-live]') }
}

test('a report that works is named, with its last refresh', async ({ page, demo }) => {
  const { button, result } = await openVendas(page)
  await demo.reset()
  await demo.script({ on: 'report', delayMs: 700 })
  await button.click()
  await expect(button).toHaveAttribute('aria-busy', 'true')
  await expect(result).toHaveText('Testando o relatório…')
  await expect(result).toHaveText(
    /^Tudo certo: o relatório “Vendas do grupo” .* \d\d\/\d\d\/\d{4}, \d\d:\d\d \(horário de Brasília\)\.$/,
  )
})

test('each fault is told in one sentence that says who mends it', async ({ page, demo }) => {
  const { button, result } = await openVendas(page)
  for (const [fault, sentence] of FAULTS) {
    await demo.reset()
    await demo.script({ times: 1, ...fault })
    await button.click()
    await expect(result, JSON.stringify(fault)).toHaveText(sentence)
  }
})

test('what the service said itself can be copied into a ticket', async ({ page, demo, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { form, button, result } = await openVendas(page)
  await demo.reset()
  await demo.script({ on: 'generateToken', status: 400, errorCode: 'UnknownError', times: 1 })
  await button.click()
  await expect(result).toHaveText(
    /^O Power BI recusou o relatório \(código UnknownError, pedido [0-9a-f-]{36}\)/,
  )
  await form.getByRole('button', { name: 'Copiar' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^Power BI: código UnknownError · pedido [0-9a-f-]{36}$/,
  )
})

test('what is typed is tested, not what is saved, and a result is over with the next key', async ({
  page,
  demo,
}) => {
  const { form, button, result } = await openVendas(page)
  await demo.reset()
  const unknown = '00000000-0000-4000-8000-000000000000'
  await form.getByLabel('Report ID').fill(unknown)
  await button.click()
  await expect(result).toHaveText(/^O relatório não existe neste espaço de trabalho/)
  expect((await demo.calls()).map(({ path }) => path).join(' ')).toContain(unknown)
  await form.getByLabel('Report ID').fill('x')
  await expect(result).toHaveText('')
  // Nothing is sent that the form itself refuses.
  await demo.reset()
  await button.click()
  await expect(form.getByLabel('Report ID')).toHaveAccessibleDescription(/^Report ID inválido/)
  expect(await demo.calls()).toEqual([])

  await form.getByRole('radio', { name: 'URL Direta (SSO)' }).check()
  await form.getByLabel('URL do relatório').fill('https://app.powerbi.com/reportEmbed?reportId=1')
  await button.click()
  await expect(result).toHaveText(/^Links de SSO não podem ser testados pelo portal/)
  await form.getByRole('radio', { name: 'Nenhum' }).check()
  await expect(button).toHaveCount(0)
})

test('a test that could not be made is said too', async ({ page }) => {
  const { button, result } = await openVendas(page)
  await page.route('**/api/global-powerbi-settings/vendas/test', (route) => route.abort())
  await button.click()
  await expect(result).toHaveText(
    'Não foi possível testar o relatório. Sem conexão com o portal. Verifique sua internet e tente novamente.',
  )
})
