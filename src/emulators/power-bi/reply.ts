import { randomUUID } from 'node:crypto'

/** What an endpoint answers before faults, headers and the log are added; `text` goes out instead of `body`. */
export interface Reply {
  status: number
  body?: unknown
  text?: string
  headers?: Record<string, string>
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A refusal in the shape of the Power BI REST API. */
export function createRefusal(
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): Reply {
  const requestId = randomUUID()
  return {
    status,
    body: { error: { code, message, 'pbi.error': { code, parameters: {}, details: [] } } },
    headers: { RequestId: requestId, 'x-powerbi-error-info': code, ...headers },
  }
}

/** The HTTP response of a reply; nothing of the emulator may be cached or sniffed. */
export function toResponse(reply: Reply): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
  if (reply.text === undefined && reply.body !== undefined) {
    headers.set('Content-Type', 'application/json; charset=utf-8')
  }
  for (const [name, value] of Object.entries(reply.headers ?? {})) headers.set(name, value)
  const hasBody = ![204, 205, 304].includes(reply.status)
  const text = reply.text ?? (reply.body === undefined ? null : JSON.stringify(reply.body))
  return new Response(hasBody ? text : null, { status: reply.status, headers })
}
