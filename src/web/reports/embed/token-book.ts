import { backoffDelay } from '#contract/timing.ts'

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
  | { kind: 'issued'; value: string; lifeMs: number; isPaginated: boolean }
  | { kind: 'no-scope' }
  /** The person may not have it (any more); without a detail the screen will say so itself. */
  | { kind: 'refused'; detail?: string }
  /** The service does not give it out as it is set up; what is still good may be used up. */
  | { kind: 'rejected'; detail: string }
  /** It did not work this time: network, time-out, 429, 5xx, a reply without a token. */
  | TokenFailure

/** `isPaused` when it is the capacity that has been paused. */
interface TokenFailure {
  kind: 'failed'
  detail: string
  isPaused?: boolean
  /** Not to be asked again before. */
  retryAfterMs?: number | undefined
}

export type TokenState =
  | { kind: 'waiting' }
  | { kind: 'ready'; token: string; isPaginated: boolean }
  | { kind: 'no-scope' }
  /** Asked again by itself; `isRetrying` while the person waits for that. */
  | { kind: 'failed'; detail: string; isPaused: boolean; isRetrying: boolean }
  | { kind: 'refused'; detail?: string | undefined }

interface Entry {
  request: TokenRequest
  state: TokenState
  /** When a ready token is due for renewal or a failed one to be asked for again, and how often in a row that has failed. */
  renewAt: number
  failures: number
  /** When a ready token ends. */
  endsAt: number
  asking?: Promise<TokenOutcome> | undefined
  /** Whether a refusal has been asked about once more. */
  isConfirmed?: boolean
  /** Told of the next token that is issued. */
  waiting: ((token: string) => void)[]
}

export interface TokenBookOptions {
  /** Asks the server for one token; never rejects. */
  issue: (request: TokenRequest, signal: AbortSignal) => Promise<TokenOutcome>
  onChange: (tokens: ReadonlyMap<string, TokenState>) => void
  /** Called once for each report whose token could not be had or was lost, and for each try that the person asked for. */
  onFailed: (area: string, detail: string) => void
  /** Called when the server refuses: what the page knows of the person's reports is out of date until it resolves. */
  onRefused: () => unknown
}

export type TokenBook = ReturnType<typeof createTokenBook>

const MAX_AT_ONCE = 3
/** The server lets the first token take this long: a cold capacity answers the others only once it is warm. */
const FIRST_ALONE_MS = 15_000

/**
 * Fetches the embed tokens of all reports, the first one alone and the others three at a time, renews those of
 * mounted frames when they are due and asks again for those that could not be had: call `tick` every second or
 * so, and `wake` when the machine may have slept or has come back online.
 */
export function createTokenBook({ issue, onChange, onFailed, onRefused }: TokenBookOptions) {
  /** In the order of the tabs, which is the order in which they are asked for. */
  const entries = new Map<string, Entry>()
  /** The tokens that a mounted frame lives on; only these are renewed in the background. */
  const held = new Set<string>()
  let closing = new AbortController()
  /** How many may be asked for at once: the first one comes alone. */
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
      // The old one stands: this renewal is tried again a little later.
      entry.failures = isSame ? 0 : entry.failures + 1
      entry.renewAt = Date.now() + (isSame ? SAME_TOKEN_REST_MS : backoffDelay(entry.failures, BACKOFF))
      return
    }
    // It was asked about once more, and nothing is new.
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

  /** Has the reports read again, then asks once more: a right given back during that read shows in no other way. */
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
     * Sets which reports there are: new ones are asked for, tokens of gone ones are forgotten. What the selected
     * one lacks comes before all others.
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
     * Asks for a token now, whatever the age of the old one; the server may well answer with the same.
     * @returns undefined when none could be had
     */
    async renew(key: string): Promise<string | undefined> {
      const entry = entries.get(key)
      const outcome = entry && (await ask(entry))
      return outcome?.kind === 'issued' ? outcome.value : undefined
    },
    /** The next token that the server issues for it, be it the same as before; waits as long as it takes. */
    next: (key: string) => new Promise<string>((resolve) => entries.get(key)?.waiting.push(resolve)),
    /** Asks at once for a token that could not be had, because the person wants it. */
    retry(key: string): void {
      const entry = entries.get(key)
      if (entry?.state.kind !== 'failed') return
      entry.state = { ...entry.state, isRetrying: true }
      void ask(entry)
      publish()
    },
    /** Asks again for every token that was refused. */
    retryRefused(): void {
      for (const entry of entries.values())
        if (entry.state.kind === 'refused') entry.state = { kind: 'waiting' }
      askNext()
      publish()
    },
    tick,
    /** What failed before may well succeed now. */
    wake(): void {
      for (const entry of entries.values()) {
        if (entry.failures > 0) entry.renewAt = 0
        entry.failures = 0
      }
      tick()
    },
    /** Drops everything, requests on their way too; `sync` starts anew. */
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

/** By the wall clock, which goes on while a laptop sleeps. */
function isDue({ state, renewAt }: Entry): boolean {
  return (state.kind === 'ready' || state.kind === 'failed') && Date.now() >= renewAt
}

const MAX_MARGIN_MS = 10 * 60_000
const MIN_AGE_MS = 2_000
/** There is no last try: a report whose token has ended comes back as soon as a new one can be had. */
const BACKOFF = { firstMs: 2_000, maxMs: 60_000 }
/** The server was asked too early and gave out the token that it remembers. */
const SAME_TOKEN_REST_MS = 10_000

/**
 * The age in milliseconds at which a token is renewed: ten minutes before its end, or a fifth of its life
 * before it when that is less. Never under two seconds, so that a token born dead cannot start a storm.
 */
export function renewalAge(lifeMs: number): number {
  return Math.max(MIN_AGE_MS, lifeMs - Math.min(MAX_MARGIN_MS, lifeMs / 5))
}
