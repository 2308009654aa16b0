import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, send } from './requests.ts'

/** Background load. */
interface Running {
  /** Ends it and waits for requests in flight. */
  stop(): Promise<Answer[]>
}

/** Sends a request every `everyMs`, independent of earlier replies. */
export function sendAtRate(everyMs: number, send: () => Promise<Answer>): Running {
  const flying: Promise<Answer>[] = []
  const timer = setInterval(() => flying.push(send()), everyMs)
  // A fault that throws leaves it running: it must not keep the process alive.
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      return Promise.all(flying)
    },
  }
}

/** Sends a contact message with a unique text; the portal replies 201 once it is stored. */
export function writeMessage(
  portalUrl: string,
  marks: string[],
  timeoutMs?: number,
  localAddress?: string,
): Promise<Answer> {
  const mark = randomUUID()
  const body = {
    name: 'Teste de falha',
    email: 'falha@exemplo.com.br',
    phone: '(21) 98765-4321',
    message: mark,
  }
  return send(portalUrl, {
    method: 'POST',
    path: '/api/support-messages',
    body,
    ...(timeoutMs && { timeoutMs }),
    ...(localAddress && { localAddress }),
  }).then((answer) => {
    if (answer.status === 201) marks.push(mark)
    return answer
  })
}

/** Reads the texts of all messages in the inbox, page by page. */
export async function readMessages(portalUrl: string, token: string): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  do {
    const answer = await send(portalUrl, { path: `/api/support-messages?limit=100${cursor}`, token })
    if (answer.status !== 200) throw new Error(`the inbox answered ${answer.status} ${answer.error ?? ''}`)
    const page = JSON.parse(answer.body) as { items: { message: string }[]; next: string | null }
    found.push(...page.items.map(({ message }) => message))
    cursor = page.next ? `&cursor=${encodeURIComponent(page.next)}` : ''
  } while (cursor)
  return found
}

/** Counts acknowledged messages that are missing. */
export async function countLost(
  portalUrl: string,
  token: string,
  acknowledged: readonly string[],
): Promise<number> {
  const kept = new Set(await readMessages(portalUrl, token))
  return acknowledged.filter((mark) => !kept.has(mark)).length
}

/**
 * Polls until a condition holds.
 * @returns the milliseconds it took, Infinity on a timeout
 */
export async function waitUntil(holds: () => Promise<boolean>, maxMs: number): Promise<number> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < maxMs) {
    if (await holds()) return performance.now() - startedAt
    await wait(20)
  }
  return Number.POSITIVE_INFINITY
}
