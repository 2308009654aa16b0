import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createTokenBook,
  renewalAge,
  type TokenOutcome,
  type TokenRequest,
  type TokenState,
} from './token-book.ts'

const MINUTE = 60_000

function requestFor(key: string): TokenRequest {
  return { key, area: key.toUpperCase(), workspaceId: 'w', reportId: `r-${key}`, datasetId: null }
}

function issued(lifeMs = 30 * MINUTE): TokenOutcome {
  return { kind: 'issued', value: `token ${Math.random()}`, lifeMs, isPaginated: false }
}

/** A store with a scripted server: `answer` is replaceable, `asked` lists the requested keys. */
function openBook() {
  const asked: string[] = []
  const script = { answer: (_key: string): TokenOutcome => issued() }
  const onFailed = vi.fn()
  const onRefused = vi.fn()
  let tokens: ReadonlyMap<string, TokenState> = new Map()
  const book = createTokenBook({
    onChange: (next) => {
      tokens = next
    },
    issue: async ({ key }) => {
      asked.push(key)
      return script.answer(key)
    },
    onFailed,
    onRefused,
  })
  return { book, read: () => tokens, asked, script, onFailed, onRefused }
}

const settled = () => vi.advanceTimersByTimeAsync(0)
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('embed token store', () => {
  it('requests the selected report first, then all others', async () => {
    const { book, read, asked } = openBook()
    book.sync(['a', 'b', 'c'].map(requestFor), 'b')
    expect(asked).toEqual(['b'])
    await settled()
    expect(asked).toEqual(['b', 'a', 'c'])
    expect([...read().values()].map(({ kind }) => kind)).toEqual(['ready', 'ready', 'ready'])
  })

  it('keeps a report whose token request fails, notifies once and retries with backoff', async () => {
    const { book, read, asked, script, onFailed, onRefused } = openBook()
    script.answer = () => ({ kind: 'failed', detail: 'Sem conexão' })
    book.sync(['a', 'b'].map(requestFor), 'a')
    await settled()
    expect(read().get('a')).toEqual({
      kind: 'failed',
      detail: 'Sem conexão',
      isPaused: false,
      isRetrying: false,
    })
    const times: number[] = []
    for (let second = 0; second < 70; second += 1) {
      const count = asked.filter((key) => key === 'a').length
      book.tick()
      await vi.advanceTimersByTimeAsync(1_000)
      if (asked.filter((key) => key === 'a').length > count) times.push(second)
    }
    expect(times).toEqual([2, 6, 14, 30, 62])
    expect(onFailed.mock.calls).toEqual([
      ['A', 'Sem conexão'],
      ['B', 'Sem conexão'],
    ])
    expect(onRefused).not.toHaveBeenCalled()
    script.answer = () => issued()
    book.wake()
    await settled()
    expect([...read().values()].map(({ kind }) => kind)).toEqual(['ready', 'ready'])
  })

  it('waits for the server’s Retry-After before a retry', async () => {
    const { book, asked, script } = openBook()
    script.answer = () => ({ kind: 'failed', detail: 'x', retryAfterMs: 30_000 })
    book.sync([requestFor('a')], 'a')
    await settled()
    await vi.advanceTimersByTimeAsync(29_000)
    book.tick()
    expect(asked.length).toBe(1)
    await vi.advanceTimersByTimeAsync(1_000)
    book.tick()
    expect(asked.length).toBe(2)
  })

  it('retries at once on the user’s request, and notifies of the result', async () => {
    const { book, read, script, onFailed } = openBook()
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    book.sync([requestFor('a')], 'a')
    await settled()
    book.retry('a')
    expect(read().get('a')).toEqual({ kind: 'failed', detail: 'x', isPaused: false, isRetrying: true })
    await settled()
    expect(read().get('a')).toEqual({ kind: 'failed', detail: 'x', isPaused: false, isRetrying: false })
    expect(onFailed).toHaveBeenCalledTimes(2)
    script.answer = () => issued()
    book.retry('a')
    await settled()
    expect(read().get('a')?.kind).toBe('ready')
  })

  it('gives up a report that the service rejects until retryRefused', async () => {
    const { book, read, asked, script, onFailed } = openBook()
    script.answer = () => ({ kind: 'rejected', detail: 'Sem RLS' })
    book.sync([requestFor('a')], 'a')
    await settled()
    expect(read().get('a')).toEqual({ kind: 'refused', detail: 'Sem RLS' })
    expect(onFailed).toHaveBeenCalledExactlyOnceWith('A', 'Sem RLS')
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    book.tick()
    expect(asked.length).toBe(1)
    script.answer = () => issued()
    book.retryRefused()
    await settled()
    expect(read().get('a')?.kind).toBe('ready')
  })

  it('asks once more after a refusal, once the reports have been refetched', async () => {
    const { book, read, asked, script, onFailed, onRefused } = openBook()
    const { promise: isRead, resolve: endRead } = Promise.withResolvers<void>()
    onRefused.mockReturnValue(isRead)
    script.answer = () => ({ kind: 'refused', detail: 'Não liberado' })
    book.sync([requestFor('a'), requestFor('b')], 'a')
    await settled()
    expect(asked).toEqual(['a', 'b'])
    script.answer = (key) => (key === 'a' ? issued() : { kind: 'refused', detail: 'Não liberado' })
    endRead()
    await settled()
    expect(asked).toEqual(['a', 'b', 'a', 'b'])
    expect(read().get('a')?.kind).toBe('ready')
    expect(read().get('b')?.kind).toBe('refused')
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(asked.length).toBe(4)
    expect(onFailed).toHaveBeenCalledTimes(2)
    expect(onRefused).toHaveBeenCalledTimes(2)
  })

  it('keeps a report without scope, and refetches the reports', async () => {
    const { book, read, script, onFailed, onRefused } = openBook()
    script.answer = () => ({ kind: 'no-scope' })
    book.sync([requestFor('a')], 'a')
    await settled()
    expect(read().get('a')).toEqual({ kind: 'no-scope' })
    expect(onFailed).not.toHaveBeenCalled()
    expect(onRefused).toHaveBeenCalledOnce()
  })

  it('drops removed reports and requests tokens for new ones only', async () => {
    const { book, read, asked } = openBook()
    book.sync(['a', 'b'].map(requestFor), 'a')
    await settled()
    book.sync(['b', 'c'].map(requestFor), 'b')
    await settled()
    expect(asked).toEqual(['a', 'b', 'c'])
    expect([...read().keys()]).toEqual(['b', 'c'])
  })
})

