// Takes the README's pictures of a running demo: `npm start` in one terminal, `npm run pictures` in another.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { ensureChromium } from './find-programs.mjs'
import { root } from './run-command.mjs'

const address = process.argv[2] ?? 'http://localhost:4000'
const folder = join(root, 'docs/pictures')
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] })
for (const viewport of sizes) {
  const context = await browser.newContext({ viewport, locale: 'pt-BR', timezoneId: 'America/Sao_Paulo' })
  const page = await context.newPage()
  await page.goto(`${address}/login`)
  await page.locator('altcha-widget').waitFor()
  await page.screenshot({ path: join(folder, `login-${viewport.width}.png`) })
  await page.getByLabel('E-mail').fill('admin@grupopatio.com.br')
  await page.getByLabel('Senha', { exact: true }).fill('Patio-Demo-2026!')
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.frameLocator('iframe[title="Vendas"]').locator('[data-card]').first().waitFor()
  // The sign-in's toast goes by itself.
  await page.getByText('Login realizado com sucesso!').waitFor({ state: 'hidden' })
  await page.screenshot({ path: join(folder, `power-bi-${viewport.width}.png`) })
  await page.goto(`${address}/admin`)
  await page.getByRole('button', { name: 'Ir para os usuários' }).click()
  await page.getByText('Vera Vendas').or(page.getByText('adriana.')).first().waitFor()
  await page.screenshot({ path: join(folder, `admin-${viewport.width}.png`) })
  await page.goto(`${address}/mensagens`)
  await page.getByText('Rita Prado').waitFor()
  await page.screenshot({ path: join(folder, `mensagens-${viewport.width}.png`) })
  await context.close()
}
await browser.close()
