import { setTimeout as wait } from 'node:timers/promises'
import { followChanges, type Stream } from './stream.ts'

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
