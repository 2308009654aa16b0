import type { Page } from '@playwright/test'
import { getContrast } from '#server/http/brand.ts'
import { expect, muteChanges, openAs, test } from './portal-fixture.ts'
import { callApiAs, emptyInbox, getCard, sendMessages } from './support-calls.ts'

async function openInbox(page: Page, search = ''): Promise<void> {
  await openAs(page, 'admin', `/mensagens${search}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mensagens de Suporte')
}

test('an administrator reads, marks and deletes messages', { tag: '@translated' }, async ({ page, demo }) => {
  await openInbox(page)
  await expect(page.getByRole('article').first()).toBeVisible()
  await emptyInbox(page)
  await page.reload()
  await expect(page.getByText('Nenhuma mensagem recebida ainda')).toBeVisible()

  await sendMessages(demo, { name: 'Primeira' }, { name: 'Segunda' }, { name: 'Terceira' })
  await expect(page.getByText('3 mensagens')).toBeVisible()
  await expect(page.getByRole('article').getByRole('heading')).toHaveText([
    'TerceiraNova',
    'SegundaNova',
    'PrimeiraNova',
  ])
  const card = getCard(page, 'Segunda')
  await expect(card.getByRole('time')).toHaveText(/^\d\d\/\d\d\/\d{4}, \d\d:\d\d$/)
  await expect(card).toHaveClass(/border-brand/)

  await card.getByRole('button', { name: 'Marcar como lida' }).click()
  await expect(page.getByText('Mensagem marcada como lida')).toBeVisible()
  await expect(card.getByText('Nova')).toHaveCount(0)
  await expect(card).not.toHaveClass(/border-brand/)
  await expect(card.getByRole('button', { name: 'Marcar como lida' })).toHaveCount(0)
  await expect(card).toBeFocused()
  await expect(card.getByText(/^Tratada por .+, hoje às \d\d:\d\d$/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Mensagens, 2 não lidas' })).toBeVisible()
  await card.getByRole('button', { name: 'Marcar como não lida' }).click()
  await expect(page.getByText('Mensagem marcada como não lida')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Mensagens, 3 não lidas' })).toBeVisible()
  const answer = card.getByRole('link', { name: 'Responder', exact: true })
  await expect(answer).toHaveAttribute('href', /^mailto:.+@.+[?]subject=.+&body=/)
  await expect(card.getByRole('link', { name: /^[+(]/ })).toHaveAttribute('href', /^tel:/)
  // No mail program opens in headless mode.
  await answer.click()
  await expect(card.getByText(/^Respondida por .+, hoje às \d\d:\d\d$/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Mensagens, 2 não lidas' })).toBeVisible()
  await card.getByRole('button', { name: 'Marcar como não lida' }).click()
  await expect(page.getByRole('link', { name: 'Mensagens, 3 não lidas' })).toBeVisible()
  const all = page.getByRole('button', { name: 'Marcar todas como lidas' })
  await all.click()
  await expect(page.getByText('Mensagens marcadas como lidas')).toBeVisible()
  await expect(all).toHaveCount(0)
  await expect(page.getByText('Nova', { exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Desfazer' }).click()
  await expect(page.getByText('Mensagens marcadas como não lidas')).toBeVisible()
  await expect(page.getByText('Nova', { exact: true })).toHaveCount(3)
  await all.click()
  await expect(page.getByText('Nova', { exact: true })).toHaveCount(0)

  await card.getByRole('button', { name: 'Excluir' }).click()
  const dialog = page.getByRole('dialog', { name: 'Excluir mensagem' })
  await dialog.getByRole('button', { name: 'Cancelar' }).click()
  await expect(card).toBeVisible()
  await card.getByRole('button', { name: 'Excluir' }).click()
  await dialog.getByRole('button', { name: 'Excluir' }).click()
  await expect(page.getByText('Mensagem excluída')).toBeVisible()
  await expect(card).toHaveCount(0)
  await expect(getCard(page, 'Primeira')).toBeFocused()
  await expect(page.getByText('2 mensagens')).toBeVisible()
})

test('a message with a filled honeypot is under Suspeitas alone, until it is moved or deleted', async ({
  page,
  demo,
}) => {
  await openInbox(page)
  await emptyInbox(page)
  await sendMessages(demo, { name: 'Robô', website: 'x' }, { name: 'Rita', website: 'x' }, { name: 'Ana' })
  await expect(page.getByText('1 mensagem', { exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Mensagens, 1 não lida/ })).toBeVisible()
  await page.getByText('Suspeitas').click()
  await expect(page).toHaveURL(/\?suspect=/)
  await expect(page.getByText('2 mensagens', { exact: true })).toBeVisible()
  await expect(page.getByText('Nova', { exact: true })).toHaveCount(0)
  const rita = getCard(page, 'Rita')
  await expect(rita.getByRole('button')).toHaveText(['Mover para a entrada', 'Excluir'])
  await expect(rita.getByRole('link', { name: 'Responder' })).toHaveCount(0)
  await rita.getByRole('button', { name: 'Mover para a entrada' }).click()
  await expect(page.getByText('Mensagem movida para a entrada')).toBeVisible()
  await expect(rita).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Mensagens, 2 não lidas' })).toBeVisible()
  await getCard(page, 'Robô').getByRole('button', { name: 'Excluir' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Excluir' }).click()
  await expect(page.getByText('Nenhuma mensagem suspeita')).toBeVisible()
  await page.getByText('Todas', { exact: true }).click()
  await expect(rita.getByText('Nova')).toBeVisible()
})

test('the search and the unread filter are kept in the URL', async ({ page, demo }) => {
  await sendMessages(demo, { name: 'José da Conceição', message: 'pedido 4711 urgente' }, { name: 'Outra' })
  await openInbox(page, '?q=4711')
  await expect(page.getByLabel('Buscar mensagens')).toHaveValue('4711')
  await expect(page.getByRole('article')).toHaveCount(1)
  await page.getByLabel('Buscar mensagens').fill('conceicao PEDIDO')
  await expect(page).toHaveURL(/\?q=conceicao(\+|%20)PEDIDO$/)
  await expect(getCard(page, 'José da Conceição')).toBeVisible()
  await page.getByText('Não lidas').click()
  await expect(page).toHaveURL(/unread=/)
  // The address changes first; then the list is rendered again.
  await expect(page.getByRole('radio', { name: 'Não lidas' })).toBeChecked()
  await getCard(page, 'José').getByRole('button', { name: 'Marcar como lida' }).click()
  await expect(page.getByText('Nenhuma mensagem encontrada')).toBeVisible()
  await page.getByRole('button', { name: 'Mostrar todas' }).click()
  await expect(page).toHaveURL(/\/mensagens$/)
  await expect(page.getByLabel('Buscar mensagens')).toHaveValue('')
  await expect(getCard(page, 'Outra')).toBeVisible()
})

test('hostile and long messages render as text within their cards', async ({ page, demo }) => {
  const attacked: string[] = []
  page.on('dialog', (dialog) => {
    attacked.push(dialog.message())
    void dialog.dismiss()
  })
  await sendMessages(
    demo,
    { name: '<img src=x onerror=alert(1)>', message: '<script>alert(2)</script><b>negrito</b>' },
    { name: 'Direita \u202efdp.exe', message: '\u202eمرحبا بالعالم' },
    { name: 'Emoji', message: '🚗'.repeat(500) },
    { name: 'L'.repeat(100), email: `${'a'.repeat(60)}@${'b'.repeat(60)}.com`, message: 'm'.repeat(1000) },
    {
      name: 'Assunto',
      email: "o'neil+x@exemplo.com.br",
      phone: '+55 21 3333-4444',
      message: 'a&b=c\n?d',
    },
  )
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await openInbox(page)
    await expect(getCard(page, '<img')).toContainText('<script>alert(2)</script><b>negrito</b>')
    await expect(page.locator('article img, article script, article b')).toHaveCount(0)
    expect(await getCard(page, 'Direita').textContent()).not.toContain('\u202e')
    const overflowing = await page.evaluate(
      () =>
        [...document.querySelectorAll('article, main, html')].filter((e) => e.scrollWidth > e.clientWidth)
          .length,
    )
    expect(overflowing).toBe(0)
    const emoji = getCard(page, 'Emoji')
    await emoji.scrollIntoViewIfNeeded()
    const folded = (await emoji.boundingBox())?.height ?? 0
    await emoji.getByRole('button', { name: 'Mostrar tudo' }).click()
    await expect.poll(async () => (await emoji.boundingBox())?.height).toBeGreaterThan(folded)
    await emoji.getByRole('button', { name: 'Mostrar menos' }).click()
    await expect.poll(async () => (await emoji.boundingBox())?.height).toBe(folded)
    if (width === 390) await page.getByRole('button', { name: 'Conta' }).click()
    await page.getByRole('button', { name: 'Sair' }).click()
  }
  expect(attacked).toEqual([])
})

test('a failed action is reported, and the message stays unchanged', async ({ page, demo }) => {
  // The event stream would refetch the list before the click.
  await muteChanges(page)
  await sendMessages(demo, { name: 'Teimosa' })
  await openInbox(page)
  const card = getCard(page, 'Teimosa')
  await page.route('**/api/support-messages/*-*', (route) => route.abort())
  await card.getByRole('button', { name: 'Marcar como lida' }).click()
  await expect(page.getByText('Erro ao marcar como lida')).toBeVisible()
  await expect(card.getByText('Nova')).toBeVisible()
  await card.getByRole('button', { name: 'Excluir' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Excluir' }).click()
  await expect(page.getByText('Erro ao excluir mensagem')).toBeVisible()
  await expect(card).toBeVisible()

  await page.route('**/api/support-messages?*', (route) => route.fulfill({ status: 500, body: 'no' }))
  await page.reload()
  const alert = page.getByRole('main').getByRole('alert')
  await expect(alert).toContainText('Erro ao carregar mensagens', { timeout: 15_000 })
  await page.unroute('**/api/support-messages?*')
  await alert.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(card).toBeVisible()
})

test('a list that failed to load is retried automatically, but not while offline', async ({
  page,
  demo,
  context,
}) => {
  await sendMessages(demo, { name: 'Depois da falha' })
  const list = '**/api/support-messages?*'
  const failed = page.getByText('Erro ao carregar mensagens').first()
  await page.route(list, (route) => route.abort())
  await openInbox(page)
  await expect(failed).toBeVisible()
  await context.setOffline(true)
  await page.unroute(list)
  await context.setOffline(false)
  await expect(getCard(page, 'Depois da falha')).toBeVisible()
  const remark = page.getByText('Sem conexão; a lista se atualiza quando ela voltar.')
  await expect(remark).toHaveCount(0)
  await context.setOffline(true)
  await expect(remark).toBeVisible()
  await context.setOffline(false)
  await expect(remark).toHaveCount(0)

  await page.route(list, (route) => route.abort())
  await page.reload()
  await expect(failed).toBeVisible()
  await page.unroute(list)
  await sendMessages(demo, { name: 'Com a novidade' })
  await expect(getCard(page, 'Com a novidade')).toBeVisible()
})

test('a problem report is shown in full, with its request code and without a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openInbox(page)
  await callApiAs(page, 'POST', '/api/support-messages/problem-reports', {
    type: 'CRM',
    embedMode: 'service_principal',
    reportId: crypto.randomUUID(),
    failure: 'Erro ao carregar o relatório do Power BI (LoadReportFailed)',
    requestId: 'codigo-4711',
  })
  const card = page.getByRole('article').filter({ hasText: 'Código da requisição: codigo-4711' })
  await expect(card).toBeVisible()
  const text = card.getByText('Problema no relatório CRM')
  expect(await text.evaluate((e) => e.scrollHeight - e.clientHeight)).toBeLessThanOrEqual(1)
  await expect(card.getByRole('button', { name: 'Mostrar tudo' })).toHaveCount(0)
  await expect(card.getByText('—', { exact: true })).toHaveCount(0)
})

test('in dark mode a badge of three characters covers no text, and unread messages have a border of sufficient contrast', async ({
  page,
  demo,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await sendMessages(demo, { name: 'No escuro' })
  await page.route('**/api/support-messages/unread-count', (route) => route.fulfill({ json: { count: 150 } }))
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    await openInbox(page)
    const link = page.getByRole('link', { name: 'Mensagens, 150 não lidas' })
    const badge = (await link.locator('[data-text="99+"]').boundingBox()) ?? { x: 0, width: 0, height: 0 }
    expect(badge.height).toBeLessThan(20)
    const icon = (await link.locator('svg').boundingBox()) ?? { x: 0, width: 0 }
    expect(badge.x).toBeGreaterThan(icon.x + icon.width / 3)
    if (width === 390) continue
    const label = (await link.getByText('Mensagens').boundingBox()) ?? { x: 0, width: 0 }
    expect(badge.x >= label.x + label.width + 4 || badge.x + badge.width + 4 <= label.x).toBe(true)
  }
  const [border, ground] = await getCard(page, 'No escuro').evaluate((card) => {
    const { borderTopColor, backgroundColor } = getComputedStyle(card)
    return [borderTopColor, backgroundColor]
  })
  // WCAG 2.2, 1.4.11.
  expect(getContrast(toHex(border), toHex(ground))).toBeGreaterThanOrEqual(3)
})

/** Converts 'rgb(15, 92, 125)' to '#0f5c7d'. */
function toHex(rgb = ''): string {
  const channels = rgb.match(/\d+/g) ?? []
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`
}
