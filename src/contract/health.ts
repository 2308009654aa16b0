import * as z from 'zod/mini'
import { defineRoutes } from './route.ts'

export const findingSchema = z.object({
  /** Its name for scripts, always the same: 'database', 'mail-dmarc', 'setting-PORT'. */
  check: z.string(),
  /** A fault keeps people from something, a warning may do so. */
  grade: z.enum(['good', 'warning', 'fault']),
  /** One Portuguese line without secrets. */
  says: z.string(),
  /** What to do about it; null when all is well. */
  todo: z.nullable(z.string()),
})
export type Finding = z.output<typeof findingSchema>

const lampStateSchema = z.object({
  /** Null until the service has been used. */
  isGood: z.nullable(z.boolean()),
  /** ISO 8601; when it became so. */
  since: z.nullable(z.string()),
})
export type LampState = z.output<typeof lampStateSchema>

const lampsSchema = z.object({ mail: lampStateSchema, powerBi: lampStateSchema, database: lampStateSchema })
export type LampName = keyof z.output<typeof lampsSchema>

export const healthRoutes = defineRoutes({
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
})
