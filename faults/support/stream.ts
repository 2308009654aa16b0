import { get } from 'node:http'

/** An open stream of message changes. */
export interface Stream {
  /** Ids of changed messages, in the order in which they came. */
  ids: string[]
  isOpen(): boolean
  close(): void
}

/** Follows the changes of the inbox as the browser does. @throws Error when the portal refuses the stream */
export function followChanges(portalUrl: string, token: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const ids: string[] = []
    let isOpen = true
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const request = get(`${portalUrl}/api/support-messages/changes`, { headers, agent: false }, (reply) => {
      if (reply.statusCode !== 200)
        return reject(new Error(`the stream was refused with ${reply.statusCode}`))
      let rest = ''
      reply.setEncoding('utf8')
      reply.on('data', (chunk: string) => {
        const events = (rest + chunk).split('\n\n')
        rest = events.pop() ?? ''
        ids.push(...events.flatMap(idsOf))
      })
      const end = () => {
        isOpen = false
      }
      reply.on('end', end)
      reply.on('error', end)
      resolve({ ids, isOpen: () => isOpen, close: () => request.destroy() })
    })
    request.on('error', reject)
  })
}

function idsOf(event: string): string[] {
  const data = /^data: ?(.*)$/m.exec(event)?.[1]
  if (!data) return []
  return (JSON.parse(data) as { ids?: string[] }).ids ?? []
}
