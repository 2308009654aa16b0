import type { Query } from '@tanstack/react-query'
import { backoffDelay, coalesce, retry } from '#contract/timing.ts'
import { withAccessToken } from '#web/http/api.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { keepStreamOpen, openEventStream, SILENCE_TIMEOUT_MS } from '#web/http/event-stream.ts'
import { queryClient, ROLE_QUERY, USERS_QUERY } from '#web/http/query-client.ts'
import { isDefiniteRefusal } from '#web/http/send-request.ts'
import { runInOneTab } from '#web/session/browser-storage.ts'
import { onAuthStateChange } from '#web/session/session-store.ts'

/** Key prefix of every query of support messages. */
export const MESSAGES_QUERY = 'support-messages'
/** Without an event stream, a visible page polls at this interval. */
const POLL_MS = 15_000
const NAME = 'patio.messages'

/** Whether the event stream is live, and since when (ms since the epoch); undefined until known. */
let stream: { isLive: boolean; since: number } | undefined
export const getStreamState = () => stream

function setStreamState(isLive: boolean): void {
  if (stream?.isLive !== isLive) stream = { isLive, since: Date.now() }
}

/** What must be refetched. */
type Change = 'alive' | 'all'

/**
 * Subscribes administrators to changes of support messages, people and the catalogue,
 * which are refetched. One tab holds the stream and shares its events; it ends with
 * the session. It does not count as activity, so it never keeps an idle session alive.
 * @returns an unsubscribe function
 */
export function subscribeToChanges(): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const stop = () => ending.abort()
  const unsubscribe = onAuthStateChange((event) => event === 'SIGNED_OUT' && stop())
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(NAME)
  let lastEventAt = Number.NEGATIVE_INFINITY
  const handleChange = (change: Change) => {
    lastEventAt = Date.now()
    setStreamState(true)
    if (signal.aborted || change === 'alive') return
    refetchMessages()
    refetchPeople()
    refetchCatalogue()
  }
  channel?.addEventListener('message', ({ data }) => handleChange(data), { signal })

  const stream = {
    signal,
    open: (attempt: AbortSignal) =>
      withAccessToken((token) => openEventStream('/api/support-messages/changes', token, attempt)),
    onEvent(data: string | undefined) {
      const change = data === undefined ? 'alive' : 'all'
      handleChange(change)
      channel?.postMessage(change)
    },
    onDisconnect() {
      lastEventAt = Number.NEGATIVE_INFINITY
    },
    // Often the first sign of a revoked administrator role; the screens follow the role.
    onForbidden: () => void queryClient.invalidateQueries({ queryKey: [ROLE_QUERY] }),
  }
  // Rejects when aborted while waiting for the lock, which is intended.
  runInOneTab(NAME, () => keepStreamOpen(stream), signal).catch(() => {})

  pollWhenSilent(() => Date.now() - lastEventAt > SILENCE_TIMEOUT_MS, signal)
  signal.addEventListener('abort', () => {
    channel?.close()
    unsubscribe()
  })
  return stop
}

/** Polls while no tab has a live stream, or its tab was suspended by the browser. */
function pollWhenSilent(isSilent: () => boolean, signal: AbortSignal): void {
  const poll = () => {
    if (document.visibilityState !== 'visible' || !isSilent()) return
    setStreamState(false)
    refetchMessages()
    refetchPeople()
    refetchCatalogue()
  }
  const timer = setInterval(poll, POLL_MS)
  document.addEventListener('visibilitychange', poll, { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
}

/** Throttle interval of the refetches. */
const THROTTLE_MS = 150
const BACKOFF = { firstMs: 1_000, maxMs: 30_000 }
/** After this many failures the work waits for the next call. */
const MAX_FAILURES = 8

const refetchMessages = coalesceRuns(() => refetch([MESSAGES_QUERY]))
const refetchPeople = coalesceRuns(() => refetch([USERS_QUERY]))
const refetchCatalogue = coalesceRuns(() => refetch(catalogueQuery.queryKey))

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
