import { backoffDelay } from '#contract/timing.ts'

/** A report that needs embed tokens; the key changes with everything that requires a new frame. */
export interface TokenRequest {
  key: string
  area: string
  workspaceId: string
  reportId: string
  datasetId: string | null
}

/** The result of a token request; `detail` is Portuguese, fit to show. */
export type TokenOutcome =
  | { kind: 'issued'; value: string; lifeMs: number; isPaginated: boolean }
  | { kind: 'no-scope' }
  /** The person may not see the report; without a detail the screen explains it. */
  | { kind: 'refused'; detail?: string }
  /** The service rejects the report's configuration; a token that is still valid may be used up. */
  | { kind: 'rejected'; detail: string }
  /** A transient failure: network, timeout, 429, 5xx, a reply without a token. */
  | TokenFailure

/** `isPaused` when the Power BI capacity is paused. */
interface TokenFailure {
  kind: 'failed'
  detail: string
  isPaused?: boolean
  /** Minimum delay before the next request. */
  retryAfterMs?: number | undefined
}

export type TokenState =
  | { kind: 'waiting' }
  | { kind: 'ready'; token: string; isPaginated: boolean }
  | { kind: 'no-scope' }
  /** Retried automatically; `isRetrying` while the user waits for it. */
  | { kind: 'failed'; detail: string; isPaused: boolean; isRetrying: boolean }
  | { kind: 'refused'; detail?: string | undefined }

interface Entry {
  request: TokenRequest
  state: TokenState
  /** When to renew a ready token or retry a failed one, as a timestamp. */
  renewAt: number
  failures: number
  /** When a ready token expires. */
  endsAt: number
  asking?: Promise<TokenOutcome> | undefined
  /** Whether a refusal has been confirmed by a second request. */
  isConfirmed?: boolean
  /** Resolvers that wait for the next issued token. */
  waiting: ((token: string) => void)[]
}

export interface TokenBookOptions {
  /** Requests one token from the server; never rejects. */
  issue: (request: TokenRequest, signal: AbortSignal) => Promise<TokenOutcome>
  onChange: (tokens: ReadonlyMap<string, TokenState>) => void
  /** Called once per report that has no token, and after each failed retry by the user. */
  onFailed: (area: string, detail: string) => void
  /** Called on a refusal; the cached reports are out of date until it resolves. */
  onRefused: () => unknown
}

export type TokenBook = ReturnType<typeof createTokenBook>

const MAX_AT_ONCE = 3
/** The first token is requested alone for this long: a cold capacity has to warm up first. */
const FIRST_ALONE_MS = 15_000

/**
 * Fetches and caches the embed tokens of all reports: the first alone, the others three at a time.
 * Renews tokens of mounted frames when due and retries failures with backoff: call `tick` every
 * second, and `wake` after sleep or when back online.
 */
