import type { Page } from '@playwright/test'
import { expect, openAs, test } from './portal-fixture.ts'
import { callApiAs } from './support-calls.ts'

test('thousands of messages scroll smoothly, and the scroll position is kept when messages arrive', async ({
  page,
}) => {
  await openAs(page, 'admin')
  const messages = createMessages()
  await page.route('**/api/support-messages?*', (route) => {
    const query = new URL(route.request().url()).searchParams
    const start = query.has('cursor') ? messages.findIndex(({ id }) => id === query.get('cursor')) + 1 : 0
    const items = messages.slice(start, start + Number(query.get('limit')))
    const next = start + items.length < messages.length ? items.at(-1)?.id : null
    return route.fulfill({ json: { items, total: messages.length, next } })
  })
  await page.goto('/mensagens')
  await expect(page.getByText('2.000 mensagens')).toBeVisible()
  const scroll = (to: number) => page.locator('#conteudo').evaluate((main, top) => main.scrollTo(0, top), to)
  const mostDrawn = await countRenderedCards(page)
  const seen = page.getByRole('listitem').filter({ has: page.getByRole('article') })
  const reachTheEnd = async () => {
    await scroll(1e9)
    return seen.last().getAttribute('aria-posinset')
  }
  await expect.poll(reachTheEnd, { intervals: [20], timeout: 30_000 }).toBe('2000')
  expect(await mostDrawn()).toBeLessThan(30)
  await expect(seen.first()).toHaveAttribute('aria-setsize', '2000')

  await scroll(20_000)
  const place = await findMiddleCard(page)
  messages.unshift({
    ...(messages[0] as (typeof messages)[0]),
    id: crypto.randomUUID(),
    name: 'Nova em cima',
  })
  await callApiAs(page, 'POST', '/api/support-messages', {
    name: 'Aviso',
    email: 'a@exemplo.com.br',
    phone: '1',
    message: 'x',
  })
  await expect(page.getByText('2.001 mensagens')).toBeAttached()
  const after = await findMiddleCard(page)
  expect(after.text).toBe(place.text)
  expect(Math.abs(after.top - place.top)).toBeLessThan(3)
})

function createMessages() {
  return Array.from({ length: 2_000 }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    name: `Pessoa ${index}`,
    email: `pessoa${index}@exemplo.com.br`,
    phone: '(21) 98765-4321',
    message: 'Texto da mensagem. '.repeat(1 + (index % 9)),
    is_read: index % 3 === 0,
    created_at: new Date(Date.UTC(2026, 0, 1) - index * 60_000).toISOString(),
  }))
}

/** @returns a function that returns the maximum number of cards rendered at once from now on */
async function countRenderedCards(page: Page): Promise<() => Promise<number>> {
  const counter = await page.evaluateHandle(() => {
    const counted = { most: 0 }
    const count = () => {
      counted.most = Math.max(counted.most, document.querySelectorAll('#conteudo article').length)
    }
    new MutationObserver(count).observe(document.body, { childList: true, subtree: true })
    count()
    return counted
  })
  return () => counter.evaluate(({ most }) => most)
}

/** Returns the card in the middle of the screen and its position, once stable for ten frames. */
async function findMiddleCard(page: Page): Promise<{ text: string | null | undefined; top: number }> {
  return page.evaluate(async () => {
    const look = () => {
      const card = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('li')
      return { text: card?.querySelector('h2')?.textContent, top: card?.getBoundingClientRect().top ?? 0 }
    }
    let [seen, frames] = [look(), 0]
    while (frames < 10) {
      await new Promise(requestAnimationFrame)
      const now = look()
      frames = now.text !== undefined && now.text === seen.text && now.top === seen.top ? frames + 1 : 0
      seen = now
    }
    return seen
  })
}
