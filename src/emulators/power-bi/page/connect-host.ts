/** A request of powerbi-client in the embedding page (http-post-message). */
export interface HostRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

/** The report's answer; `afterReply` runs once it has been posted, so that events follow it. */
export interface Answer {
  statusCode: number
  body?: unknown
  afterReply?: () => void
}

/**
 * Listens to the embedding page and returns a function that posts to it. Must run while the document
 * is parsed, because the host posts `/report/load` right after the frame's load event.
 */
export function connectHost(answer: (request: HostRequest) => Answer) {
  const host = window.parent
  // Known after the first message; before, only `ready` is posted, without secrets.
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
