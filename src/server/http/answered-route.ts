import type { ServerResponse } from 'node:http'
import type { Route } from '#contract/route.ts'

const ROUTE = Symbol('route')

interface Marked {
  [ROUTE]?: Route
}

/** Notes on a reply which route of the contract answers, for whoever counts replies when they are out. */
export function markRoute(outgoing: ServerResponse, route: Route): void {
  ;(outgoing as Marked)[ROUTE] = route
}

/** @returns undefined for pages, files, and what no route answers */
export function routeOf(outgoing: ServerResponse): Route | undefined {
  return (outgoing as Marked)[ROUTE]
}
