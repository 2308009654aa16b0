import * as z from 'zod/mini'
import { normalizeTyped } from './pasted-text.ts'
import type { Routes } from './route.ts'
import { cleanLine } from './text-rules.ts'
import { lineSchema } from './text-schemas.ts'
import { instantSchema, listSchemas, undoFields } from './users.ts'

export const MAX_GROUP_MAPPINGS = 200

const mappingSchema = z.strictObject({
  /** The directory's id, a UUID. */
  group_id: z
    .string()
    .check(z.overwrite(normalizeTyped), z.uuid('Informe o ID do grupo, como o Entra o mostra')),
  /** Typed: the portal does not read the directory. */
  name: z.string().check(z.overwrite(cleanLine), z.minLength(1, 'Dê um nome ao grupo'), z.maxLength(80)),
  template_id: z.uuid(),
})
export type GroupMapping = z.output<typeof mappingSchema>

/** What a person would gain and lose, with the day of the groups that say so. */
const effectSchema = z.object({
  user_id: z.uuid(),
  email: z.string(),
  full_name: z.nullable(z.string()),
  groups_at: instantSchema,
  gains: z.object(listSchemas),
  loses: z.object(listSchemas),
})
export type GroupEffect = z.output<typeof effectSchema>

export const groupMappingRoutes = {
  listGroupMappings: {
    method: 'GET',
    path: '/api/group-mappings',
    access: 'admin',
    summary:
      'The groups of the directory with their access templates, and of how many people groups are known',
    response: z.object({
      items: z.array(mappingSchema),
      /** For If-Match: it differs when the mappings do. */
      version: z.string(),
      known: z.number(),
      /** Who has signed in with Microsoft without a complete claim of groups. */
      unknown: z.number(),
      /** Ids of groups with which nobody has signed in. */
      unseen: z.array(z.string()),
    }),
  },
  setGroupMappings: {
    method: 'PUT',
    path: '/api/group-mappings',
    access: 'admin',
    recentAuthentication: 'many',
    trail: 'group-mappings-set',
    idempotent: true,
    conditional: true,
    summary:
      'Replaces the mappings of groups to access templates; changes nobody’s access. With a stale If-Match 409',
    body: z.strictObject({ items: z.array(mappingSchema).check(z.maxLength(MAX_GROUP_MAPPINGS)) }),
    response: z.object({ items: z.array(mappingSchema) }),
    maxBodyBytes: 64 * 1024,
  },
  previewGroupAccess: {
    method: 'GET',
    path: '/api/group-mappings/effects',
    access: 'admin',
    summary:
      'Who would gain and lose what if the mapped groups were applied; whose groups are unknown or unmapped keeps all',
    response: z.object({ items: z.array(effectSchema), fingerprint: z.string() }),
  },
  applyGroupAccess: {
    method: 'POST',
    path: '/api/group-mappings/apply',
    access: 'admin',
    recentAuthentication: 'many',
    trail: 'access-set',
    idempotent: true,
    summary:
      'Gives people exactly what their mapped groups give, as previewed: 409 where that has changed; undone as a bulk edit',
    body: z.strictObject({ fingerprint: lineSchema(64) }),
    response: z.object({ changed: z.number(), ...undoFields }),
  },
} as const satisfies Routes
