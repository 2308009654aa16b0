import { randomUUID } from 'node:crypto'

/** The reply of an endpoint before faults, headers and log are added; `text` or `bytes` replace `body`. */
export interface Reply {
  status: number
  body?: unknown
  text?: string
  bytes?: Buffer<ArrayBuffer>
  headers?: Record<string, string>
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Creates an error reply in the format of the Power BI REST API; most have no message. */
export function refuse(
  status: number,
  code: string,
  message?: string,
  headers?: Record<string, string>,
): Reply {
  const details = { code, parameters: {}, details: [], exceptionCulprit: 1 }
  return {
    status,
    body: { error: { code, message, 'pbi.error': details } },
    headers: { RequestId: randomUUID(), 'X-PowerBI-Error-Info': code, ...headers },
  }
}

/** Converts a reply to an HTTP response without caching and sniffing. */
export function toResponse(reply: Reply): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
  if (reply.text === undefined && reply.body !== undefined) {
    headers.set('Content-Type', 'application/json; charset=utf-8')
  }
  for (const [name, value] of Object.entries(reply.headers ?? {})) headers.set(name, value)
  const hasBody = ![204, 205, 304].includes(reply.status)
  const content = reply.bytes ?? reply.text ?? (reply.body === undefined ? null : JSON.stringify(reply.body))
  return new Response(hasBody ? content : null, { status: reply.status, headers })
}
