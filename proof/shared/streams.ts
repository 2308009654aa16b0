import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** An open stream of message changes. */
interface Stream {
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

/** A follower that comes back when it is sent away, as a browser does. */
export interface LastingStream {
  /** The replica that it follows at the moment; undefined while it is away. */
  replica(): string | undefined
  /** performance.now() of each end in order after which it was told when to come back. */
  sentAway: number[]
  /** Everything else that happened to it: broken, refused, not told. */
  troubles: string[]
  stop(): Promise<void>
}

/** @param pick where to follow; asked anew at each connection */
export function followForEver(pick: () => string, token: string): LastingStream {
  const sentAway: number[] = []
  const troubles: string[] = []
  let replica: string | undefined
  let stream: Stream | undefined
  let isOver = false

  async function followOnce(): Promise<number> {
    const picked = pick()
    stream = await followChanges(picked, token)
    if (isOver) stream.close()
    replica = picked
    const { isInOrder } = await stream.ended
    replica = undefined
    if (isOver) return 0
    const retryMs = stream.retryMs()
    if (isInOrder && retryMs !== undefined) sentAway.push(performance.now())
    else troubles.push(isInOrder ? 'ended without being told when to come back' : 'broken off')
    return retryMs ?? 1_000
  }
  async function follow(): Promise<void> {
    while (!isOver) {
      const pauseMs = await followOnce().catch((error) => {
        if (!isOver) troubles.push(String(error))
        return 1_000
      })
      if (!isOver) await wait(pauseMs)
    }
  }
  const done = follow()
  return {
    replica: () => replica,
    sentAway,
    troubles,
    async stop() {
      isOver = true
      stream?.close()
      await done
    },
  }
}
