import type { Page } from '@playwright/test'
import type { Demo } from './portal-fixture.ts'

/** A message as the contact form sends it. */
interface SentMessage {
  name: string
  email: string
  phone: string
  message: string
  /** The honeypot. */
  website: string
}

/** Sends contact messages one after the other, with defaults for omitted fields. */
export async function sendMessages(demo: Demo, ...messages: Partial<SentMessage>[]): Promise<void> {
  for (const given of messages) {
    const body = {
      name: 'Ana',
      email: 'ana@exemplo.com.br',
      phone: '(21) 98765-4321',
      message: 'Olá',
      ...given,
    }
    const reply = await fetch(`${demo.url}/api/support-messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(await reply.text())
  }
}

/** Returns the card of a person's message. */
export function getCard(page: Page, name: string) {
  return page.getByRole('article', { name })
}

/** Calls the API as the page's signed-in person. */
export async function callApiAs<T>(page: Page, method: string, path: string, body?: unknown): Promise<T> {
  return page.evaluate(
    async (call) => {
      const { access_token } = JSON.parse(localStorage.getItem('patio.session') ?? '{}')
      const reply = await fetch(call.path, {
        method: call.method,
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      })
      return reply.status === 204 ? undefined : reply.json()
    },
    { method, path, body },
  )
}

/** Deletes all messages. */
export async function emptyInbox(page: Page): Promise<void> {
  for (;;) {
    const { items } = await callApiAs<{ items: { id: string }[] }>(
      page,
      'GET',
      '/api/support-messages?limit=100',
    )
    if (items.length === 0) return
    for (const { id } of items) await callApiAs(page, 'DELETE', `/api/support-messages/${id}`)
  }
}