describe('token renewal', () => {
  it('renews the tokens of mounted reports only, when due', async () => {
    const { book, read, asked, script } = openBook()
    script.answer = () => issued(MINUTE)
    book.sync(['a', 'b'].map(requestFor), 'a')
    await settled()
    book.hold('a')
    const before = read().get('a')
    await vi.advanceTimersByTimeAsync(47_000)
    book.tick()
    await settled()
    expect(asked).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(1_000)
    book.tick()
    await settled()
    expect(asked).toEqual(['a', 'b', 'a'])
    expect(read().get('a')).not.toBe(before)
  })

  it('keeps the current token while renewal fails, with backoff', async () => {
    const { book, read, asked, script, onFailed } = openBook()
    script.answer = () => issued(MINUTE)
    book.sync([requestFor('a')], 'a')
    await settled()
    book.hold('a')
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    const times: number[] = []
    for (let second = 0; second < 120; second += 1) {
      const count = asked.length
      book.tick()
      await vi.advanceTimersByTimeAsync(1_000)
      if (asked.length > count) times.push(second)
    }
    expect(times).toEqual([48, 50, 54, 62, 78, 110])
    expect(onFailed).not.toHaveBeenCalled()
    expect(read().get('a')?.kind).toBe('ready')
  })

  it('asks again after ten seconds when the server returns the same token', async () => {
    const { book, asked, script } = openBook()
    const same = issued(MINUTE)
    script.answer = () => same
    book.sync([requestFor('a')], 'a')
    await settled()
    book.hold('a')
    const times: number[] = []
    for (let second = 0; second < 75; second += 1) {
      const count = asked.length
      book.tick()
      await vi.advanceTimersByTimeAsync(1_000)
      if (asked.length > count) times.push(second)
    }
    expect(times).toEqual([48, 58, 68])
  })

  it('retries at once after wake, even with an expired token', async () => {
    const { book, asked, script } = openBook()
    script.answer = () => issued(MINUTE)
    book.sync([requestFor('a')], 'a')
    await settled()
    book.hold('a')
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    await vi.advanceTimersByTimeAsync(70_000)
    book.tick()
    await settled()
    book.tick()
    expect(asked.length).toBe(2)
    script.answer = () => issued(MINUTE)
    book.wake()
    await settled()
    expect(asked.length).toBe(3)
  })

  it('returns the issued token from renew, even if unchanged', async () => {
    const { book, script } = openBook()
    const same = issued()
    script.answer = () => same
    book.sync([requestFor('a')], 'a')
    await settled()
    expect(await book.renew('a')).toBe(same.kind === 'issued' && same.value)
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    expect(await book.renew('a')).toBeUndefined()
  })

  it('drops a report whose renewal is refused', async () => {
    const { book, read, script, onFailed, onRefused } = openBook()
    book.sync([requestFor('a')], 'a')
    await settled()
    book.hold('a')
    script.answer = () => ({ kind: 'refused' })
    expect(await book.renew('a')).toBeUndefined()
    expect(read().get('a')).toEqual({ kind: 'refused' })
    expect(onRefused).toHaveBeenCalledOnce()
    expect(onFailed).not.toHaveBeenCalled()
  })

  it('keeps a rejected report until its token expires', async () => {
    const { book, read, script, onFailed } = openBook()
    script.answer = () => issued(MINUTE)
    book.sync([requestFor('a')], 'a')
    await settled()
    book.hold('a')
    script.answer = () => ({ kind: 'rejected', detail: 'x' })
    await vi.advanceTimersByTimeAsync(50_000)
    book.tick()
    await settled()
    expect(read().get('a')?.kind).toBe('ready')
    expect(onFailed).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(MINUTE)
    book.tick()
    await settled()
    expect(read().get('a')).toEqual({ kind: 'refused', detail: 'x' })
    expect(onFailed).toHaveBeenCalledOnce()
  })

  it('resolves next with the next issued token, even if unchanged', async () => {
    const { book, script } = openBook()
    const same = issued(MINUTE)
    script.answer = () => same
    book.sync([requestFor('a')], 'a')
    await settled()
    book.hold('a')
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    expect(await book.renew('a')).toBeUndefined()
    const next = book.next('a')
    await vi.advanceTimersByTimeAsync(2_000)
    script.answer = () => same
    book.tick()
    expect(await next).toBe(same.kind === 'issued' && same.value)
  })

  it('replaces a stale token when its report is opened', async () => {
    const { book, read, asked } = openBook()
    book.sync(['a', 'b'].map(requestFor), 'a')
    await settled()
    book.sync(['a', 'b'].map(requestFor), 'b')
    expect(asked).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(25 * MINUTE)
    book.sync(['a', 'b'].map(requestFor), 'b')
    expect(read().get('b')).toEqual({ kind: 'waiting' })
    await settled()
    expect(asked).toEqual(['a', 'b', 'b'])
    expect(read().get('b')?.kind).toBe('ready')
  })

  it('ignores replies that arrive after close, even if reopened', async () => {
    const { book, read, onFailed, script } = openBook()
    script.answer = () => ({ kind: 'failed', detail: 'x' })
    book.sync([requestFor('a')], 'a')
    book.close()
    expect(read().size).toBe(0)
    script.answer = () => issued()
    book.sync([requestFor('a')], 'a')
    await settled()
    expect(onFailed).not.toHaveBeenCalled()
    expect(read().get('a')?.kind).toBe('ready')
  })
})

