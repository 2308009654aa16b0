import { raiseCount } from './raise-count.ts'
import { createRequestCounts, type RequestCounts } from './request-counts.ts'
import { createUpstreamCounts, type UpstreamCounts } from './upstream-counts.ts'

/** Where an embed token came from; 'shared' waited for a flight that another request had begun. */
export type TokenSource = 'cache' | 'shared' | 'service'

/**
 * What this process counts of its own work. Names of routes, services and outcomes alone, never anything of a
 * person; the figures are put into words when somebody asks (prometheus-text.ts).
 */
export interface Metrics {
  requests: RequestCounts
  upstream: UpstreamCounts
  countEmbedToken(source: TokenSource): void
  readEmbedTokens(): [TokenSource, number][]
  /** Counts an event stream as open. @returns a function to call once, when it has ended */
  openStream(): () => void
  countOpenStreams(): number
}

export function createMetrics(): Metrics {
  const embedTokens = new Map<TokenSource, number>()
  let openStreams = 0
  return {
    requests: createRequestCounts(),
    upstream: createUpstreamCounts(),
    countEmbedToken: (source) => raiseCount(embedTokens, source),
    readEmbedTokens: () => [...embedTokens],
    openStream() {
      openStreams++
      return () => {
        openStreams--
      }
    },
    countOpenStreams: () => openStreams,
  }
}
