import { sql } from 'kysely'
import { findSeriousViolations } from './axe-findings.ts'
import { expect, getReportFrame, openAs, test, toEmail } from './portal-fixture.ts'

test('a report is mailed on a schedule, stopped by the link of the mail, taken up again and deleted', async ({
  page,
  demo,
  portal,
}) => {
  test.setTimeout(120_000)
  await openAs(page, 'vendas.rj')
  await expect(getReportFrame(page, 'Vendas').locator('[data-card]').first()).toBeVisible()
  await page.getByRole('button', { name: 'Exportar', exact: true }).click()
  await page.getByRole('button', { name: 'Receber por e-mail' }).click()
  const dialog = page.getByRole('dialog', { name: 'Receber Vendas por e-mail' })
  await expect(dialog.getByLabel('Dia da semana')).toHaveValue('1')
  await dialog.getByLabel('Frequência').selectOption('Todo mês')
  await dialog.getByLabel('Dia do mês').selectOption('31, ou o último')
  expect(await findSeriousViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByText('Você o recebe todo mês no dia 31 às 8h')).toBeVisible()

  await page.goto('/profile')
  await page.getByRole('link', { name: 'Relatórios por e-mail' }).click()
  const item = page.getByRole('list', { name: 'Envios' }).getByRole('listitem')
  await expect(item).toContainText('Todo mês no dia 31 às 8h, em PDF')
  await expect(page.getByText(/500 envios da mesma hora levam cerca de 1 h 40 min/)).toBeVisible()
  await page.getByRole('button', { name: 'Mudar Vendas' }).click()
  await dialog.getByLabel('Frequência').selectOption('Todo dia')
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(item).toContainText('Todo dia às 8h, em PDF')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await findSeriousViolations(page)).toEqual([])

  // Its hour comes.
  await sql`update report_subscriptions set next_run_at = now(),
    hour = extract(hour from now() at time zone 'America/Sao_Paulo')`.execute(portal.database.db)
  const mail = await demo.mail(toEmail('vendas.rj'), 'report-mail')
  expect(mail.text).toContain('está anexado em PDF, só com os seus dados')
  const link = /\S+\/parar-envio#token=\S+/.exec(mail.text)?.[0] ?? ''
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Parar de receber?' })).toBeVisible()
  await expect(page.getByText('Você deixa de receber por e-mail: Vendas.')).toBeVisible()
  expect(page.url()).not.toContain('token')
  expect(await findSeriousViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'Ver meus envios' }).click()
  await expect(item).toContainText(/Próximo: .* Último: /)
  await page.goto(link)
  await page.getByRole('button', { name: 'Parar de receber' }).click()
  await expect(page.getByRole('heading', { name: 'Envio parado' })).toBeVisible()
  await page.goto('about:blank')
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Este envio já estava parado' })).toBeVisible()
  await page.getByRole('link', { name: 'Ver meus envios' }).click()
  await expect(item).toContainText('Parado')
  await page.getByRole('button', { name: 'Retomar Vendas' }).click()
  await expect(item).toContainText('Próximo: ')
  await page.getByRole('button', { name: 'Excluir Vendas' }).click()
  await expect(page.getByText('Você ainda não recebe nenhum relatório')).toBeVisible()
  await page.getByRole('button', { name: 'Desfazer' }).click()
  await expect(item).toContainText('Todo dia')
  // Without a report in the dialog, one of the person's is chosen.
  await page.getByRole('button', { name: 'Novo envio' }).click()
  await expect(page.getByRole('combobox', { name: 'Relatório' })).toHaveText(/Vendas/)

  await openAs(page, 'admin', '/admin/saude')
  await page.getByText('Relatórios por e-mail (1)').click()
  const all = page.getByRole('list', { name: 'Relatórios por e-mail' }).getByRole('listitem')
  await expect(all).toContainText(toEmail('vendas.rj'))
})

test('what is on the screen is mailed as a view that it is saved as, under a proposed name', async ({
  page,
}) => {
  await openAs(page, 'diretoria')
  const report = getReportFrame(page, 'Vendas')
  await report
    .getByRole('button', { name: /estado$/i })
    .first()
    .click()
  await report.getByRole('group', { name: 'Estado' }).getByRole('button', { name: 'MG' }).press('Enter')
  const views = page.getByRole('button', { name: /^Visões/ })
  const dialog = page.getByRole('dialog')
  const open = async (content?: string) => {
    await page.getByRole('button', { name: 'Exportar', exact: true }).click()
    if (content) await dialog.getByText(content).click()
    await dialog.getByRole('button', { name: 'Receber por e-mail' }).click()
  }
  const contents = dialog.getByLabel('Conteúdo')
  await open('Como foi publicado')
  await expect(contents).toHaveValue('')
  await dialog.getByRole('button', { name: 'Cancelar' }).click()
  await open()
  await expect(contents.locator(':checked')).toHaveText('Como está agora, salvo como visão')
  const name = dialog.getByLabel('Nome da visão')
  const proposed = await name.inputValue()
  expect(proposed).toMatch(/^Vendas · \d\d\/\d\d$/)
  // The mail is refused at first: what was saved is not saved twice.
  await page.route('**/api/report-subscriptions', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 503, body: '' }) : route.fallback(),
  )
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByText('Erro ao salvar o envio')).toBeVisible({ timeout: 20_000 })
  await page.unroute('**/api/report-subscriptions')
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByText('Você o recebe toda segunda-feira às 8h')).toBeVisible()
  await expect(views).toHaveAccessibleName(`Visões: ${proposed}`)
  await page.goto('/profile/envios')
  await expect(page.getByRole('list', { name: 'Envios' }).getByRole('listitem')).toContainText(proposed)
})
