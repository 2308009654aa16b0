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
  const { subscribeToChanges } = await import('./live-changes.ts')
  const refetch = vi.spyOn(queryClient, 'invalidateQueries')
  tab.adoptSession(makeSession(1))
  const stop = subscribeToChanges()
  await vi.advanceTimersByTimeAsync(0)
  /** Returns the keys refetched since the last call. */
  const listRefetched = () => {
    const keys = refetch.mock.calls.map(([filters]) => filters?.queryKey?.[0])
    refetch.mockClear()
    return keys
  }
  return { tab, listRefetched, stop }
}
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const FIRST = { me: 'a', settings: 'b', catalogue: 'c' }

describe('subscribeToChanges', () => {
  it('refetches everything once at first, and then only what shows a changed topic', async () => {
    const [answer, { send }] = createStream()
    answers.push(answer)
    const { listRefetched, stop } = await subscribe()
    expect(requests[0]?.authorization).toBe('Bearer access-1')
    send(event({ ...FIRST, messages: '0', people: '0' }))
    await vi.advanceTimersByTimeAsync(1_900)
    expect(listRefetched(), 'nothing beside the first report').toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(new Set(listRefetched())).toEqual(
      new Set([
        'own-role',
        'own-reports',
        'own-profile',
        'report-settings',
        'report-states',
        'further-reports',
        'catalogue',
        'catalogue-use',
        'support-messages',
        'profiles',
      ]),
    )
    for (let beat = 0; beat < 20; beat += 1) {
      send(': heartbeat\n\n')
      await vi.advanceTimersByTimeAsync(15_000)
    }
    expect(listRefetched()).toEqual([])
    send(event({ messages: '1' }))
    await vi.advanceTimersByTimeAsync(0)
    expect(listRefetched()).toEqual(['support-messages'])
    send(event({ people: '1' }))
    await vi.advanceTimersByTimeAsync(0)
    expect(listRefetched()).toEqual(['profiles'])
    expect(requests).toHaveLength(1)
    stop()
  })

  it('refetches only what differs after a reconnect', async () => {
    const [answer, { send, end }] = createStream()
    const [next, { send: sendNext }] = createStream()
    answers.push(answer, next)
    const { listRefetched, stop } = await subscribe()
    send(event(FIRST))
    await vi.advanceTimersByTimeAsync(3_000)
    listRefetched()
    end()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(requests).toHaveLength(2)
    sendNext(event({ ...FIRST, me: 'other' }))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(listRefetched()).toEqual(['own-role', 'own-reports', 'own-profile'])
    stop()
  })

  it('spreads what concerns everyone, over ten seconds after a connection, and over one later', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9)
    const [answer, { send }] = createStream()
    answers.push(answer)
    const { listRefetched, stop } = await subscribe()
    send(event(FIRST))
    await vi.advanceTimersByTimeAsync(8_000)
    expect(listRefetched()).toEqual(['own-role', 'own-reports', 'own-profile'])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(listRefetched()).toContain('catalogue')
    send(event({ settings: 'other' }))
    await vi.advanceTimersByTimeAsync(800)
    expect(listRefetched()).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(listRefetched()).toEqual(['own-reports', 'report-settings', 'report-states', 'further-reports'])
    stop()
  })

  it('refetches a query whose first load was in flight during the change', async () => {
    const [answer, { send }] = createStream()
    answers.push(answer)
    const { stop } = await subscribe()
    send(event({ messages: '0' }))
    await vi.advanceTimersByTimeAsync(3_000)
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
    send(event({ messages: '1' }))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(loaded).toEqual(['before', 'after'])
    unsubscribe()
    stop()
  })

  it('reconnects a broken stream within five seconds, however often that fails', async () => {
    const [answer, { send, end }] = createStream()
    answers.push(answer)
    const { stop } = await subscribe()
    send(': heartbeat\n\n')
    await vi.advanceTimersByTimeAsync(20_000)
    end()
    await vi.advanceTimersByTimeAsync(600)
    expect(requests).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(60_000)
    const before = requests.length
    vi.spyOn(Math, 'random').mockReturnValue(0.999)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(requests.length).toBeGreaterThanOrEqual(before + 2)
    stop()
  })

  it('returns to a server that stops when that says', async () => {
    const [answer, { send, end }] = createStream()
    answers.push(answer)
    const { stop } = await subscribe()
    send('retry: 12000\n\n')
    await vi.advanceTimersByTimeAsync(0)
    end()
    await vi.advanceTimersByTimeAsync(11_000)
    expect(requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1_500)
    expect(requests).toHaveLength(2)
    stop()
  })

  it('returns sooner than the server says on coming into view', async () => {
    const [answer, { send, end }] = createStream()
    answers.push(answer)
    const { stop } = await subscribe()
    send('retry: 60000\n\n')
    await vi.advanceTimersByTimeAsync(0)
    end()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(requests).toHaveLength(1)
    page.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(0)
    expect(requests).toHaveLength(2)
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

  it('refetches nothing without a stream', async () => {
    answers = Array.from({ length: 100 }, () => () => problem(429, 'rate-limited', { 'retry-after': '600' }))
    const { listRefetched, stop } = await subscribe()
    listRefetched()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(listRefetched()).toEqual([])
    expect(requests).toHaveLength(1)
    stop()
  })

  it('stops at once when the session ends', async () => {
    const [answer] = createStream()
    answers.push(answer)
    const { tab, listRefetched } = await subscribe()
    tab.endLocalSession()
    expect(requests[0]?.signal.aborted).toBe(true)
    listRefetched()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(requests).toHaveLength(1)
    expect(listRefetched()).toEqual([])
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
