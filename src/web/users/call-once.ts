import type { ReplyNamed, RouteName, RouteNamed } from '#contract/index.ts'
import { backoffDelay, retry } from '#contract/timing.ts'
import { callApi } from '#web/http/api.ts'
import { ApiError, NetworkError, type RequestInput } from '#web/http/send-request.ts'
import { closeToast, showToast } from '#web/ui/toast.tsx'

/** The routes that take an idempotency key. */
type OnceName = { [N in RouteName]: RouteNamed<N> extends { idempotent: true } ? N : never }[RouteName]

const MAX_RETRIES = 3
const BACKOFF = { firstMs: 500, maxMs: 2_000 }
const UNKNOWN_MS = 10 * 60_000
/** Idempotency keys of requests with an unknown outcome, reused when the same request is retried. */
const unknown = new Map<string, string>()

/**
 * Sends a change with an idempotency key; a lost reply is retried under the same key with backoff.
 * A later retry by the user reuses the key too, so nothing is done twice.
 * @throws as callApi, or Error when no reply arrives
 */
export async function callOnce<N extends OnceName>(
  name: N,
  input: RequestInput<RouteNamed<N>>,
): Promise<ReplyNamed<N>> {
  const asked = JSON.stringify([name, input])
  const idempotencyKey = unknown.get(asked) ?? crypto.getRandomValues(new Uint32Array(6)).join('-')
  unknown.delete(asked)
  let notice: number | undefined
  const delayAfter = (error: unknown, failures: number) => {
    if (!isAnswerLost(error) || failures > MAX_RETRIES) return undefined
    notice ??= showToast({ ...ASKING, lifetimeMs: Number.POSITIVE_INFINITY })
    return backoffDelay(failures, BACKOFF)
  }
  try {
    return await retry(() => callApi(name, { ...input, idempotencyKey }), delayAfter)
  } catch (error) {
    if (!isAnswerLost(error)) throw error
    unknown.set(asked, idempotencyKey)
    setTimeout(() => unknown.delete(asked), UNKNOWN_MS)
    throw new Error(NO_ANSWER, { cause: error })
  } finally {
    if (notice !== undefined) closeToast(notice)
  }
}

const ASKING = {
  kind: 'info',
  title: 'A resposta não chegou',
  description: 'Perguntando ao portal se foi feito…',
} as const
const NO_ANSWER =
  'Sem conexão com o portal, não se sabe se foi feito. Tente novamente: nada é feito duas vezes.'

/** Checks whether an error leaves open if the change was made. */
export const isOutcomeUnknown = (error: unknown) => error instanceof Error && error.message === NO_ANSWER

/** No reply, a gateway's reply, or a database that may have failed during the write. */
function isAnswerLost(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && isOfGateway(error.status))
}

const isOfGateway = (status: number) => status < 400 || (status >= 502 && status <= 504)
