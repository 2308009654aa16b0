import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createEmbedTokenStore,
  getRenewalAge,
  type TokenOutcome,
  type TokenRequest,
  type TokenState,
} from './embed-token-store.ts'

const MINUTE = 60_000

function createRequest(key: string): TokenRequest {
  return { key, area: 'A', title: key.toUpperCase(), workspaceId: 'w', reportId: `r-${key}`, datasetId: null }
}

function createIssued(lifetimeMs = 30 * MINUTE): TokenOutcome {
  return { kind: 'issued', value: `token ${Math.random()}`, lifetimeMs, isPaginated: false }
}

/** A store with a scripted server: `answer` is replaceable, `requested` lists the requested keys. */
function openStore() {
  const requested: string[] = []
  const script = { answer: (_key: string): TokenOutcome => createIssued() }
  const onFailed = vi.fn()
  const onRefused = vi.fn()
  let tokens: ReadonlyMap<string, TokenState> = new Map()
  const store = createEmbedTokenStore({
    onChange: (next) => {
      tokens = next
    },
    issue: async ({ key }) => {
      requested.push(key)
      return script.answer(key)
    },
    onFailed,
    onRefused,
  })
  return { store, read: () => tokens, requested, script, onFailed, onRefused }
}

const flush = () => vi.advanceTimersByTimeAsync(0)
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('embed token store', () => {
  it('requests the selected report first, then all others', async () => {
    const { store, read, requested } = openStore()
    store.sync(['a', 'b', 'c'].map(createRequest), 'b')
    expect(requested).toEqual(['b'])
    await flush()
    expect(requested).toEqual(['b', 'a', 'c'])
    expect([...read().values()].map(({ kind }) => kind)).toEqual(['ready', 'ready', 'ready'])
  })

  it('keeps a report whose token request fails, and retries with backoff', async () => {
    const { store, read, requested, script, onFailed, onRefused } = openStore()
    script.answer = () => ({ kind: 'failed', detail: 'Sem conexão' })
    store.sync(['a', 'b'].map(createRequest), 'a')
    await flush()
    expect(read().get('a')).toEqual({
      kind: 'failed',
      detail: 'Sem conexão',
      isPaused: false,
      isRetrying: false,
    })
    const times: number[] = []
    for (let second = 0; second < 70; second += 1) {
      const count = requested.filter((key) => key === 'a').length
      store.tick()
      await vi.advanceTimersByTimeAsync(1_000)
      if (requested.filter((key) => key === 'a').length > count) times.push(second)
    }
    expect(times).toEqual([2, 6, 14, 30, 62])
    expect(onFailed).not.toHaveBeenCalled()
    expect(onRefused).not.toHaveBeenCalled()
    script.answer = () => createIssued()
    store.wake()
    await flush()
    expect([...read().values()].map(({ kind }) => kind)).toEqual(['ready', 'ready'])
  })

  it('waits for the server’s Retry-After before a retry', async () => {
    const { store, requested, script } = openStore()
    script.answer = () => ({ kind: 'failed', detail: 'x', retryAfterMs: 30_000 })
    store.sync([createRequest('a')], 'a')
    await flush()
    await vi.advanceTimersByTimeAsync(29_000)
    store.tick()
    expect(requested.length).toBe(1)
    await vi.advanceTimersByTimeAsync(1_000)
    store.tick()
    expect(requested.length).toBe(2)
  })

  it('retries at once on the user’s request', async () => {
    const { store, read, script } = openStore()
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    store.sync([createRequest('a')], 'a')
    await flush()
    store.retry('a')
    expect(read().get('a')).toEqual({ kind: 'failed', detail: 'x', isPaused: false, isRetrying: true })
    await flush()
    expect(read().get('a')).toEqual({ kind: 'failed', detail: 'x', isPaused: false, isRetrying: false })
    script.answer = () => createIssued()
    store.retry('a')
    await flush()
    expect(read().get('a')?.kind).toBe('ready')
  })

  it('gives up a report that the service rejects until retryRefused', async () => {
    const { store, read, requested, script, onFailed } = openStore()
    script.answer = () => ({ kind: 'rejected', detail: 'Sem RLS' })
    store.sync([createRequest('a')], 'a')
    await flush()
    expect(read().get('a')).toEqual({ kind: 'refused', detail: 'Sem RLS' })
    expect(onFailed).toHaveBeenCalledExactlyOnceWith('A', 'Sem RLS')
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    store.tick()
    expect(requested.length).toBe(1)
    script.answer = () => createIssued()
    store.retryRefused()
    await flush()
    expect(read().get('a')?.kind).toBe('ready')
  })

  it('asks once more after a refusal, once the reports have been refetched', async () => {
    const { store, read, requested, script, onFailed, onRefused } = openStore()
    const { promise: isRead, resolve: endRead } = Promise.withResolvers<void>()
    onRefused.mockReturnValue(isRead)
    script.answer = () => ({ kind: 'refused', detail: 'Não liberado' })
    store.sync([createRequest('a'), createRequest('b')], 'a')
    await flush()
    expect(requested).toEqual(['a', 'b'])
    script.answer = (key) => (key === 'a' ? createIssued() : { kind: 'refused', detail: 'Não liberado' })
    endRead()
    await flush()
    expect(requested).toEqual(['a', 'b', 'a', 'b'])
    expect(read().get('a')?.kind).toBe('ready')
    expect(read().get('b')?.kind).toBe('refused')
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(requested.length).toBe(4)
    expect(onFailed).toHaveBeenCalledTimes(2)
    expect(onRefused).toHaveBeenCalledTimes(2)
  })

  it('keeps a report without scope, and refetches the reports', async () => {
    const { store, read, script, onFailed, onRefused } = openStore()
    script.answer = () => ({ kind: 'no-scope' })
    store.sync([createRequest('a')], 'a')
    await flush()
    expect(read().get('a')).toEqual({ kind: 'no-scope' })
    expect(onFailed).not.toHaveBeenCalled()
    expect(onRefused).toHaveBeenCalledOnce()
  })

  it('drops removed reports and requests tokens for new ones only', async () => {
    const { store, read, requested } = openStore()
    store.sync(['a', 'b'].map(createRequest), 'a')
    await flush()
    store.sync(['b', 'c'].map(createRequest), 'b')
    await flush()
    expect(requested).toEqual(['a', 'b', 'c'])
    expect([...read().keys()]).toEqual(['b', 'c'])
  })
})

