import type { Asked } from '#proof/bench/support/ask.ts'

/** How the portal refuses a report. */
export interface Refusal {
  status: number
  code: string
  detail: string
  /** Seconds of the reply's header. */
  retryAfter: number | undefined
  ms: number
}

/** Asks for an embed token and reads the refusal with its header; a token has neither code nor detail. */
export async function askForReport(url: string, token: string, request: Asked): Promise<Refusal> {
  const { method = 'POST', path, body } = request
  const startedAt = performance.now()
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { code = '', detail = '' } = (await reply.json()) as { code?: string; detail?: string }
  const retryAfter = reply.headers.get('retry-after')
  return {
    status: reply.status,
    code,
    detail,
    retryAfter: retryAfter === null ? undefined : Number(retryAfter),
    ms: performance.now() - startedAt,
  }
}
