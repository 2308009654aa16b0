import { backoffDelay, startStopwatch } from '#contract/timing.ts'

/** A report that needs embed tokens; the key changes with everything that requires a new frame. */
export interface TokenRequest {
  key: string
  area: string
  /** Names the report to people; the area's name for its first report. */
  title: string
  workspaceId: string
  reportId: string
  datasetId: string | null
  /** Where the report opens. */
  pageName?: string | undefined
  bookmarkName?: string | undefined
}

/** The result of a token request; `detail` is Portuguese, fit to show. */
export type TokenOutcome =
  | { kind: 'issued'; value: string; lifetimeMs: number; isPaginated: boolean }
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
  /** The time since the last outcome, and after how many ms a token is renewed or retried. */
  elapsed: () => number
  renewAfterMs: number
  failures: number
  /** The remaining life of a ready token. */
  getRemainingMs: () => number
  pending?: Promise<TokenOutcome> | undefined
  /** Whether a refusal has been confirmed by a second request. */
  isConfirmed?: boolean
  /** Resolvers that wait for the next issued token. */
  resolvers: ((token: string) => void)[]
}

export interface TokenStoreOptions {
  /** Requests one token from the server; never rejects. */
  issue: (request: TokenRequest, signal: AbortSignal) => Promise<TokenOutcome>
  onChange: (tokens: ReadonlyMap<string, TokenState>) => void
  /** Called once per refused report, which has no tab left to say so. */
  onFailed: (title: string, detail: string) => void
  /** Called on a refusal; the cached reports are out of date until it resolves. */
  onRefused: () => unknown
}

export type EmbedTokenStore = ReturnType<typeof createEmbedTokenStore>

const MAX_CONCURRENT = 3
/** The first token is requested alone for this long: a cold capacity has to warm up first. */
const FIRST_ALONE_MS = 15_000

/**
 * Fetches and caches the embed tokens of all reports: the first alone, the others three at a time.
 * Renews tokens of mounted frames when due and retries failures with backoff: call `tick` every
 * second, and `wake` after sleep or when back online.
 */