describe('token renewal', () => {
  it('renews the tokens of mounted reports only, when due', async () => {
    const { store, read, requested, script } = openStore()
    script.answer = () => createIssued(MINUTE)
    store.sync(['a', 'b'].map(createRequest), 'a')
    await flush()
    store.hold('a')
    const before = read().get('a')
    await vi.advanceTimersByTimeAsync(47_000)
    store.tick()
    await flush()
    expect(requested).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(1_000)
    store.tick()
    await flush()
    expect(requested).toEqual(['a', 'b', 'a'])
    expect(read().get('a')).not.toBe(before)
  })

  it.each([-5, 0, 5])('renews in time when the clock is set by %i hours meanwhile', async (hours) => {
    const { store, requested, script } = openStore()
    script.answer = () => createIssued(MINUTE)
    store.sync([createRequest('a')], 'a')
    await flush()
    store.hold('a')
    vi.setSystemTime(Date.now() + hours * 60 * MINUTE)
    await vi.advanceTimersByTimeAsync(48_000)
    store.tick()
    expect(requested).toEqual(['a', 'a'])
  })

  it('renews on wake after a sleep during which performance.now() stood still', async () => {
    const { store, requested } = openStore()
    store.sync([createRequest('a')], 'a')
    await flush()
    store.hold('a')
    vi.setSystemTime(Date.now() + 25 * MINUTE)
    store.wake()
    expect(requested).toEqual(['a', 'a'])
  })

  it('keeps the current token while renewal fails, with backoff', async () => {
    const { store, read, requested, script, onFailed } = openStore()
    script.answer = () => createIssued(MINUTE)
    store.sync([createRequest('a')], 'a')
    await flush()
    store.hold('a')
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    const times: number[] = []
    for (let second = 0; second < 120; second += 1) {
      const count = requested.length
      store.tick()
      await vi.advanceTimersByTimeAsync(1_000)
      if (requested.length > count) times.push(second)
    }
    expect(times).toEqual([48, 50, 54, 62, 78, 110])
    expect(onFailed).not.toHaveBeenCalled()
    expect(read().get('a')?.kind).toBe('ready')
  })

  it('asks again after ten seconds when the server returns the same token', async () => {
    const { store, requested, script } = openStore()
    const same = createIssued(MINUTE)
    script.answer = () => same
    store.sync([createRequest('a')], 'a')
    await flush()
    store.hold('a')
    const times: number[] = []
    for (let second = 0; second < 75; second += 1) {
      const count = requested.length
      store.tick()
      await vi.advanceTimersByTimeAsync(1_000)
      if (requested.length > count) times.push(second)
    }
    expect(times).toEqual([48, 58, 68])
  })

  it('retries at once after wake, even with an expired token', async () => {
    const { store, requested, script } = openStore()
    script.answer = () => createIssued(MINUTE)
    store.sync([createRequest('a')], 'a')
    await flush()
    store.hold('a')
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    await vi.advanceTimersByTimeAsync(70_000)
    store.tick()
    await flush()
    store.tick()
    expect(requested.length).toBe(2)
    script.answer = () => createIssued(MINUTE)
    store.wake()
    await flush()
    expect(requested.length).toBe(3)
  })

  it('returns the issued token from renew, even if unchanged', async () => {
    const { store, script } = openStore()
    const same = createIssued()
    script.answer = () => same
    store.sync([createRequest('a')], 'a')
    await flush()
    expect(await store.renew('a')).toBe(same.kind === 'issued' && same.value)
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    expect(await store.renew('a')).toBeUndefined()
  })

  it('drops a report whose renewal is refused', async () => {
    const { store, read, script, onFailed, onRefused } = openStore()
    store.sync([createRequest('a')], 'a')
    await flush()
    store.hold('a')
    script.answer = () => ({ kind: 'refused' })
    expect(await store.renew('a')).toBeUndefined()
    expect(read().get('a')).toEqual({ kind: 'refused' })
    expect(onRefused).toHaveBeenCalledOnce()
    expect(onFailed).not.toHaveBeenCalled()
  })

  it('keeps a rejected report until its token expires', async () => {
    const { store, read, script, onFailed } = openStore()
    script.answer = () => createIssued(MINUTE)
    store.sync([createRequest('a')], 'a')
    await flush()
    store.hold('a')
    script.answer = () => ({ kind: 'rejected', detail: 'x' })
    await vi.advanceTimersByTimeAsync(50_000)
    store.tick()
    await flush()
    expect(read().get('a')?.kind).toBe('ready')
    expect(onFailed).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(MINUTE)
    store.tick()
    await flush()
    expect(read().get('a')).toEqual({ kind: 'refused', detail: 'x' })
    expect(onFailed).toHaveBeenCalledOnce()
  })

  it('resolves next with the next issued token, even if unchanged', async () => {
    const { store, script } = openStore()
    const same = createIssued(MINUTE)
    script.answer = () => same
    store.sync([createRequest('a')], 'a')
    await flush()
    store.hold('a')
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    expect(await store.renew('a')).toBeUndefined()
    const next = store.next('a')
    await vi.advanceTimersByTimeAsync(2_000)
    script.answer = () => same
    store.tick()
    expect(await next).toBe(same.kind === 'issued' && same.value)
  })

  it('replaces a stale token when its report is opened', async () => {
    const { store, read, requested } = openStore()
    store.sync(['a', 'b'].map(createRequest), 'a')
    await flush()
    store.sync(['a', 'b'].map(createRequest), 'b')
    expect(requested).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(25 * MINUTE)
    store.sync(['a', 'b'].map(createRequest), 'b')
    expect(read().get('b')).toEqual({ kind: 'waiting' })
    await flush()
    expect(requested).toEqual(['a', 'b', 'b'])
    expect(read().get('b')?.kind).toBe('ready')
  })

  it('ignores replies that arrive after close, even if reopened', async () => {
    const { store, read, onFailed, script } = openStore()
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    store.sync([createRequest('a')], 'a')
    store.close()
    expect(read().size).toBe(0)
    script.answer = () => createIssued()
    store.sync([createRequest('a')], 'a')
    await flush()
    expect(onFailed).not.toHaveBeenCalled()
    expect(read().get('a')?.kind).toBe('ready')
  })
})

