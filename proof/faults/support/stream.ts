import { get } from 'node:http'

/** An open stream of message changes. */
export interface Stream {
  /** Ids of changed messages, in the order in which they came. */
  ids: string[]
  isOpen(): boolean
  /** After how many milliseconds the portal has said to come back. */
  retryMs(): number | undefined
  /** Resolves at its end, with whether the portal ended it in order. */
  ended: Promise<{ isInOrder: boolean }>
  close(): void
}

/** Follows the changes of the inbox as the browser does. @throws Error when the portal refuses the stream */
export function followChanges(portalUrl: string, token: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const ids: string[] = []
    let isOpen = true
    let retryMs: number | undefined
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const request = get(`${portalUrl}/api/support-messages/changes`, { headers, agent: false }, (reply) => {
      if (reply.statusCode !== 200)
        return reject(new Error(`the stream was refused with ${reply.statusCode}`))
      let rest = ''
      reply.setEncoding('utf8')
      reply.on('data', (chunk: string) => {
        const events = (rest + chunk).split('\n\n')
        rest = events.pop() ?? ''
        for (const event of events) {
          retryMs = retryOf(event) ?? retryMs
          ids.push(...idsOf(event))
        }
      })
      const ended = new Promise<{ isInOrder: boolean }>((end) => {
        const endWith = (isInOrder: boolean) => () => {
          isOpen = false
          end({ isInOrder })
        }
        reply.on('end', endWith(true))
        reply.on('error', endWith(false))
      })
      const close = () => request.destroy()
      resolve({ ids, isOpen: () => isOpen, retryMs: () => retryMs, ended, close })
    })
    request.on('error', reject)
  })
}

function retryOf(event: string): number | undefined {
  const told = /^retry: ?(\d+)$/m.exec(event)?.[1]
  return told === undefined ? undefined : Number(told)
}

function idsOf(event: string): string[] {
  const data = /^data: ?(.*)$/m.exec(event)?.[1]
  if (!data) return []
  return (JSON.parse(data) as { ids?: string[] }).ids ?? []
}
