import * as z from 'zod/mini'
import { byCause } from './messages.ts'
import type { Routes } from './route.ts'

const findingSchema = z.object({
  /** Its name for scripts, always the same: 'database', 'mail-dmarc', 'setting-PORT'. */
  check: z.string(),
  /** A fault keeps people from something, a warning may do so. */
  grade: z.enum(['good', 'warning', 'fault']),
  /** One Portuguese line without secrets. */
  says: z.string(),
  /** What to do about it; null when all is well. */
  todo: z.nullable(z.string()),
  /** Whose report it is about, where it is about one. */
  area: z.optional(z.string()),
})
export type Finding = z.output<typeof findingSchema>

/** What is said of the reports of areas. */
export function reportLine(areas: readonly string[], message: string): string {
  const named = new Intl.ListFormat('pt-BR').format(areas)
  return `${areas.length > 1 ? 'Relatórios' : 'Relatório'} de ${named}: ${message}`
}

/** The findings for people: a cause that several reports share is said once, with all their areas. */
export function joinAreas(findings: readonly Finding[]): Finding[] {
  const failures = findings.flatMap((finding) => {
    const { area, grade, says } = finding
    if (area === undefined || grade === 'good') return []
    return [{ area, finding, message: says.slice(reportLine([area], '').length) }]
  })
  const groups = byCause(failures)
  return findings.flatMap((finding) => {
    const group = groups.find((failed) => failed.some((failure) => failure.finding === finding))
    if (!group) return [finding]
    const [{ finding: first, message }] = group
    const areas = group.map(({ area }) => area)
    return first === finding ? [{ ...finding, says: reportLine(areas, message) }] : []
  })
}

const lampStateSchema = z.object({
  /** Null until the service has been used. */
  isGood: z.nullable(z.boolean()),
  /** ISO 8601; when it became so. */
  since: z.nullable(z.string()),
})
export type LampState = z.output<typeof lampStateSchema>

const lampsSchema = z.object({ mail: lampStateSchema, powerBi: lampStateSchema, database: lampStateSchema })
export type LampName = keyof z.output<typeof lampsSchema>

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
    summary: 'What this process has last seen of the services that it uses',
    response: lampsSchema,
  },
  readCaller: {
    method: 'GET',
    path: '/api/health/caller',
    access: 'operator',
    summary: 'The address that the portal sees for the caller',
    response: z.object({
      ip: z.string(),
      /** Whether an X-Forwarded-For came, and whether whoever sent it is trusted. */
      forwarded: z.enum(['trusted', 'ignored', 'none']),
    }),
  },
  tryStream: {
    method: 'GET',
    path: '/api/health/stream',
    access: 'operator',
    summary: 'Four events within a second, to see whether a proxy holds them back',
    events: z.object({ count: z.number() }),
  },
} as const satisfies Routes
