import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { installLocalStorage, makeSession, openTab, problem } from '#web/testing/browser-parts.ts'

/** An event stream that the test writes to; each request gets the next answer, 503 when none is left. */
interface Stream {
  send: (text: string) => void
  end: () => void
}
type Answer = () => Response

let answers: Answer[]
let requests: { authorization: string | null; signal: AbortSignal }[]
let page: EventTarget & { visibilityState: string }

beforeEach(() => {
  vi.unstubAllGlobals()
  // Web Locks and BroadcastChannel do not follow fake timers.
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('BroadcastChannel', undefined)
  installLocalStorage()
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', page)
  vi.stubGlobal('window', new EventTarget())
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0)
  answers = []
  requests = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    const signal = init.signal as AbortSignal
    signal.throwIfAborted()
    requests.push({ authorization: new Headers(init.headers).get('authorization'), signal })
    return answers.shift()?.() ?? problem(503, 'database-unavailable')
  })
})
afterEach(() => vi.useRealTimers())

function createStream(): [Answer, Stream] {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
  })
  const answer = () => {
    requests.at(-1)?.signal.addEventListener('abort', () => controller?.error(new Error('aborted')))
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const send = (text: string) => controller?.enqueue(new TextEncoder().encode(text))
  return [answer, { send, end: () => controller?.close() }]
}

async function subscribe() {
  const tab = await openTab()
  const { queryClient } = await import('#web/http/query-client.ts')
  const { subscribeToChanges } = await import('./message-changes.ts')
  const refetch = vi.spyOn(queryClient, 'invalidateQueries')
  tab.adoptSession(makeSession(1))
  const stop = subscribeToChanges()
  await vi.advanceTimersByTimeAsync(0)
  return { tab, refetch, stop }
}
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`

describe('subscribeToChanges', () => {
  it('refetches everything when the stream reports a change, without polling', async () => {
    const [answer, { send }] = createStream()
    answers.push(answer)
    const { refetch, stop } = await subscribe()
    expect(requests[0]?.authorization).toBe('Bearer access-1')
    for (let beat = 0; beat < 20; beat += 1) {
      send(': heartbeat\n\n')
      await vi.advanceTimersByTimeAsync(15_000)
    }
    expect(refetch).not.toHaveBeenCalled()
    send(event({ kind: 'stale' }))
    await vi.advanceTimersByTimeAsync(0)
    expect(refetch.mock.calls.map(([filters]) => filters?.queryKey?.[0])).toEqual([
      'support-messages',
      'profiles',
      'catalogue',
    ])
    expect(requests).toHaveLength(1)
    stop()
  })

  it('refetches a query whose first load was in flight during the change', async () => {
    const [answer, { send }] = createStream()
    answers.push(answer)
    const { stop } = await subscribe()
    const { queryClient } = await import('#web/http/query-client.ts')
    const loaded: string[] = []
    let stored = 'before'
    const load = async () => {
      const read = stored
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      loaded.push(read)
      return read
    }
    const unsubscribe = new QueryObserver(queryClient, {
      queryKey: ['support-messages', 'list'],
      queryFn: load,
    }).subscribe(() => {})
    await vi.advanceTimersByTimeAsync(500)
    stored = 'after'
    send(event({ kind: 'stale' }))
    await vi.advanceTimersByTimeAsync(3_000)
    expect(loaded).toEqual(['before', 'after'])
    unsubscribe()
    stop()
  })

  it('reconnects a broken stream with backoff', async () => {
    const [answer, { send, end }] = createStream()
    answers.push(answer)
    const { stop } = await subscribe()
    send(': heartbeat\n\n')
    await vi.advanceTimersByTimeAsync(20_000)
    end()
    await vi.advanceTimersByTimeAsync(600)
    expect(requests).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(requests.length).toBeGreaterThan(4)
    expect(requests.length).toBeLessThan(9)
    stop()
  })

  it('aborts a silent stream', async () => {
    const [answer] = createStream()
    answers.push(answer)
    const { stop } = await subscribe()
    await vi.advanceTimersByTimeAsync(34_000)
    expect(requests[0]?.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(8_000)
    expect(requests[0]?.signal.aborted).toBe(true)
    expect(requests.length).toBeGreaterThan(1)
    stop()
  })

  it('polls every 15 seconds without a stream, except in a hidden page', async () => {
    answers = Array.from({ length: 100 }, () => () => problem(429, 'rate-limited', { 'retry-after': '600' }))
    const { refetch, stop } = await subscribe()
    await vi.advanceTimersByTimeAsync(46_000)
    expect(refetch).toHaveBeenCalledTimes(9)
    page.visibilityState = 'hidden'
    await vi.advanceTimersByTimeAsync(120_000)
    expect(refetch).toHaveBeenCalledTimes(9)
    page.visibilityState = 'visible'
    page.dispatchEvent(new Event('visibilitychange'))
    expect(refetch).toHaveBeenCalledTimes(12)
    stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(refetch).toHaveBeenCalledTimes(12)
  })

  it('stops at once when the session ends', async () => {
    const [answer] = createStream()
    answers.push(answer)
    const { tab, refetch } = await subscribe()
    tab.endLocalSession()
    expect(requests[0]?.signal.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(requests).toHaveLength(1)
    expect(refetch).not.toHaveBeenCalled()
  })

  it('refetches the role on 403', async () => {
    answers.push(() => problem(403, 'forbidden'))
    const tab = openTab()
    await tab
    const { queryClient } = await import('#web/http/query-client.ts')
    const invalidate = vi.spyOn(queryClient, 'invalidateQueries')
    const { subscribeToChanges } = await import('./message-changes.ts')
    ;(await tab).adoptSession(makeSession(1))
    const stop = subscribeToChanges()
    await vi.advanceTimersByTimeAsync(0)
    expect(invalidate).toHaveBeenCalledWith({ queryKey: ['own-role'] })
    stop()
  })

  it('does not refresh the session of an inactive person', async () => {
    const { stop } = await subscribe()
    vi.setSystemTime(Date.now() + 40 * 60_000)
    answers = Array.from({ length: 100 }, () => () => problem(401, 'unauthenticated'))
    requests = []
    await vi.advanceTimersByTimeAsync(61_000)
    // Only the old token is tried; a refresh would send none.
    expect(requests.length).toBeGreaterThan(0)
    expect(requests.every(({ authorization }) => authorization === 'Bearer access-1')).toBe(true)
    stop()
  })
})
