import * as z from 'zod/mini'
import { formatList } from './format-list.ts'
import { groupByCause } from './messages.ts'
import type { Routes } from './route.ts'

const findingSchema = z.object({
  /** Stable name for scripts: 'database', 'mail-dmarc', 'setting-PORT'. */
  check: z.string(),
  /** A fault affects people, a warning may. */
  grade: z.enum(['good', 'warning', 'fault']),
  /** One line in Portuguese without secrets. */
  says: z.string(),
  /** Remedy; null if all is well. */
  todo: z.nullable(z.string()),
  /** Area of the report, for findings about one. */
  area: z.optional(z.string()),
})
export type Finding = z.output<typeof findingSchema>

/** Formats a finding about the reports of areas. */
export function formatLine(areas: readonly string[], message: string): string {
  const named = formatList(areas)
  return `${areas.length > 1 ? 'Relatórios' : 'Relatório'} de ${named}: ${message}`
}

/** Merges findings of several reports with the same cause, naming all their areas. */
export function joinAreas(findings: readonly Finding[]): Finding[] {
  const failures = findings.flatMap((finding) => {
    const { area, grade, says } = finding
    if (area === undefined || grade === 'good') return []
    return [{ area, finding, message: says.slice(formatLine([area], '').length) }]
  })
  const groups = groupByCause(failures)
  return findings.flatMap((finding) => {
    const group = groups.find((failed) => failed.some((failure) => failure.finding === finding))
    if (!group) return [finding]
    const [{ finding: first, message }] = group
    const areas = group.map(({ area }) => area)
    return first === finding ? [{ ...finding, says: formatLine(areas, message) }] : []
  })
}

const stateSchema = z.object({
  /** Null before the first use of the service. */
  isGood: z.nullable(z.boolean()),
  /** ISO 8601; time of the last change. */
  since: z.nullable(z.string()),
})
export type ServiceState = z.output<typeof stateSchema>

const reportFaultSchema = z.object({
  /** The area's slug and label. */
  area: z.string(),
  label: z.string(),
  /** Unique in its area; the area's label for a first report without a name. */
  name: z.string(),
  /** ISO 8601; the first failure since the last token. */
  since: z.string(),
  /** In Portuguese, for users. */
  says: z.string(),
})
export type ReportFault = z.output<typeof reportFaultSchema>

const statesSchema = z.object({ mail: stateSchema, powerBi: stateSchema, database: stateSchema })
export type ServiceName = keyof z.output<typeof statesSchema>

export const healthRoutes = {
  readFindings: {
    method: 'GET',
    path: '/api/health/findings',
    access: 'admin',
    summary: 'Tries everything that the installation stands on; takes some seconds',
    response: z.object({ items: z.array(findingSchema) }),
  },
  readLamps: {
    method: 'GET',
    path: '/api/health/lamps',
    access: 'admin',
    summary:
      'What all replicas have last seen of the services that they use, and the reports that give no token',
    response: z.extend(statesSchema, { reports: z.array(reportFaultSchema) }),
  },
  readCaller: {
    method: 'GET',
    path: '/api/health/caller',
    access: 'operator',
    summary: 'The address that the portal sees for the caller',
    response: z.object({
      ip: z.string(),
      /** Whether X-Forwarded-For was sent, and whether its sender is trusted. */
      forwarded: z.enum(['trusted', 'ignored', 'none']),
    }),
  },
  tryStream: {
    method: 'GET',
    path: '/api/health/stream',
    access: 'operator',
    summary: 'Four events within a second, to see whether a proxy holds them back, and one after a pause',
    query: z.object({
      /** Seconds between the fourth event and the last; without it there are four. */
      pause: z.optional(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(20))),
    }),
    events: z.object({ count: z.number(), of: z.number() }),
  },
} as const satisfies Routes
