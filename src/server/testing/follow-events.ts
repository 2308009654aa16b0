import type { LiveTopic, LiveVersions } from '#contract/live.ts'

/** A client of an open event stream. */
export interface EventFollower {
  status: number
  headers: Headers
  /** The text received so far. */
  text(): string
  events(): LiveVersions[]
  /** The topics of all events but the first, in order of appearance. */
  topics(): LiveTopic[]
  /** Resolves at the end of the stream, by the server or by stop(). */
  closed: Promise<void>
  stop(): void
}

/** Opens the stream of changes and reads it until it ends. */
export async function followEvents(
  portal: { url: string },
  token: string,
  path = '/api/changes',
): Promise<EventFollower> {
  const abort = new AbortController()
  const reply = await fetch(portal.url + path, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  })
  let received = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of reply.body ?? []) received += decoder.decode(chunk, { stream: true })
  }
  const events = () =>
    [...received.matchAll(/^data: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data) as LiveVersions)
  return {
    status: reply.status,
    headers: reply.headers,
    text: () => received,
    events,
    topics: () => [
      ...new Set(
        events()
          .slice(1)
          .flatMap((event) => Object.keys(event) as LiveTopic[]),
      ),
    ],
    // An aborted stream has ended too.
    closed: read().catch(() => {}),
    stop: () => abort.abort(),
  }
}
