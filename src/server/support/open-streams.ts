import type { EventStream } from '#server/http/event-stream.ts'
import { ProblemError } from '#server/http/problem-error.ts'

const MOST_PER_USER = 5
const RETRY_SECONDS = 15

/** Whose a stream is. */
export interface StreamOwner {
  sessionId: string
  userId: string
}

/** The streams that are open in this process. */
export interface OpenStreams {
  count(): number
  /**
   * Lets a stream in.
   * @returns takes it out again
   * @throws ProblemError rate-limited for the sixth of one user
   */
  add(stream: EventStream, owner: StreamOwner): () => void
  tellAll(events: Uint8Array): void
  /** Closes those whose session is not among the ones that `findAlive` finds. */
  closeEnded(findAlive: (sessionIds: string[]) => Promise<Set<string>>): Promise<void>
  closeAll(): void
}

export function createOpenStreams(): OpenStreams {
  const open = new Map<EventStream, StreamOwner>()
  const countOf = (userId: string) => {
    let count = 0
    for (const owner of open.values()) if (owner.userId === userId) count++
    return count
  }
  return {
    count: () => open.size,
    add(stream, owner) {
      if (countOf(owner.userId) >= MOST_PER_USER)
        throw new ProblemError('rate-limited', {
          detail: 'O portal já está aberto em muitas abas.',
          retryAfterSeconds: RETRY_SECONDS,
        })
      open.set(stream, owner)
      return () => open.delete(stream)
    },
    tellAll(events) {
      for (const stream of open.keys()) stream.write(events)
    },
    async closeEnded(findAlive) {
      if (open.size === 0) return
      // Those who come while the question is asked are not judged by its answer.
      const asked = [...open]
      const alive = await findAlive([...new Set(asked.map(([, { sessionId }]) => sessionId))])
      for (const [stream, { sessionId }] of asked) if (!alive.has(sessionId)) stream.close()
    },
    closeAll() {
      for (const stream of open.keys()) stream.close()
    },
  }
}
