import type { Route } from '#contract/route.ts'
import { createLatencies, type Latencies } from './latencies.ts'
import { raiseCount } from './raise-count.ts'

/** What is counted of one route, or of everything that is none. */
export interface RequestFigures {
  method: string
  /** Path with its parameters in braces; never what was asked for. */
  route: string
  byStatus: Map<number, number>
  /** Undefined for event streams, whose length says nothing. */
  latencies: Latencies | undefined
}

export interface RequestCounts {
  /** @param route undefined for pages, files, and what no route answers */
  count(route: Route | undefined, status: number, ms: number): void
  read(): RequestFigures[]
}

export function createRequestCounts(): RequestCounts {
  const all = new Map<Route | undefined, RequestFigures>()
  return {
    count(route, status, ms) {
      let figures = all.get(route)
      if (!figures) {
        figures = figuresOf(route)
        all.set(route, figures)
      }
      raiseCount(figures.byStatus, status)
      figures.latencies?.observe(ms)
    },
    read: () => [...all.values()],
  }
}

function figuresOf(route: Route | undefined): RequestFigures {
  return {
    method: route?.method ?? 'any',
    route: route?.path ?? 'none',
    byStatus: new Map(),
    latencies: route?.events ? undefined : createLatencies(),
  }
}
