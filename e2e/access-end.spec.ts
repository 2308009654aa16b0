import { readFile } from 'node:fs/promises'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { clickMenuItem, expect, openAdmin, openPerson, test, toast } from './administration.ts'
import { findSeriousViolations } from './axe-findings.ts'
import { getReportFrame, openAs, toEmail } from './portal-fixture.ts'
import { rows } from './user-table-fixture.ts'

const VENDAS = toEmail('vendas.rj')
const DAY_MS = 24 * 60 * 60_000
const formatDay = (day: string) => day.split('-').reverse().join('/')

test('an end date is set or removed for many people at once and can be undone', async ({ page, other }) => {
  const day = toSaoPauloDay(Date.now() + 30 * DAY_MS)
  await other.change(VENDAS, { valid_until: day })
  const later = toSaoPauloDay(Date.now() + 60 * DAY_MS)
  await openAdmin(page, `?q=${VENDAS}`)
  await page.getByRole('checkbox', { name: 'Selecionar todos os usuários que correspondem' }).check()
  await page.getByRole('button', { name: 'Alterar Filtros em Massa (1)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Alteração em Massa' })
  await dialog.getByText('Mais opções').click()
  await dialog.getByText('Mudar a validade do acesso').click()
  const [effect, field] = [dialog.getByRole('status'), dialog.getByLabel('Válido até')]
  await expect(effect).toHaveText('Escolha o último dia do acesso, ou “Sem prazo”.')
  await field.fill(toSaoPauloDay(Date.now() - DAY_MS))
  await expect(field).toHaveAccessibleDescription('Este dia já passou. Escolha hoje ou um dia depois.')
  await field.fill(later)
  await expect(effect).toHaveText(`O acesso de 1 pessoa passa a valer até ${formatDay(later)}.`)
  await dialog.getByRole('button', { name: 'Sem prazo' }).click()
  await expect(effect).toHaveText('O acesso de 1 pessoa passa a não ter prazo.')
  await dialog.getByRole('button', { name: 'Mudar prazo' }).click()
  await expect(toast(page, 'Prazo alterado com sucesso para 1 usuário(s)')).toBeVisible()
  expect((await other.person(VENDAS)).valid_until).toBeNull()
  await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  await expect(rows(page).first()).toContainText(`Válido até ${formatDay(day)}`)
})

test('an end date shows in the row, in the history and to the person', async ({ page, browser, portal }) => {
  const day = toSaoPauloDay(Date.now() + 30 * DAY_MS)
  await openPerson(page, VENDAS)
  await clickMenuItem(page, 'Gerenciar Tipos de Acesso')
  const dialog = page.getByRole('dialog')
  const field = dialog.getByLabel('Válido até')
  await field.fill(toSaoPauloDay(Date.now() - DAY_MS))
  await expect(dialog.getByText('Este dia já passou. Escolha hoje ou um dia depois.')).toBeVisible()
  await field.fill('31022027')
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(field).toHaveAccessibleDescription('Escreva a data como 31/12/2026.')
  // In Brazilian order, whatever the browser's language.
  await field.fill('')
  await field.pressSequentially(formatDay(day).replaceAll('/', ''))
  await expect(field).toHaveValue(formatDay(day))
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(rows(page).first()).toContainText(`Válido até ${formatDay(day)}`)
  await clickMenuItem(page, 'Histórico')
  await expect(dialog).toContainText(`mudou a validade do acesso`)
  await expect(dialog).toContainText(`válido até ${formatDay(day)}`)
  await page.keyboard.press('Escape')

  const yesterday = toSaoPauloDay(Date.now() - DAY_MS)
  const colleague = await browser.newPage({ baseURL: portal.url })
  await openAs(colleague, 'vendas.rj')
  await expect(colleague.getByRole('tab', { name: 'Vendas' })).toBeVisible()
  const { db } = portal.database
  await db.updateTable('profiles').set({ valid_until: yesterday }).where('email', '=', VENDAS).execute()
  await colleague.reload()
  await expect(colleague.getByRole('main')).toContainText(
    `Seu acesso ao portal era válido até ${formatDay(yesterday)}. Para continuar, peça a um administrador que o prorrogue.`,
  )
  await expect(rows(page).first()).toContainText(`Acesso encerrado em ${formatDay(yesterday)}`)
  await colleague.getByRole('link', { name: 'Escrever ao administrador' }).click()
  await expect(colleague.getByLabel('Mensagem')).toHaveValue(/Meu acesso ao portal terminou/)
  await colleague.close()
})