describe('order of token requests', () => {
  /** A store whose requests finish on demand, and a record of the requested keys. */
  function openSlowBook() {
    const asked: string[] = []
    const endings = new Map<string, (outcome: TokenOutcome) => void>()
    const book = createTokenBook({
      issue: ({ key }) => {
        asked.push(key)
        return new Promise((resolve) => endings.set(key, resolve))
      },
      onChange: () => {},
      onFailed: () => {},
      onRefused: () => {},
    })
    const finish = async (key: string) => {
      endings.get(key)?.(issued())
      await settled()
    }
    const open = (keys: string, selected: string) => book.sync([...keys].map(requestFor), selected)
    return { book, asked, open, finish }
  }

  it('sends the first alone, then the others three at a time in order', async () => {
    const { asked, open, finish } = openSlowBook()
    open('abcde', 'c')
    expect(asked).toEqual(['c'])
    await finish('c')
    expect(asked).toEqual(['c', 'a', 'b', 'd'])
    await finish('b')
    expect(asked).toEqual(['c', 'a', 'b', 'd', 'e'])
  })

  it('sends the others after fifteen seconds even if the first hangs', async () => {
    const { asked, open } = openSlowBook()
    open('ab', 'a')
    await vi.advanceTimersByTimeAsync(14_999)
    expect(asked).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(1)
    expect(asked).toEqual(['a', 'b'])
  })

  it('sends the selected report’s request at once, and only once', async () => {
    const { asked, open, finish } = openSlowBook()
    open('abcdef', 'a')
    await finish('a')
    open('abcdef', 'f')
    open('abcdef', 'f')
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'f'])
  })

  it('drops everything on close, and a late reply sends nothing', async () => {
    const { book, asked, open, finish } = openSlowBook()
    open('abcd', 'a')
    book.close()
    await finish('a')
    expect(asked).toEqual(['a'])
    open('ab', 'a')
    expect(asked).toEqual(['a', 'a'])
  })
})

describe('getRenewalAge', () => {
  it('is ten minutes before a long lifetime ends, a fifth before a short one ends', () => {
    expect(renewalAge(60 * MINUTE)).toBe(50 * MINUTE)
    expect(renewalAge(30 * MINUTE)).toBe(24 * MINUTE)
    expect(renewalAge(MINUTE)).toBe(48_000)
  })

  it('is at least two seconds, even for an expired token', () => {
    expect(renewalAge(0)).toBe(2_000)
  })
})