describe('order of token requests', () => {
  /** A store whose requests finish on demand, and a record of the requested keys. */
  function openSlowStore() {
    const requested: string[] = []
    const endings = new Map<string, (outcome: TokenOutcome) => void>()
    const store = createEmbedTokenStore({
      issue: ({ key }) => {
        requested.push(key)
        return new Promise((resolve) => endings.set(key, resolve))
      },
      onChange: () => {},
      onFailed: () => {},
      onRefused: () => {},
    })
    const finish = async (key: string) => {
      endings.get(key)?.(createIssued())
      await flush()
    }
    const open = (keys: string, selected: string) => store.sync([...keys].map(createRequest), selected)
    return { store, requested, open, finish }
  }

  it('sends the first alone, then the others three at a time in order', async () => {
    const { requested, open, finish } = openSlowStore()
    open('abcde', 'c')
    expect(requested).toEqual(['c'])
    await finish('c')
    expect(requested).toEqual(['c', 'a', 'b', 'd'])
    await finish('b')
    expect(requested).toEqual(['c', 'a', 'b', 'd', 'e'])
  })

  it('sends the others after fifteen seconds even if the first hangs', async () => {
    const { requested, open } = openSlowStore()
    open('ab', 'a')
    await vi.advanceTimersByTimeAsync(14_999)
    expect(requested).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(1)
    expect(requested).toEqual(['a', 'b'])
  })

  it('sends the selected report’s request at once, and only once', async () => {
    const { requested, open, finish } = openSlowStore()
    open('abcdef', 'a')
    await finish('a')
    open('abcdef', 'f')
    open('abcdef', 'f')
    expect(requested).toEqual(['a', 'b', 'c', 'd', 'f'])
  })

  it('drops everything on close, and a late reply sends nothing', async () => {
    const { store, requested, open, finish } = openSlowStore()
    open('abcd', 'a')
    store.close()
    await finish('a')
    expect(requested).toEqual(['a'])
    open('ab', 'a')
    expect(requested).toEqual(['a', 'a'])
  })
})

describe('getRenewalAge', () => {
  it('is ten minutes before a long lifetime ends, a fifth before a short one ends', () => {
    expect(getRenewalAge(60 * MINUTE)).toBe(50 * MINUTE)
    expect(getRenewalAge(30 * MINUTE)).toBe(24 * MINUTE)
    expect(getRenewalAge(MINUTE)).toBe(48_000)
  })

  it('is at least two seconds, even for an expired token', () => {
    expect(getRenewalAge(0)).toBe(2_000)
  })
})
