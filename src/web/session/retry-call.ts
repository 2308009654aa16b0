import type { ReplyNamed, RouteName, RouteNamed } from '#contract/index.ts'
import { backoffDelay, retry } from '#contract/timing.ts'
import { callApi } from '#web/http/api.ts'
import { ApiError, NetworkError, type RequestInput } from '#web/http/send-request.ts'
import { closeToast, showToast } from '#web/ui/toast.tsx'

/** The routes that take an idempotency key. */
type IdempotentRoute = { [N in RouteName]: RouteNamed<N> extends { idempotent: true } ? N : never }[RouteName]

const MAX_RETRIES = 3
const BACKOFF = { firstMs: 500, maxMs: 2_000 }
const KEY_LIFETIME_MS = 10 * 60_000
/** Idempotency keys of requests with an unknown outcome, reused when the same request is retried. */
const unknownKeys = new Map<string, string>()

/**
 * Sends a change with an idempotency key; a lost reply is retried under the same key with backoff.
 * A later retry by the user reuses the key too, so nothing is done twice.
 * @throws as callApi, or Error when no reply arrives
 */
export async function retryCall<N extends IdempotentRoute>(
  name: N,
  input: RequestInput<RouteNamed<N>>,
): Promise<ReplyNamed<N>> {
  const requestKey = JSON.stringify([name, input])
  const idempotencyKey = unknownKeys.get(requestKey) ?? crypto.getRandomValues(new Uint32Array(6)).join('-')
  unknownKeys.delete(requestKey)
  let notice: number | undefined
  const stop = new AbortController()
  const getDelay = (error: unknown, failures: number) => {
    if (!isReplyLost(error) || failures > MAX_RETRIES) return undefined
    notice ??= showToast({
      ...(navigator.onLine ? RETRYING : OFFLINE),
      lifetimeMs: Number.POSITIVE_INFINITY,
      action: { label: 'Parar de esperar', run: () => stop.abort() },
    })
    return backoffDelay(failures, BACKOFF)
  }
  try {
    return await retry(
      async () => {
        if (notice !== undefined) await waitUntilOnline(stop.signal)
        return callApi(name, { signal: stop.signal, ...input, idempotencyKey })
      },
      getDelay,
      stop.signal,
    )
  } catch (error) {
    if (!isReplyLost(error) && !stop.signal.aborted) throw error
    unknownKeys.set(requestKey, idempotencyKey)
    setTimeout(() => unknownKeys.delete(requestKey), KEY_LIFETIME_MS)
    throw new Error(NO_REPLY, { cause: error })
  } finally {
    if (notice !== undefined) closeToast(notice)
  }
}

/** Resolves at once unless the browser knows that it is offline. */
function waitUntilOnline(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (navigator.onLine || signal.aborted) return resolve(undefined)
    window.addEventListener('online', resolve, { once: true, signal })
    signal.addEventListener('abort', resolve, { once: true })
  })
}

const RETRYING = {
  kind: 'info',
  title: 'A resposta não chegou',
  description: 'Perguntando ao portal se foi feito…',
} as const
const OFFLINE = {
  kind: 'info',
  title: 'Você está sem conexão',
  description: 'O pedido segue assim que ela voltar, e é feito uma só vez.',
} as const
const NO_REPLY =
  'Sem conexão com o portal, não se sabe se foi feito. Tente novamente: nada é feito duas vezes.'

/** Checks whether an error leaves open if the change was made. */
export const isOutcomeUnknown = (error: unknown) => error instanceof Error && error.message === NO_REPLY

/** No reply, a gateway's reply, or a database that may have failed during the write. */
function isReplyLost(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && isGatewayStatus(error.status))
}

const isGatewayStatus = (status: number) => status < 400 || (status >= 502 && status <= 504)