test('the holders of a marca are reviewed, and the review is recorded', async ({ page, other }) => {
  const holders = await other.people('marca=JEEP')
  await openAs(page, 'admin', '/admin/revisoes')
  await page.getByRole('link', { name: 'Revisar: Marca JEEP' }).click()
  // The overview, still there for a moment, has a heading for each item.
  await expect(page.getByRole('heading', { level: 2, name: 'este acesso' })).toHaveText(
    `Marca JEEP: ${holders.length} pessoas têm este acesso`,
  )
  const people = page.getByRole('list', { name: /^Marca JEEP/ }).getByRole('listitem')
  const search = page.getByLabel('Buscar nesta revisão')
  await search.fill('VÉRA')
  await expect(people).toHaveCount(1)
  await expect(people).toContainText('Vendas, CRM · RJ')
  await page.getByRole('checkbox', { name: `Remover de ${VENDAS}` }).check()
  await search.fill('ninguém')
  await expect(page.getByText('Ninguém com este acesso corresponde à busca.')).toBeVisible()
  await search.fill('')
  await expect(people).toHaveCount(holders.length)
  await page.getByLabel('Ordem').selectOption('seen')
  const finish = page.getByRole('button', { name: 'Concluir revisão' })
  const dialog = page.getByRole('dialog')

  // What is marked outlives the screen and the page.
  await page.goBack()
  await expect(page.getByText('em andamento, 1 marcada para remover')).toBeVisible()
  await page.reload()
  await page.getByRole('link', { name: 'Continuar: Marca JEEP' }).click()
  await expect(page.getByRole('checkbox', { name: `Remover de ${VENDAS}` })).toBeChecked()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Baixar CSV' }).click()
  const csv = await readFile(await (await saved).path(), 'utf8')
  expect(csv.split('\r\n')).toHaveLength(holders.length + 2)
  expect(csv).toMatch(new RegExp(`^${VENDAS};Vera Vendas;.*;Remover\\r$`, 'm'))

  // Another administrator revokes it from one person meanwhile: nothing is saved, the list reloads.
  const gone = holders.find(({ email }) => email !== VENDAS)
  await other.change(gone?.email ?? '', { marcas: [], estados: gone?.estados })
  await finish.click()
  await dialog.getByRole('button', { name: 'Concluir revisão' }).click()
  await expect(toast(page, 'Não foi possível registrar a revisão')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: `Remover de ${gone?.email}` })).toHaveCount(0)
  await expect(page.getByRole('checkbox', { name: `Remover de ${VENDAS}` })).toBeChecked()

  await finish.click()
  await dialog.getByRole('button', { name: 'Concluir revisão' }).click()
  await expect(toast(page, 'Revisão registrada: Marca JEEP')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Revisões feitas' }).getByRole('listitem')).toContainText(
    `${holders.length - 2} mantidos, 1 removido · admin@grupopatio.com.br`,
  )
  expect((await other.person(VENDAS)).marcas).toEqual(['FIAT'])
  await expect(page.getByText('em andamento')).toHaveCount(0)
  await page.getByText(/^\d.* · Marca JEEP$/).click()
  await expect(page.getByText(`Vera Vendas (${VENDAS})`, { exact: true })).toBeVisible()
  // Who gets it after the review is new in the next one.
  await other.change(VENDAS, { marcas: ['FIAT', 'JEEP'], estados: ['RJ'] })
  await page.getByRole('link', { name: 'Revisar: Marca JEEP' }).click()
  await expect(people.filter({ hasText: 'Novo desde a última revisão' })).toContainText('Vera Vendas')
  const findings = await findSeriousViolations(page)
  expect(findings).toEqual([])
})

test('an administrator views the reports as another person, under a permanent notice', async ({
  page,
  other,
}) => {
  await openAdmin(page, '?q=vendas.rj&status=approved')
  const before = page.url()
  await clickMenuItem(page, 'Ver como')
  const frame = page.getByRole('region', { name: 'Vendo como Vera Vendas' })
  await expect(frame).toContainText('somente leitura')
  await expect(frame.getByRole('timer')).toHaveText(/^Restam 1[45]:\d\d$/)
  await expect(frame.getByRole('tab')).toHaveText(['Vendas', 'CRM'])
  await expect(getReportFrame(page, 'Vendas').getByText('FIAT').first()).toBeVisible({ timeout: 20_000 })
  expect(await findSeriousViolations(page)).toEqual([])
  await frame.getByRole('link', { name: 'Encerrar' }).click()
  // Back to the list with the filters it had.
  await expect(page).toHaveURL(before)
  await expect(rows(page)).toHaveCount(1)
  expect((await other.person(VENDAS)).last_sign_in_at).toBeNull()
})