export function createEmbedTokenStore({ issue, onChange, onFailed, onRefused }: TokenStoreOptions) {
  /** In the order of the tabs, which is the order of the requests. */
  const entries = new Map<string, Entry>()
  /** Tokens in use by a mounted frame; only these are renewed in the background. */
  const inUse = new Set<string>()
  let controller = new AbortController()
  /** The limit of concurrent requests; 1 during the first. */
  let limit = MAX_CONCURRENT

  function publish(): void {
    onChange(new Map([...entries].map(([key, { state }]) => [key, state])))
  }

  function requestToken(entry: Entry): Promise<TokenOutcome> {
    entry.pending ??= run(entry)
    return entry.pending
  }

  async function run(entry: Entry): Promise<TokenOutcome> {
    const { signal } = controller
    const elapsed = startStopwatch()
    const outcome = await issue(entry.request, signal)
    entry.pending = undefined
    if (!signal.aborted && entries.get(entry.request.key) === entry) applyOutcome(entry, outcome, elapsed)
    requestNext()
    return outcome
  }

  function hasCapacity(): boolean {
    return [...entries.values()].filter(({ pending }) => pending).length < limit
  }

  function requestNext(): void {
    for (const entry of entries.values())
      if (entry.state.kind === 'waiting' && !entry.pending && hasCapacity()) void requestToken(entry)
  }

  function requestAlone(entry: Entry): void {
    const { signal } = controller
    const releaseOthers = () => {
      if (signal.aborted) return
      limit = MAX_CONCURRENT
      requestNext()
    }
    limit = 1
    setTimeout(releaseOthers, FIRST_ALONE_MS)
    void requestToken(entry).then(releaseOthers)
  }

  function applyOutcome(entry: Entry, outcome: TokenOutcome, elapsed: () => number): void {
    const current = entry.state.kind === 'ready' ? entry.state.token : undefined
    const isSame = outcome.kind === 'issued' && outcome.value === current
    const isStillValid = outcome.kind === 'rejected' && entry.getRemainingMs() > 0
    if (outcome.kind === 'issued') for (const resolve of entry.resolvers.splice(0)) resolve(outcome.value)
    if (current !== undefined && (isSame || isStillValid || outcome.kind === 'failed')) {
      // The current token stays in use; the renewal is retried later.
      entry.failures = isSame ? 0 : entry.failures + 1
      scheduleRenewal(entry, isSame ? SAME_TOKEN_DELAY_MS : backoffDelay(entry.failures, BACKOFF))
      return
    }
    // The refusal has been confirmed.
    if (entry.state.kind === 'refused' && outcome.kind !== 'issued') return
    if (outcome.kind === 'failed') {
      entry.failures += 1
      scheduleRenewal(entry, backoffDelay(entry.failures, { ...BACKOFF, retryAfterMs: outcome.retryAfterMs }))
      const { detail, isPaused = false } = outcome
      entry.state = { kind: 'failed', detail, isPaused, isRetrying: false }
    } else {
      entry.failures = 0
      if (outcome.kind === 'issued') {
        entry.state = { kind: 'ready', token: outcome.value, isPaginated: outcome.isPaginated }
        scheduleRenewal(entry, getRenewalAge(outcome.lifetimeMs), elapsed)
        entry.getRemainingMs = () => outcome.lifetimeMs - elapsed()
        entry.isConfirmed = false
      } else
        entry.state =
          outcome.kind === 'no-scope' ? { kind: 'no-scope' } : { kind: 'refused', detail: outcome.detail }
    }
    publish()
    // A transient failure stays on its tab.
    if (outcome.kind !== 'failed' && 'detail' in outcome && outcome.detail !== undefined)
      onFailed(entry.request.title, outcome.detail)
    if (entry.state.kind === 'no-scope' || entry.state.kind === 'refused')
      void confirmRefusal(entry, outcome.kind)
  }

  /** Refetches the reports, then asks once more: access restored during that fetch is visible only so. */
  async function confirmRefusal(entry: Entry, kind: TokenOutcome['kind']): Promise<void> {
    await onRefused()
    if (kind !== 'refused' || entry.isConfirmed || entries.get(entry.request.key) !== entry) return
    entry.isConfirmed = true
    void requestToken(entry)
  }

  function tick(): void {
    for (const [key, entry] of entries) {
      const isNeeded = entry.state.kind === 'failed' ? hasCapacity() : inUse.has(key)
      if (isNeeded && isDue(entry)) void requestToken(entry)
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
      for (const request of requests) entries.set(request.key, known.get(request.key) ?? createEntry(request))
      const selected = selectedKey === undefined ? undefined : entries.get(selectedKey)
      if (selected?.state.kind === 'ready' && !inUse.has(selected.request.key) && isDue(selected))
        selected.state = { kind: 'waiting' }
      if (selected?.state.kind === 'waiting') {
        if (known.size === 0) requestAlone(selected)
        else void requestToken(selected)
      }
      requestNext()
      publish()
    },
    /** Keeps a token renewed until the returned function is called. */
    hold(key: string): () => void {
      inUse.add(key)
      return () => void inUse.delete(key)
    },
    /**
     * Requests a token now, whatever the age of the current one; the server may return the same.
     * @returns undefined when none is available
     */
    async renew(key: string): Promise<string | undefined> {
      const entry = entries.get(key)
      const outcome = entry && (await requestToken(entry))
      return outcome?.kind === 'issued' ? outcome.value : undefined
    },
    /** Resolves with the next issued token, even if unchanged; waits as long as it takes. */
    next: (key: string) => new Promise<string>((resolve) => entries.get(key)?.resolvers.push(resolve)),
    /** Returns the remaining life in ms of the newest token. */
    getRemainingMs: (key: string): number => entries.get(key)?.getRemainingMs() ?? 0,
    /** Retries a failed token at once, on the user's request. */
    retry(key: string): void {
      const entry = entries.get(key)
      if (entry?.state.kind !== 'failed') return
      entry.state = { ...entry.state, isRetrying: true }
      void requestToken(entry)
      publish()
    },
    /** Requests all refused tokens again. */
    retryRefused(): void {
      for (const entry of entries.values())
        if (entry.state.kind === 'refused') entry.state = { kind: 'waiting' }
      requestNext()
      publish()
    },
    tick,
    /** Resets the backoff: after sleep or a network change, requests may succeed again. */
    wake(): void {
      for (const entry of entries.values()) {
        if (entry.failures > 0) entry.renewAfterMs = 0
        entry.failures = 0
      }
      tick()
    },
    /** Drops everything, including pending requests; `sync` starts over. */
    close(): void {
      controller.abort()
      controller = new AbortController()
      limit = MAX_CONCURRENT
      entries.clear()
      publish()
    },
  }
}

function createEntry(request: TokenRequest): Entry {
  const state = { kind: 'waiting' } as const
  const elapsed = startStopwatch()
  return { request, state, elapsed, renewAfterMs: 0, failures: 0, getRemainingMs: () => 0, resolvers: [] }
}

function scheduleRenewal(entry: Entry, afterMs: number, elapsed = startStopwatch()): void {
  entry.elapsed = elapsed
  entry.renewAfterMs = afterMs
}

function isDue({ state, elapsed, renewAfterMs }: Entry): boolean {
  return (state.kind === 'ready' || state.kind === 'failed') && elapsed() >= renewAfterMs
}

const MAX_MARGIN_MS = 10 * 60_000
const MIN_AGE_MS = 2_000
/** Retries never stop, so that an expired report returns as soon as a token is available. */
const BACKOFF = { firstMs: 2_000, maxMs: 60_000 }
/** Delay after a renewal that came too early and returned the server's cached token. */
const SAME_TOKEN_DELAY_MS = 10_000

/**
 * Returns the age in milliseconds at which to renew a token: ten minutes before it expires, or a fifth
 * of its lifetime before, if less. At least two seconds, so that an expired token causes no storm.
 */
export function getRenewalAge(lifetimeMs: number): number {
  return Math.max(MIN_AGE_MS, lifetimeMs - Math.min(MAX_MARGIN_MS, lifetimeMs / 5))
}
