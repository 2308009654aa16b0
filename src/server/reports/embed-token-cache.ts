import type { EmbedToken } from '#server/power-bi/power-bi.ts'

const MOST_TOKENS = 10_000
const MARGIN_MS = 10 * 60_000
const MARGIN_SHARE = 0.2

/** Where an embed token came from; 'shared' waited for a flight that another request had begun. */
export type TokenSource = 'cache' | 'shared' | 'service'

/** Reads a token from the cache or, once for everybody who waits, from the service. */
export type EmbedTokenCache = (key: string, generate: () => Promise<EmbedToken>) => Promise<EmbedToken>

/**
 * Remembers embed tokens until 10 minutes, or a fifth of their life, before they expire. Failures are
 * never remembered. Who may read which key is decided before, on every request.
 * @param clock ms since the epoch
 * @param countToken told where each token came from
 */
export function createEmbedTokenCache(
  clock: () => number,
  countToken: (source: TokenSource) => void,
): EmbedTokenCache {
  const tokens = new Map<string, { token: EmbedToken; until: number }>()
  const flights = new Map<string, Promise<EmbedToken>>()

  async function fetchToken(key: string, generate: () => Promise<EmbedToken>): Promise<EmbedToken> {
    const token = await generate()
    const life = token.expiresAt - clock()
    if (tokens.size >= MOST_TOKENS) tokens.delete(tokens.keys().next().value as string)
    tokens.set(key, { token, until: token.expiresAt - Math.min(MARGIN_MS, life * MARGIN_SHARE) })
    return token
  }

  return async (key, generate) => {
    const known = tokens.get(key)
    if (known && known.until > clock()) {
      countToken('cache')
      return known.token
    }
    tokens.delete(key)
    let flight = flights.get(key)
    countToken(flight ? 'shared' : 'service')
    if (!flight) {
      flight = fetchToken(key, generate).finally(() => flights.delete(key))
      flights.set(key, flight)
    }
    return flight
  }
}
