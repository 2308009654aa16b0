import type { Query } from '@tanstack/react-query'
import type { MessageChange } from '#contract/support.ts'
import { backoffDelay, coalesce, retry } from '#contract/timing.ts'
import { withAccessToken } from '#web/http/api.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { keepStreamOpen, openEventStream, SILENCE_TIMEOUT_MS } from '#web/http/event-stream.ts'
import { queryClient, ROLE_QUERY, USERS_QUERY } from '#web/http/query-client.ts'
import { isDefiniteRefusal } from '#web/http/send-request.ts'
import { runInOneTab } from '#web/session/browser-storage.ts'
import { onAuthStateChange } from '#web/session/session-store.ts'

/** First part of the key of every query of support messages. */
export const MESSAGES_QUERY = 'support-messages'
/** Where the stream cannot be had, an open page asks this often. */
const POLL_MS = 15_000
const NAME = 'patio.messages'

/** Whether news arrive by themselves, and since when (ms since the epoch); undefined until that is known. */
let stream: { isLive: boolean; since: number } | undefined
export const readStreamState = () => stream

function noteStream(isLive: boolean): void {
  if (stream?.isLive !== isLive) stream = { isLive, since: Date.now() }
}

/** Of what something is to be read again. */
type News = 'alive' | 'messages' | 'people' | 'all'

/**
 * Follows every change of the support messages, of people and of the catalogue by anyone, for administrators only: what
 * the page shows of them is read again. One tab holds the stream and tells the others; all of it ends with the session. It is no activity
 * of the person's, and nothing here keeps a session alive that nobody uses.
 * @returns a function that ends it
 */
export function followMessageChanges(): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const stop = () => ending.abort()
  const stopWatching = onAuthStateChange((event) => event === 'SIGNED_OUT' && stop())
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(NAME)
  let heardAt = Number.NEGATIVE_INFINITY
  const hear = (news: News) => {
    heardAt = Date.now()
    noteStream(true)
    if (signal.aborted || news === 'alive') return
    if (news !== 'people') readMessagesAgain()
    if (news !== 'messages') readPeopleAgain()
    if (news === 'all') readCatalogueAgain()
  }
  channel?.addEventListener('message', ({ data }) => hear(data), { signal })

  const stream = {
    signal,
    open: (attempt: AbortSignal) =>
      withAccessToken((token) => openEventStream('/api/support-messages/changes', token, attempt)),
    onEvent(data: string | undefined) {
      const news = data === undefined ? 'alive' : newsIn(data)
      hear(news)
      channel?.postMessage(news)
    },
    onDisconnect() {
      heardAt = Number.NEGATIVE_INFINITY
    },
    // Whoever is no administrator any more learns it here first; the screens follow the role.
    onForbidden: () => void queryClient.invalidateQueries({ queryKey: [ROLE_QUERY] }),
  }
  // Aborted while it waits, it rejects; that is the end that was asked for.
  runInOneTab(NAME, () => keepStreamOpen(stream), signal).catch(() => {})

  pollInSilence(() => Date.now() - heardAt > SILENCE_TIMEOUT_MS, signal)
  signal.addEventListener('abort', () => {
    channel?.close()
    stopWatching()
  })
  return stop
}

/** Silence means that no tab has a stream, or that the tab that has one was put to sleep: an open page asks then. */
function pollInSilence(isSilent: () => boolean, signal: AbortSignal): void {
  const poll = () => {
    if (document.visibilityState !== 'visible' || !isSilent()) return
    noteStream(false)
    readMessagesAgain()
    readPeopleAgain()
    readCatalogueAgain()
  }
  const polling = setInterval(poll, POLL_MS)
  document.addEventListener('visibilitychange', poll, { signal })
  signal.addEventListener('abort', () => clearInterval(polling))
}

function newsIn(data: string): News {
  const change = JSON.parse(data) as MessageChange
  if (change.kind === 'stale') return 'all'
  // A server of 0.1, which may still be at work, names messages alone.
  if (!change.people?.length) return 'messages'
  return change.ids.length === 0 ? 'people' : 'all'
}

/** However fast it is asked for, the work runs no oftener than this. */
const REST_MS = 150
const BACKOFF = { firstMs: 1_000, maxMs: 30_000 }
/** Work that has failed this often waits until it is asked for again. */
const MAX_FAILURES = 8

const readMessagesAgain = runOneByOne(() => readAgain([MESSAGES_QUERY]))
const readPeopleAgain = runOneByOne(() => readAgain([USERS_QUERY]))
const readCatalogueAgain = runOneByOne(() => readAgain(catalogueQuery.queryKey))

async function readAgain(queryKey: readonly unknown[]): Promise<void> {
  const filters = { queryKey }
  const isFirstLoad = ({ state }: Query) => state.data === undefined
  const hasJoined = queryClient.isFetching({ ...filters, predicate: isFirstLoad }) > 0
  await queryClient.invalidateQueries(filters, { throwOnError: true })
  // A first load that was on its way may have begun before the change.
  if (hasJoined) await queryClient.invalidateQueries(filters, { throwOnError: true })
}

/**
 * Coalesces work that may be asked for in bursts. Failed, it is tried again later and later, unless the server has said
 * its last word.
 */
export function runOneByOne(work: () => Promise<void>): () => void {
  const patiently = () =>
    retry(work, (error, failures) => {
      console.warn('What changed could not be read', error)
      return failures < MAX_FAILURES && !isDefiniteRefusal(error)
        ? backoffDelay(failures, BACKOFF)
        : undefined
    }).catch(() => {})
  return coalesce(patiently, REST_MS).wake
}
