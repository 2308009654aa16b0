import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { EMULATED_PAGINATED_REPORT } from '#emulators/power-bi/catalogue.ts'
import { migrate } from '#server/database/migrate.ts'
import { openPglite } from '#server/database/open-embedded.ts'
import { addPerson, configureReports, openTestSession } from '#server/testing/builders.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'
import { expect, getReportFrame, test } from './portal-fixture.ts'

// Outside of the demo the browser frames https://app.powerbi.com: a route answers with the emulated
// report page here, and powerbi-client takes the same path as in production.

const file = (path: string) => new URL(`../dist/${path}`, import.meta.url)
let portal: TestPortal

test.beforeAll(async () => {
  const database = await openPglite({})
  await migrate(database.db)
  portal = await startTestPortal({
    kind: 'embedded',
    database,
    clock: Object.assign(() => Date.now(), { advance: () => {} }),
    page: {
      folder: file('web').pathname,
      brand: { color: '#0f5c7d', logo: undefined, picture: undefined },
      portal: {
        html: readFileSync(file('web/index.html'), 'utf8'),
        screens: JSON.parse(readFileSync(file('prerender/screens.json'), 'utf8')),
        settings: {
          groupName: 'Grupo Pátio',
          logoPath: null,
          groupSiteUrl: 'https://example.com',
          groupDealershipsUrl: 'https://example.com/lojas',
          companyEmailDomain: 'grupopatio.com.br',
          humanCheck: { kind: 'altcha' },
          contactCaptcha: false,
          signIn: 'password',
          reportEmbedBase: 'https://app.powerbi.com',
          powerBiHosts: ['app.powerbi.com'],
          isDemo: false,
          version: '9.8.7',
        },
      },
    },
  })
  await configureReports(portal, 'Vendas')
})

test.afterAll(async () => {
  await portal.stop()
  await portal.database.close()
})

/**
 * Not in the framed app.powerbi.com, where the script also
 * runs: a browser may deny storage to a frame.
 */
const storeSession = (page: Page, session: object) =>
  page.addInitScript((value) => {
    if (window === window.top) localStorage.setItem('patio.session', value)
  }, JSON.stringify(session))

test('a report of app.powerbi.com is embedded under the production CSP', async ({ page }) => {
  const framed: string[] = []
  await page.route('https://app.powerbi.com/**', (route) => {
    framed.push(route.request().url())
    return new URL(route.request().url()).pathname === '/reportEmbed'
      ? route.fulfill({
          path: file('report-page/index.html').pathname,
          contentType: 'text/html; charset=utf-8',
        })
      : route.fulfill({ status: 404 })
  })
  const person = await addPerson(portal, { marcas: ['FIAT', 'JEEP'], estados: ['RJ'] })
  const session = await openTestSession(portal, person)
  await storeSession(page, session)
  await page.goto(`${portal.url}/power-bi`)

  const sums = await fetch(`${portal.emulatorUrl}/data?area=Vendas&marcas=FIAT,JEEP&estados=RJ`)
  const { cards } = (await sums.json()) as { cards: { id: string; formatted: string }[] }
  for (const { id, formatted } of cards)
    await expect(getReportFrame(page, 'Vendas').locator(`[data-card="${id}"] [data-value]`)).toHaveText(
      formatted,
    )

  const allowsCopying = await getReportFrame(page, 'Vendas')
    .locator('body')
    .evaluate(({ ownerDocument }) =>
      (
        ownerDocument as Document & { featurePolicy: { allowsFeature: (name: string) => boolean } }
      ).featurePolicy.allowsFeature('clipboard-write'),
    )
  expect(allowsCopying).toBe(true)

  const { searchParams } = new URL(framed.find((url) => url.includes('/reportEmbed')) as string)
  expect(searchParams.get('reportId')).toBe('5a7d1e34-0b92-4c68-9f3d-1c8e62a4b701')
  expect(searchParams.get('groupId')).toBe('3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f501')
})

test('a paginated report is embedded from its own URL', async ({ page }) => {
  const { workspaceId, reportId, datasetId } = EMULATED_PAGINATED_REPORT
  await portal.database.db
    .insertInto('global_powerbi_settings')
    .values({
      type: 'oficina',
      embed_mode: 'service_principal',
      workspace_id: workspaceId,
      report_id: reportId,
      dataset_id: datasetId,
    })
    .execute()
  const framed: string[] = []
  await page.route('https://app.powerbi.com/**', (route) => {
    const { pathname } = new URL(route.request().url())
    framed.push(pathname)
    return /^\/(report|rdl)Embed$/.test(pathname)
      ? route.fulfill({
          path: file('report-page/index.html').pathname,
          contentType: 'text/html; charset=utf-8',
        })
      : route.fulfill({ status: 404 })
  })
  const person = await addPerson(portal, { types: ['Oficina'], marcas: ['FIAT', 'JEEP'], estados: ['RJ'] })
  const session = await openTestSession(portal, person)
  await storeSession(page, session)
  await page.goto(`${portal.url}/power-bi`)
  const report = getReportFrame(page, 'Oficina')
  await expect(report.getByRole('table')).toContainText('JEEP')
  await expect(report.getByRole('table')).not.toContainText('HONDA')
  await expect(page.getByText('Carregando o relatório Oficina…')).toHaveCount(0)
  await page.getByRole('button', { name: 'Visões', exact: true }).click()
  await expect(page.getByText('Relatórios paginados não têm visões.')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Exportar', exact: true }).click()
  await expect(
    page.getByText('Este é um relatório paginado, e o portal não o exporta', { exact: false }),
  ).toBeVisible()
  // From then on the right frame is created at once.
  framed.length = 0
  await page.reload()
  await expect(report.getByRole('table')).toContainText('JEEP')
  expect(framed.filter((path) => path.endsWith('Embed'))).toEqual(['/rdlEmbed'])
})
