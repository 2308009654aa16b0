/** A report that needs embed tokens; the key changes with anything that must give the report a new frame. */
export interface TokenRequest {
  key: string
  area: string
  workspaceId: string
  reportId: string
  datasetId: string | null
}

/** What came of asking for a token; `detail` is Portuguese, fit to show. */
export type TokenOutcome =
  | { kind: 'issued'; value: string; lifeMs: number }
  | { kind: 'no-scope' }
  /** The person may not have it (any more); without a detail the screen will say so itself. */
  | { kind: 'refused'; detail?: string }
  /** It did not work this time: network, time-out, 429, 5xx, a reply without a token. */
  | { kind: 'failed'; detail: string }

export type TokenState =
  | { kind: 'waiting' }
  | { kind: 'ready'; token: EmbedToken }
  | { kind: 'no-scope' }
  | { kind: 'failed' }

export interface TokenBookOptions {
  /** Asks the server for one token; never rejects. */
  issue: (request: TokenRequest, signal: AbortSignal) => Promise<TokenOutcome>
  /** Called once for each report whose token could not be had, or was lost. */
  onFailed: (area: string, detail: string) => void
  /** Called when the server refuses: what the page knows of the person's reports is out of date. */
  onRefused: () => void
}

interface Entry {
  request: TokenRequest
  state: TokenState
  failures: number
  /** On the monotonic clock. */
  retryAt: number
}

/** Every token of the reports screen. See createTokenBook. */
export type TokenBook = ReturnType<typeof createTokenBook>

const WAITING: TokenState = { kind: 'waiting' }

/**
 * Fetches the embed tokens of all reports and renews those of mounted frames when they are due: call `tick`
 * every second or so, and `wake` when the machine may have slept or has come back online.
 */
export function createTokenBook({ issue, onFailed, onRefused }: TokenBookOptions) {
  const entries = new Map<string, Entry>()
  /** The tokens that a mounted frame lives on; only these are renewed in the background. */
  const held = new Set<string>()
  const listeners = new Set<() => void>()
  const queue = createTokenQueue(ask)
  let snapshot: ReadonlyMap<string, TokenState> = new Map()
  let abort = new AbortController()

  function publish(): void {
    snapshot = new Map([...entries].map(([key, entry]) => [key, entry.state]))
    for (const listener of [...listeners]) listener()
  }

  async function ask(key: string): Promise<TokenOutcome | undefined> {
    const entry = entries.get(key)
    if (!entry) return undefined
    const { signal } = abort
    const askedAt = readNow()
    const outcome = await issue(entry.request, signal)
    // The same key stands for the same report and scope, so a report that came back may use the reply.
    const current = entries.get(key)
    if (!signal.aborted && current) settle(current, outcome, askedAt)
    return outcome
  }

  function settle(entry: Entry, outcome: TokenOutcome, askedAt: Instant): void {
    if (entry.state.kind === 'ready' && putsOff(entry, entry.state.token, outcome)) return
    entry.failures = 0
    entry.retryAt = 0
    entry.state = stateAfter(outcome, askedAt)
    publish()
    if ('detail' in outcome && outcome.detail !== undefined) onFailed(entry.request.area, outcome.detail)
    if (outcome.kind === 'no-scope' || outcome.kind === 'refused') onRefused()
  }

  /** A renewal that failed, or that brought the server's cached token once more, is tried again a little later. */
  function putsOff(entry: Entry, current: EmbedToken, outcome: TokenOutcome): boolean {
    const isSame = outcome.kind === 'issued' && outcome.value === current.value
    if (!isSame && outcome.kind !== 'failed') return false
    entry.failures = isSame ? 0 : entry.failures + 1
    entry.retryAt = performance.now() + (isSame ? sameTokenDelay(current.lifeMs) : retryDelay(entry.failures))
    return true
  }

  function renewIfDue(entry: Entry): void {
    const { request, state, retryAt } = entry
    if (!held.has(request.key) || state.kind !== 'ready' || queue.isRunning(request.key)) return
    if (isDue(state.token, readNow()) && performance.now() >= retryAt) void queue.startNow(request.key)
  }

  return {
    /** Sets which reports there are: new ones are asked for, `firstKey` first; tokens of gone ones are forgotten. */
    sync(requests: readonly TokenRequest[], firstKey: string | undefined): void {
      const known = new Set(entries.keys())
      for (const key of known) if (!requests.some((request) => request.key === key)) entries.delete(key)
      const added = requests.filter(({ key }) => !known.has(key))
      for (const request of added)
        entries.set(request.key, { request, state: WAITING, failures: 0, retryAt: 0 })
      if (known.size === 0 && firstKey !== undefined && entries.has(firstKey)) queue.addAlone(firstKey)
      for (const { key } of added) queue.add(key)
      if (added.length > 0 || entries.size !== known.size) publish()
    },
    /** Says that a report is about to be looked at: its token comes before all others, unless a fresh one is there. */
    want(key: string): void {
      const entry = entries.get(key)
      if (!entry) return
      const { state } = entry
      if (state.kind === 'ready' && !held.has(key) && isDue(state.token, readNow())) {
        entry.state = WAITING
        publish()
      }
      if (entry.state.kind === 'waiting') void queue.startNow(key)
    },
    /** Keeps a token renewed until the returned function is called. */
    hold(key: string): () => void {
      held.add(key)
      return () => void held.delete(key)
    },
    /**
     * Asks for a token now, whatever the age of the old one; the server may well answer with the same.
     * @returns undefined when none could be had
     */
    async renew(key: string): Promise<EmbedToken | undefined> {
      const outcome = await queue.startNow(key)
      const state = entries.get(key)?.state
      return outcome?.kind === 'issued' && state?.kind === 'ready' ? state.token : undefined
    },
    /** Asks again for every token that could not be had. */
    retryFailed(): void {
      for (const [key, entry] of entries) {
        if (entry.state.kind !== 'failed') continue
        entry.state = WAITING
        queue.add(key)
      }
      publish()
    },
    tick(): void {
      for (const entry of entries.values()) renewIfDue(entry)
    },
    wake(): void {
      for (const entry of entries.values()) {
        entry.failures = 0
        entry.retryAt = 0
        renewIfDue(entry)
      }
    },
    /** Drops everything, requests on their way too; `sync` starts anew. */
    close(): void {
      abort.abort()
      abort = new AbortController()
      queue.clear()
      entries.clear()
      publish()
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    read: () => snapshot,
  }
}

function stateAfter(outcome: TokenOutcome, askedAt: Instant): TokenState {
  if (outcome.kind === 'issued')
    return { kind: 'ready', token: { value: outcome.value, lifeMs: outcome.lifeMs, askedAt } }
  return { kind: outcome.kind === 'no-scope' ? 'no-scope' : 'failed' }
}

/** A moment on two clocks: the monotonic one cannot be set back, the wall clock goes on while a laptop sleeps. */
export interface Instant {
  monotonic: number
  wall: number
}

/** An embed token and how long it lives, counted from the moment in which it was asked for. Milliseconds. */
export interface EmbedToken {
  value: string
  lifeMs: number
  askedAt: Instant
}

const MAX_MARGIN_MS = 10 * 60_000
const MIN_WAIT_MS = 2_000
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000

export function readNow(): Instant {
  return { monotonic: performance.now(), wall: Date.now() }
}

/** How old a token is: the larger of both clocks, so that neither sleep nor a clock set back hides its age. */
export function ageOf(token: EmbedToken, now: Instant): number {
  return Math.max(now.monotonic - token.askedAt.monotonic, now.wall - token.askedAt.wall)
}

/**
 * The age in milliseconds at which a token is renewed: ten minutes before its end, or a fifth of its life
 * before it when that is less. Never under two seconds, so that a token born dead cannot start a storm.
 */
export function renewalAge(lifeMs: number): number {
  return Math.max(MIN_WAIT_MS, lifeMs - Math.min(MAX_MARGIN_MS, lifeMs / 5))
}

export function isDue(token: EmbedToken, now: Instant): boolean {
  return ageOf(token, now) >= renewalAge(token.lifeMs)
}

/**
 * Milliseconds to wait after the n-th failed renewal in a row (n from 1): 2 s, doubling, at most a minute. There is
 * no last try: a report whose token has ended comes back as soon as a new one can be had.
 */
export function retryDelay(failures: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1))
}

