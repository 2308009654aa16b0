import type { Insertable } from 'kysely'
import type { MessageChange } from '#contract/support.ts'
import type { Tables } from '#server/database/schema.ts'
import { send } from './builders.ts'
import type { TestPortal } from './test-portal.ts'

export const CONTACT_FORM = {
  name: 'Rita Prado',
  email: 'rita.prado@exemplo.com.br',
  phone: '(21) 98765-4321',
  message: 'O relatório de Vendas podia mostrar também o mês anterior.',
}

/** POST /support-messages */
export function sendContactForm(
  portal: TestPortal,
  changes: object = {},
  headers: Record<string, string> = {},
) {
  return send(portal, 'POST', '/api/support-messages', { body: { ...CONTACT_FORM, ...changes }, headers })
}

/** Inserts messages. @returns their ids, in order */
export async function addMessages(
  portal: TestPortal,
  ...messages: Partial<Insertable<Tables['support_messages']>>[]
): Promise<string[]> {
  const rows = await portal.database.db
    .insertInto('support_messages')
    .values(messages.map((message) => ({ ...CONTACT_FORM, ...message })))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

interface FollowedEvent {
  id: string | undefined
  data: MessageChange
}

/** A client of an open event stream. */
export interface EventFollower {
  status: number
  headers: Headers
  /** The text received so far. */
  text(): string
  events(): FollowedEvent[]
  /** Resolves at the end of the stream, by the server or by stop(). */
  closed: Promise<void>
  stop(): void
}

/** Opens the stream of message changes and reads it until it ends. */
export async function followEvents(
  portal: { url: string },
  token: string,
  headers: Record<string, string> = {},
): Promise<EventFollower> {
  const abort = new AbortController()
  const reply = await fetch(`${portal.url}/api/support-messages/changes`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: abort.signal,
  })
  let received = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of reply.body ?? []) received += decoder.decode(chunk, { stream: true })
  }
  return {
    status: reply.status,
    headers: reply.headers,
    text: () => received,
    events: () => parseEvents(received),
    // An aborted stream has ended too.
    closed: read().catch(() => {}),
    stop: () => abort.abort(),
  }
}

function parseEvents(text: string): FollowedEvent[] {
  const blocks = text.split('\n\n').slice(0, -1)
  return blocks.flatMap((block) => {
    const data = /^data: (.*)$/m.exec(block)?.[1]
    return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) }]
  })
}
