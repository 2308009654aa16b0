import type { Query } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { LiveTopic, LiveVersions } from '#contract/live.ts'
import { backoffDelay, coalesce, retry } from '#contract/timing.ts'
import { withAccessToken } from '#web/http/api.ts'
import { MESSAGES_QUERY, queryClient, ROLE_QUERY, USERS_QUERY } from '#web/http/query-client.ts'
import { isDefiniteRefusal } from '#web/http/send-request.ts'
import { runInOneTab } from '#web/session/browser-storage.ts'
import { getSession, onAuthStateChange } from '#web/session/session-store.ts'
import { keepStreamOpen, openEventStream, SILENCE_TIMEOUT_MS } from './event-stream.ts'

const NAME = 'patio.changes'
/** A stream that reconnects within it counts as live. */
const RECONNECT_MS = 5_000
/** Spreads the refetches of a change that concerns everyone, and of reconnects after a restart. */
const SPREAD_MS = { live: 1_000, connected: 10_000 }
/** What has just loaded is read again behind the first report, which has priority. */
const FIRST_DELAY_MS = 2_000

/** First elements of the keys of the queries that show a topic; prefetched and unmounted ones too. */
const QUERIES: Record<LiveTopic, readonly string[]> = {
  me: [ROLE_QUERY, 'own-reports', 'own-profile'],
  settings: ['own-reports', 'report-settings', 'report-states', 'further-reports'],
  catalogue: ['own-reports', 'catalogue', 'catalogue-use'],
  notices: ['own-notices', 'notices'],
  views: ['report-views'],
  people: [USERS_QUERY],
  messages: [MESSAGES_QUERY],
  health: ['lamps'],
}
const SPREAD_TOPICS = ['settings', 'catalogue', 'notices']

/** Whether changes arrive, and since when (ms since the epoch); undefined until known. */
let stream: { isLive: boolean; since: number } | undefined
const stateListeners = new Set<() => void>()
function subscribeToState(listener: () => void) {
  stateListeners.add(listener)
  return () => stateListeners.delete(listener)
}
export const useStreamState = () => useSyncExternalStore(subscribeToState, () => stream)

function setStreamState(isLive: boolean): void {
  if (stream?.isLive === isLive) return
  stream = { isLive, since: Date.now() }
  for (const listener of stateListeners) listener()
}

/** Mounted once for each person. */
export function LiveChanges(): null {
  useEffect(subscribeToChanges, [])
  return null
}

/**
 * Refetches what changes for the signed-in person. One tab holds the stream and shares the versions
 * that it has heard. The stream ends with the session; it never counts as activity.
 * @returns an unsubscribe function
 */
export function subscribeToChanges(): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const stop = () => ending.abort()
  if (!getSession()) return stop
  const unsubscribe = onAuthStateChange((event) => event === 'SIGNED_OUT' && stop())
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(NAME)

  let silence: ReturnType<typeof setTimeout> | undefined
  let silentAt = Number.POSITIVE_INFINITY
  const expectLifeBy = (at: number) => {
    clearTimeout(silence)
    silentAt = at
    silence = setTimeout(() => setStreamState(false), at - Date.now())
  }
  /** The versions of what this tab shows; empty at first, so that all is read again once. */
  const known: LiveVersions = {}
  const handleVersions = (versions: LiveVersions, isConnected: boolean) => {
    setStreamState(true)
    expectLifeBy(Date.now() + SILENCE_TIMEOUT_MS)
    for (const [topic, version] of Object.entries(versions) as [LiveTopic, string][]) {
      if (known[topic] === version) continue
      const firstMs = known[topic] === undefined ? FIRST_DELAY_MS : 0
      known[topic] = version
      const spreadMs = SPREAD_TOPICS.includes(topic) ? SPREAD_MS[isConnected ? 'connected' : 'live'] : 0
      const delayMs = Math.max(firstMs, Math.random() * spreadMs)
      const refetchTopic = () => !signal.aborted && QUERIES[topic].forEach(scheduleRefetch)
      if (delayMs > 0) setTimeout(refetchTopic, delayMs)
      else refetchTopic()
    }
  }
  channel?.addEventListener('message', ({ data }) => handleVersions(data.versions, data.isConnected), {
    signal,
  })

  let isConnected = false
  const options = {
    signal,
    open(attempt: AbortSignal) {
      isConnected = true
      return withAccessToken((token) => openEventStream('/api/changes', token, attempt))
    },
    onEvent(data?: string) {
      const changed: LiveVersions = data === undefined ? {} : JSON.parse(data)
      handleVersions(changed, isConnected)
      // All of them, for tabs that opened later.
      channel?.postMessage({ versions: known, isConnected })
      if (data !== undefined) isConnected = false
    },
    // Further failures do not move it.
    onDisconnect: () => expectLifeBy(Math.min(silentAt, Date.now() + RECONNECT_MS)),
  }
  expectLifeBy(Date.now() + SILENCE_TIMEOUT_MS)
  // Rejects when aborted while waiting for the lock, which is intended.
  runInOneTab(NAME, () => keepStreamOpen(options), signal).catch(() => {})
  signal.addEventListener('abort', () => {
    clearTimeout(silence)
    channel?.close()
    unsubscribe()
  })
  return stop
}

/** Throttle interval of the refetches. */
const THROTTLE_MS = 150
const BACKOFF = { firstMs: 1_000, maxMs: 30_000 }
/** After this many failures the work waits for the next call. */
const MAX_FAILURES = 8

const refetches = new Map<string, () => void>()

function scheduleRefetch(key: string): void {
  if (!refetches.has(key))
    refetches.set(
      key,
      coalesceRuns(() => refetch([key])),
    )
  refetches.get(key)?.()
}

async function refetch(queryKey: readonly unknown[]): Promise<void> {
  const filters = { queryKey }
  const isFirstLoad = ({ state }: Query) => state.data === undefined
  const wasLoading = queryClient.isFetching({ ...filters, predicate: isFirstLoad }) > 0
  await queryClient.invalidateQueries(filters, { throwOnError: true })
  // A first load in flight may have started before the change.
  if (wasLoading) await queryClient.invalidateQueries(filters, { throwOnError: true })
}

/** Coalesces bursts of calls. Failed work is retried with backoff, unless the server refused it. */
export function coalesceRuns(work: () => Promise<void>): () => void {
  const runWithRetry = () =>
    retry(work, (error, failures) => {
      console.warn('What changed could not be read', error)
      return failures < MAX_FAILURES && !isDefiniteRefusal(error)
        ? backoffDelay(failures, BACKOFF)
        : undefined
    }).catch(() => {})
  return coalesce(runWithRetry, THROTTLE_MS).wake
}
