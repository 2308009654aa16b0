import { ApiError } from './api-error.ts'
import { readEvents } from './read-event-stream.ts'

/** The server says something every 15 s; a stream that has been silent for this long (ms) is dead. */
export const SILENCE_MS = 35_000
/** A stream that lasted this long (ms) was a good one: the next is asked for soon. */
const GOOD_MS = 10_000
const LONGEST_WAIT_MS = 60_000

export interface StreamOptions {
  /** Ends it. */
  signal: AbortSignal
  /** Asks for the stream. */
  open: (attempt: AbortSignal) => Promise<ReadableStream<Uint8Array>>
  /** Called with each event's data, and without any when the stream shows that it is alive. */
  onNews: (data?: string) => void
  /** Called when there is no stream any more. */
  onLost: () => void
  /** Called when the server says that this person may not have it. */
  onForbidden: () => void
}

/** Holds a stream of events open for as long as it may: broken or refused, it is asked for again, later and later. */
export async function keepStreamOpen(options: StreamOptions): Promise<void> {
  const { signal, onLost, onForbidden } = options
  let failures = 0
  while (!signal.aborted) {
    const openedAt = Date.now()
    let failure: unknown
    try {
      await readUntilSilent(options)
    } catch (error) {
      failure = error
    }
    if (signal.aborted) return
    onLost()
    if (failure instanceof ApiError && failure.status === 403) onForbidden()
    failures = Date.now() - openedAt >= GOOD_MS ? 0 : failures + 1
    await rest(delayAfter(failures, failure), signal)
  }
}

/** Reads one stream to its end; ends it itself when nothing comes any more. */
async function readUntilSilent({ signal, open, onNews }: StreamOptions): Promise<void> {
  const attempt = new AbortController()
  const abort = () => attempt.abort()
  let heardAt = Date.now()
  const giveUpInSilence = () => {
    if (Date.now() - heardAt >= SILENCE_MS) abort()
  }
  // By the clock: a computer that wakes up has a dead stream, and its timers have stood still.
  const watching = setInterval(giveUpInSilence, 5_000)
  const options = { signal: attempt.signal }
  signal.addEventListener('abort', abort, options)
  document.addEventListener('visibilitychange', giveUpInSilence, options)
  window.addEventListener('online', giveUpInSilence, options)
  try {
    const stream = await open(attempt.signal)
    await readEvents(stream, onNews, () => {
      heardAt = Date.now()
      onNews()
    })
  } finally {
    clearInterval(watching)
    abort()
  }
}

/** 1, 2, 4 … 60 s with up to a second of chance, so that a server that comes back is not run over; or what it asked for. */
function delayAfter(failures: number, failure: unknown): number {
  const asked = failure instanceof ApiError ? (failure.retryAfterSeconds ?? 0) * 1_000 : 0
  return Math.max(asked, Math.min(LONGEST_WAIT_MS, 500 * 2 ** failures)) + Math.random() * 1_000
}

/** Waits; a page that is seen again or comes back online waits no longer. */
function rest(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const waking = new AbortController()
    const wake = () => {
      clearTimeout(timer)
      waking.abort()
      resolve()
    }
    const timer = setTimeout(wake, delayMs)
    const wakeWhenSeen = () => {
      if (document.visibilityState === 'visible') wake()
    }
    signal.addEventListener('abort', wake, { signal: waking.signal })
    document.addEventListener('visibilitychange', wakeWhenSeen, { signal: waking.signal })
    window.addEventListener('online', wake, { signal: waking.signal })
  })
}
