import type { Page } from '@playwright/test'
import { expect, signIn, test } from './portal-fixture.ts'
import { cardOf, emptyInbox, sendMessages } from './support-calls.ts'

// It counts what is there.
test.use({ ownPortal: 'inbox' })

async function openInbox(page: Page, search = ''): Promise<void> {
  await signIn(page, 'admin')
  await expect(page).toHaveURL(/\/power-bi$/)
  await page.goto(`/mensagens${search}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mensagens de Suporte')
}

test('an administrator reads, marks and deletes messages', async ({ page, demo }) => {
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
  const card = cardOf(page, 'Segunda')
  await expect(card.getByRole('time')).toHaveText(/^\d\d\/\d\d\/\d{4}, \d\d:\d\d$/)
  await expect(card).toHaveClass(/border-brand/)

  await card.getByRole('button', { name: 'Marcar como lida' }).click()
  await expect(page.getByText('Mensagem marcada como lida')).toBeVisible()
  await expect(card.getByText('Nova')).toHaveCount(0)
  await expect(card).not.toHaveClass(/border-brand/)
  await expect(card.getByRole('button', { name: 'Marcar como lida' })).toHaveCount(0)
  await expect(card).toBeFocused()
  await expect(page.getByRole('link', { name: 'Mensagens, 2 não lidas' })).toBeVisible()

  await card.getByRole('button', { name: 'Excluir' }).click()
  const dialog = page.getByRole('dialog', { name: 'Excluir mensagem' })
  await dialog.getByRole('button', { name: 'Cancelar' }).click()
  await expect(card).toBeVisible()
  await card.getByRole('button', { name: 'Excluir' }).click()
  await dialog.getByRole('button', { name: 'Excluir' }).click()
  await expect(page.getByText('Mensagem excluída')).toBeVisible()
  await expect(card).toHaveCount(0)
  await expect(cardOf(page, 'Primeira')).toBeFocused()
  await expect(page.getByText('2 mensagens')).toBeVisible()
})

test('search and the unread filter stand in the address', async ({ page, demo }) => {
  await sendMessages(demo, { name: 'José da Conceição', message: 'pedido 4711 urgente' }, { name: 'Outra' })
  await openInbox(page, '?q=4711')
  await expect(page.getByLabel('Buscar mensagens')).toHaveValue('4711')
  await expect(page.getByRole('article')).toHaveCount(1)
  await page.getByLabel('Buscar mensagens').fill('conceicao PEDIDO')
  await expect(page).toHaveURL(/\?q=conceicao(\+|%20)PEDIDO$/)
  await expect(cardOf(page, 'José da Conceição')).toBeVisible()
  await page.getByText('Não lidas').click()
  await expect(page).toHaveURL(/unread=/)
  await cardOf(page, 'José').getByRole('button', { name: 'Marcar como lida' }).click()
  await expect(page.getByText('Nenhuma mensagem encontrada')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Nenhuma mensagem encontrada')).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Não lidas' })).toBeChecked()
  await page.getByRole('button', { name: 'Mostrar todas' }).click()
  await expect(page).toHaveURL(/\/mensagens$/)
  await expect(page.getByLabel('Buscar mensagens')).toHaveValue('')
  await expect(cardOf(page, 'Outra')).toBeVisible()
  // Whatever stands in the address does no harm.
  await page.goto('/mensagens?q=%7B%22a%22%3A1%7D&unread=talvez')
  await expect(cardOf(page, 'Outra')).toBeVisible()
})

test('hostile and long messages are text and stay in their cards', async ({ page, demo }) => {
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
    await expect(cardOf(page, '<img')).toContainText('<script>alert(2)</script><b>negrito</b>')
    await expect(page.locator('article img, article script, article b')).toHaveCount(0)
    expect(await cardOf(page, 'Direita').textContent()).not.toContain('\u202e')
    const overflowing = await page.evaluate(
      () =>
        [...document.querySelectorAll('article, main, html')].filter((e) => e.scrollWidth > e.clientWidth)
          .length,
    )
    expect(overflowing).toBe(0)
    const emoji = cardOf(page, 'Emoji')
    await emoji.scrollIntoViewIfNeeded()
    const folded = (await emoji.boundingBox())?.height ?? 0
    await emoji.getByRole('button', { name: 'Mostrar tudo' }).click()
    await expect.poll(async () => (await emoji.boundingBox())?.height).toBeGreaterThan(folded)
    await emoji.getByRole('button', { name: 'Mostrar menos' }).click()
    await expect.poll(async () => (await emoji.boundingBox())?.height).toBe(folded)
    await page.getByRole('button', { name: 'Sair' }).click()
  }
  expect(attacked).toEqual([])
})

test('a message is answered by mail or by phone', async ({ page, demo }) => {
  const email = "o'neil+x@exemplo.com.br"
  await sendMessages(demo, {
    name: 'Resposta',
    email,
    phone: '+55 21 3333-4444',
    message: 'a&b=c\n?subject=x',
  })
  await openInbox(page)
  const card = cardOf(page, 'Resposta')
  const mailto = new URL((await card.getByRole('link', { name: email }).getAttribute('href')) ?? '')
  expect(decodeURIComponent(mailto.pathname)).toBe(email)
  expect([...mailto.searchParams.keys()]).toEqual(['subject', 'body'])
  expect(mailto.searchParams.get('subject')).toBe('Sua mensagem para Grupo Pátio')
  expect(mailto.searchParams.get('body')).toContain('> a&b=c\r\n> ?subject=x')
  await expect(card.getByRole('link', { name: '+55 21 3333-4444' })).toHaveAttribute(
    'href',
    'tel:+552133334444',
  )
})

test('what fails is said, and the message stands as it was', async ({ page, demo }) => {
  await sendMessages(demo, { name: 'Teimosa' })
  await openInbox(page)
  const card = cardOf(page, 'Teimosa')
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

test('people who are no administrators are sent away without a word', async ({ page }) => {
  await signIn(page, 'semrelatorio')
  await expect(page).toHaveURL(/\/power-bi$/)
  await page.goto('/mensagens')
  await expect(page).toHaveURL(/\/power-bi$/)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(page.getByRole('link', { name: /Mensagens/ })).toHaveCount(0)
})