export function createTokenBook({ issue, onChange, onFailed, onRefused }: TokenBookOptions) {
  /** In the order of the tabs, which is the order of the requests. */
  const entries = new Map<string, Entry>()
  /** Tokens in use by a mounted frame; only these are renewed in the background. */
  const held = new Set<string>()
  let closing = new AbortController()
  /** The limit of concurrent requests; 1 during the first. */
  let room = MAX_AT_ONCE

  function publish(): void {
    onChange(new Map([...entries].map(([key, { state }]) => [key, state])))
  }

  function ask(entry: Entry): Promise<TokenOutcome> {
    entry.asking ??= run(entry)
    return entry.asking
  }

  async function run(entry: Entry): Promise<TokenOutcome> {
    const { signal } = closing
    const askedAt = Date.now()
    const outcome = await issue(entry.request, signal)
    entry.asking = undefined
    if (!signal.aborted && entries.get(entry.request.key) === entry) settle(entry, outcome, askedAt)
    askNext()
    return outcome
  }

  function hasRoom(): boolean {
    return [...entries.values()].filter(({ asking }) => asking).length < room
  }

  function askNext(): void {
    for (const entry of entries.values())
      if (entry.state.kind === 'waiting' && !entry.asking && hasRoom()) void ask(entry)
  }

  function askAlone(entry: Entry): void {
    const { signal } = closing
    const letOthersIn = () => {
      if (signal.aborted) return
      room = MAX_AT_ONCE
      askNext()
    }
    room = 1
    setTimeout(letOthersIn, FIRST_ALONE_MS)
    void ask(entry).then(letOthersIn)
  }

  function settle(entry: Entry, outcome: TokenOutcome, askedAt: number): void {
    const current = entry.state.kind === 'ready' ? entry.state.token : undefined
    const isSame = outcome.kind === 'issued' && outcome.value === current
    const isStillGood = outcome.kind === 'rejected' && Date.now() < entry.endsAt
    if (outcome.kind === 'issued') for (const tell of entry.waiting.splice(0)) tell(outcome.value)
    if (current !== undefined && (isSame || isStillGood || outcome.kind === 'failed')) {
      // The current token stays in use; the renewal is retried later.
      entry.failures = isSame ? 0 : entry.failures + 1
      entry.renewAt = Date.now() + (isSame ? SAME_TOKEN_REST_MS : backoffDelay(entry.failures, BACKOFF))
      return
    }
    // The refusal has been confirmed.
    if (entry.state.kind === 'refused' && outcome.kind !== 'issued') return
    const isTold = entry.state.kind === 'failed' && !entry.state.isRetrying && outcome.kind === 'failed'
    if (outcome.kind === 'failed') {
      entry.failures += 1
      entry.renewAt =
        Date.now() + backoffDelay(entry.failures, { ...BACKOFF, retryAfterMs: outcome.retryAfterMs })
      const { detail, isPaused = false } = outcome
      entry.state = { kind: 'failed', detail, isPaused, isRetrying: false }
    } else {
      entry.failures = 0
      if (outcome.kind === 'issued') {
        entry.state = { kind: 'ready', token: outcome.value, isPaginated: outcome.isPaginated }
        entry.renewAt = askedAt + renewalAge(outcome.lifeMs)
        entry.endsAt = askedAt + outcome.lifeMs
        entry.isConfirmed = false
      } else
        entry.state =
          outcome.kind === 'no-scope' ? { kind: 'no-scope' } : { kind: 'refused', detail: outcome.detail }
    }
    publish()
    if (!isTold && 'detail' in outcome && outcome.detail !== undefined)
      onFailed(entry.request.area, outcome.detail)
    if (entry.state.kind === 'no-scope' || entry.state.kind === 'refused')
      void confirmRefusal(entry, outcome.kind)
  }

  /** Refetches the reports, then asks once more: access restored during that fetch is visible only so. */
  async function confirmRefusal(entry: Entry, kind: TokenOutcome['kind']): Promise<void> {
    await onRefused()
    if (kind !== 'refused' || entry.isConfirmed || entries.get(entry.request.key) !== entry) return
    entry.isConfirmed = true
    void ask(entry)
  }

  function tick(): void {
    for (const [key, entry] of entries) {
      const isWanted = entry.state.kind === 'failed' ? hasRoom() : held.has(key)
      if (isWanted && isDue(entry)) void ask(entry)
    }
  }

  return {
    /**
     * Sets the reports: requests tokens for new ones, drops tokens of removed ones.
     * The selected report has priority.
     */
    sync(requests: readonly TokenRequest[], selectedKey: string | undefined): void {
      const known = new Map(entries)
      entries.clear()
      for (const request of requests) entries.set(request.key, known.get(request.key) ?? newEntry(request))
      const selected = selectedKey === undefined ? undefined : entries.get(selectedKey)
      if (selected?.state.kind === 'ready' && !held.has(selected.request.key) && isDue(selected))
        selected.state = { kind: 'waiting' }
      if (selected?.state.kind === 'waiting') {
        if (known.size === 0) askAlone(selected)
        else void ask(selected)
      }
      askNext()
      publish()
    },
    /** Keeps a token renewed until the returned function is called. */
    hold(key: string): () => void {
      held.add(key)
      return () => void held.delete(key)
    },
    /**
     * Requests a token now, whatever the age of the current one; the server may return the same.
     * @returns undefined when none is available
     */
    async renew(key: string): Promise<string | undefined> {
      const entry = entries.get(key)
      const outcome = entry && (await ask(entry))
      return outcome?.kind === 'issued' ? outcome.value : undefined
    },
    /** Resolves with the next issued token, even if unchanged; waits as long as it takes. */
    next: (key: string) => new Promise<string>((resolve) => entries.get(key)?.waiting.push(resolve)),
    /** Retries a failed token at once, on the user's request. */
    retry(key: string): void {
      const entry = entries.get(key)
      if (entry?.state.kind !== 'failed') return
      entry.state = { ...entry.state, isRetrying: true }
      void ask(entry)
      publish()
    },
    /** Requests all refused tokens again. */
    retryRefused(): void {
      for (const entry of entries.values())
        if (entry.state.kind === 'refused') entry.state = { kind: 'waiting' }
      askNext()
      publish()
    },
    tick,
    /** Resets the backoff: after sleep or a network change, requests may succeed again. */
    wake(): void {
      for (const entry of entries.values()) {
        if (entry.failures > 0) entry.renewAt = 0
        entry.failures = 0
      }
      tick()
    },
    /** Drops everything, including pending requests; `sync` starts over. */
    close(): void {
      closing.abort()
      closing = new AbortController()
      room = MAX_AT_ONCE
      entries.clear()
      publish()
    },
  }
}

function newEntry(request: TokenRequest): Entry {
  return { request, state: { kind: 'waiting' }, renewAt: 0, failures: 0, endsAt: 0, waiting: [] }
}

/** Uses the wall clock, which continues while a laptop sleeps. */
function isDue({ state, renewAt }: Entry): boolean {
  return (state.kind === 'ready' || state.kind === 'failed') && Date.now() >= renewAt
}

const MAX_MARGIN_MS = 10 * 60_000
const MIN_AGE_MS = 2_000
/** Retries never stop, so that an expired report returns as soon as a token is available. */
const BACKOFF = { firstMs: 2_000, maxMs: 60_000 }
/** Delay after a renewal that came too early and returned the server's cached token. */
const SAME_TOKEN_REST_MS = 10_000

/**
 * Returns the age in milliseconds at which to renew a token: ten minutes before it expires, or a fifth
 * of its lifetime before, if less. At least two seconds, so that an expired token causes no storm.
 */
export function renewalAge(lifeMs: number): number {
  return Math.max(MIN_AGE_MS, lifeMs - Math.min(MAX_MARGIN_MS, lifeMs / 5))
}