/** Milliseconds to wait when the server was asked too early and gave out the same token again. */
export function sameTokenDelay(lifeMs: number): number {
  return Math.max(1_000, Math.min(30_000, lifeMs / 20))
}

/** After this the first token is the service's own affair: the others no longer slow it down. */
const FIRST_ALONE_MS = 3_000
const AT_ONCE = 3

/**
 * Runs a job per key, never two at once for the same key: one alone, the others behind it three at a time; what
 * the person waits for jumps the queue and is not counted against the three.
 * @param run does the job of a key; must not reject
 */
export function createTokenQueue<T>(run: (key: string) => Promise<T>) {
  let waiting: string[] = []
  let running = new Map<string, Promise<T>>()
  let alone: { timer: ReturnType<typeof setTimeout> } | undefined

  function pump(): void {
    while (!alone && running.size < AT_ONCE && waiting[0] !== undefined) void startNow(waiting[0])
  }

  async function start(key: string, mine: typeof running): Promise<T> {
    const result = await run(key)
    // After clear() a late job is in another map.
    mine.delete(key)
    pump()
    return result
  }

  function startNow(key: string): Promise<T> {
    waiting = waiting.filter((other) => other !== key)
    const job = running.get(key) ?? start(key, running)
    running.set(key, job)
    return job
  }

  function endAlone(mine: typeof alone): void {
    clearTimeout(mine?.timer)
    if (alone === mine) alone = undefined
    pump()
  }

  return {
    add(key: string): void {
      if (!running.has(key) && !waiting.includes(key)) waiting.push(key)
      pump()
    },
    /** Starts a job at once and holds the others back until it is done, for three seconds at most. */
    addAlone(key: string): void {
      const mine = { timer: setTimeout(() => endAlone(mine), FIRST_ALONE_MS) }
      alone = mine
      void startNow(key).then(() => endAlone(mine))
    },
    startNow,
    isRunning: (key: string) => running.has(key),
    /** Forgets what waits and what runs. */
    clear(): void {
      clearTimeout(alone?.timer)
      alone = undefined
      waiting = []
      running = new Map()
    },
  }
}
