import { backoffDelay, wait } from '#contract/timing.ts'
import { getRetryAfterMs, readFailure } from '#web/http/send-request.ts'

/** The server sends a heartbeat every 15 s; a stream silent for this long (ms) counts as dead. */
export const SILENCE_TIMEOUT_MS = 35_000
/** A stream that lasted this long (ms) resets the backoff. */
const MIN_STABLE_MS = 10_000
/** Short, because nothing else tells the page of changes. */
const BACKOFF = { firstMs: 500, maxMs: 3_000, jitterMs: 1_500 }

interface StreamOptions {
  signal: AbortSignal
  open: (attempt: AbortSignal) => Promise<ReadableStream<Uint8Array>>
  /** Called with each event's data, and without data on every sign of life. */
  onEvent: (data?: string) => void
  onDisconnect: () => void
}

/** Keeps an event stream open: reconnects with backoff after a failure or a refusal. */
export async function keepStreamOpen(options: StreamOptions): Promise<void> {
  const { signal, onDisconnect } = options
  let failures = 0
  while (!signal.aborted) {
    const openedAt = Date.now()
    let failure: unknown
    /** A server that stops names when to return. */
    let retryAfterMs: number | undefined
    try {
      await readUntilSilent(options, (ms) => {
        retryAfterMs = ms
      })
    } catch (error) {
      failure = error
    }
    if (signal.aborted) return
    onDisconnect()
    failures = Date.now() - openedAt >= MIN_STABLE_MS ? 0 : failures + 1
    retryAfterMs ??= getRetryAfterMs(failure)
    await pause(backoffDelay(failures + 1, { ...BACKOFF, retryAfterMs }), signal)
  }
}

/** Reads one stream to its end, or aborts it when it goes silent. */
async function readUntilSilent(
  { signal, open, onEvent }: StreamOptions,
  onRetry: (ms: number) => void,
): Promise<void> {
  const attempt = new AbortController()
  const abort = () => attempt.abort()
  let lastByteAt = Date.now()
  const abortIfSilent = () => {
    if (Date.now() - lastByteAt >= SILENCE_TIMEOUT_MS) abort()
  }
  // By the clock: after sleep the stream is dead, but the timers have not advanced.
  const watchdog = setInterval(abortIfSilent, 5_000)
  const options = { signal: attempt.signal }
  signal.addEventListener('abort', abort, options)
  document.addEventListener('visibilitychange', abortIfSilent, options)
  window.addEventListener('online', abortIfSilent, options)
  try {
    const stream = await open(attempt.signal)
    const onBytes = () => {
      lastByteAt = Date.now()
      onEvent()
    }
    await readEvents(stream, { onData: onEvent, onBytes, onRetry })
  } finally {
    clearInterval(watchdog)
    abort()
  }
}

/** Waits for the delay, or until the page becomes visible or comes back online. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  const waking = new AbortController()
  const options = { signal: waking.signal }
  const wake = () => waking.abort()
  signal.addEventListener('abort', wake, options)
  document.addEventListener(
    'visibilitychange',
    () => document.visibilityState === 'visible' && wake(),
    options,
  )
  window.addEventListener('online', wake, options)
  await wait(delayMs, waking.signal)
  wake()
}

/**
 * Opens an event stream by fetch, since EventSource would need the access token in the URL.
 * @throws ApiError when refused, TypeError without a network, the signal's reason when aborted
 */
export async function openEventStream(
  path: string,
  accessToken: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${accessToken}` }
  const response = await fetch(path, { headers, signal, cache: 'no-store' })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  // A proxy may answer with a page of its own, such as a hotel's sign-in page.
  if (!response.ok || !isStream || !response.body) throw await readFailure(response)
  return response.body
}

/**
 * Reads an event stream to its end (WHATWG HTML, 9.2.6; ignores ids and event names).
 * @param listeners onBytes is called for everything that arrives, including heartbeats
 */
export async function readEvents(
  stream: ReadableStream<Uint8Array>,
  { onBytes, ...listeners }: EventListeners & { onBytes: () => void },
): Promise<void> {
  const reader = stream.pipeThrough(createTextDecoder()).getReader()
  const parse = createEventParser(listeners)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    parse(value)
  }
}

interface EventListeners {
  /** Called with the data of each event. */
  onData: (data: string) => void
  /** Called with the delay (ms) after which the server wants the client to reconnect. */
  onRetry: (ms: number) => void
}

/** Creates a parser that assembles events from chunks of text split anywhere. */
export function createEventParser({ onData, onRetry }: EventListeners): (chunk: string) => void {
  let remainder = ''
  let data: string[] = []
  const parseLine = (line: string) => {
    if (line === '') {
      if (data.length > 0) onData(data.join('\n'))
      data = []
    } else if (/^retry: ?\d+$/.test(line)) onRetry(Number(line.slice(6)))
    else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
  }
  return (chunk) => {
    const lines = (remainder + chunk).split(/\r\n|\n|\r(?=[\s\S])/)
    remainder = lines.pop() ?? ''
    for (const line of lines) parseLine(line)
  }
}

/** Narrows the type: DOM typings expect wider chunks than a response body has. */
function createTextDecoder(): ReadableWritablePair<string, Uint8Array> {
  return new TextDecoderStream() as ReadableWritablePair<string, never>
}
