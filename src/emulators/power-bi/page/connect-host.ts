/** A request of the embedding page, as powerbi-client posts it (http-post-message). */
export interface HostRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

/** What the report answers; `afterwards` runs once the answer has been posted, so that events come behind it. */
export interface Answer {
  statusCode: number
  body?: unknown
  afterReply?: () => void
}

/**
 * Listens to the embedding page and gives back what posts requests to it. Must run while the document is being
 * parsed: the host posts `/report/load` as soon as the frame's load event has fired.
 */
export function connectHost(answer: (request: HostRequest) => Answer) {
  const host = window.parent
  // Known from the first message on; before it only `ready` is posted, which holds nothing secret.
  let hostOrigin = '*'

  window.addEventListener('message', ({ source, origin, data }) => {
    if (source !== host || typeof data !== 'object' || !data?.method || !data.url) return
    const { method, url, headers = {}, body } = data
    hostOrigin = origin === 'null' ? '*' : origin
    let reply: Answer
    try {
      reply = answer({ method, url, headers, body })
    } catch (error) {
      reply = { statusCode: 500, body: { message: String(error) } }
    }
    const message = { statusCode: reply.statusCode, headers: { id: headers.id }, body: reply.body ?? null }
    host.postMessage(message, hostOrigin)
    reply.afterReply?.()
  })

  return function post(url: string, body: unknown): void {
    const id = Math.random().toString(36).slice(2)
    host.postMessage({ method: 'POST', url, headers: { id }, body }, hostOrigin)
  }
}
