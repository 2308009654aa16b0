import * as z from 'zod/mini'
import { ACCESS_ACTIONS, AUDIT_ACTIONS, historyEntrySchema, UNDOABLE_THINGS } from './audit-actions.ts'
import { slugSchema, typeSchema } from './catalogue.ts'
import { normalizeTyped } from './pasted-text.ts'
import type { Routes } from './route.ts'
import { cleanLine } from './text-rules.ts'
import { lineSchema } from './text-schemas.ts'
import { dateSchema, notesSchema, userParams } from './users.ts'

/** Groups of actions that the filter offers; the last three are files, the catalogue and settings. */
export const ACTION_GROUPS = ['acts', 'accesses', 'refusals', 'exports', 'catalogue', 'settings'] as const

/** Actors without an account: the portal itself, and who runs a command at the server. */
export const NOT_PEOPLE = ['portal', 'servidor'] as const

/** An id, also of a deleted person's pseudonym, or an e-mail. */
const whoSchema = z.string().check(z.overwrite(normalizeTyped), z.overwrite(cleanLine), z.maxLength(255))

/** Filters of the trail, combined with AND; days are of São Paulo and included. */
const filterFields = {
  /** To whom it happened; of sign-ins and opened reports who did them. */
  person: z.optional(whoSchema),
  /** Who did it, or one of NOT_PEOPLE. */
  actor: z.optional(whoSchema),
  action: z.optional(z.enum([...ACTION_GROUPS, ...AUDIT_ACTIONS, ...ACCESS_ACTIONS])),
  /** Label of an area: its report, its readers, its place in the catalogue. */
  area: z.optional(typeSchema),
  from: z.optional(dateSchema),
  to: z.optional(dateSchema),
  /** A bulk act, person by person. */
  batch: z.optional(z.uuid()),
}
export type TrailFilter = z.output<z.ZodMiniObject<typeof filterFields>>

const trailEntrySchema = z.extend(historyEntrySchema, {
  id: z.string(),
  target_id: z.nullable(z.string()),
  /** Null for nobody or a deleted person. */
  target_email: z.nullable(z.string()),
  ip: z.nullable(z.string()),
  user_agent: z.nullable(z.string()),
  /** How many entries this one stands for, and the batch that lists them: the last of a bulk act. */
  people: z.optional(z.number()),
  batch: z.optional(z.uuid()),
})
export type TrailEntry = z.output<typeof trailEntrySchema>

const onDay = z.object({ on: z.optional(dateSchema) })

/** How a person got an area, by the trail; null before the oldest entry. */
const grantFields = {
  since: z.nullable(z.string()),
  /** The action that gave it. */
  through: z.nullable(z.string()),
  /** The templates that the same entry filled in, as they were then. */
  templates: z.optional(z.array(z.string())),
  by: z.nullable(z.string()),
  until: z.nullable(dateSchema),
}
/** False when the day is before the trail's reach: nothing is known, and the lists are empty. */
const knownFields = { known: z.boolean(), reach: z.nullable(z.string()) }

const readerSchema = z.object({
  user_id: z.string(),
  /** Null for a deleted person. */
  email: z.nullable(z.string()),
  full_name: z.nullable(z.string()),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
  ...grantFields,
})
export type Reader = z.output<typeof readerSchema>

const hindranceSchema = z.enum(['no-account', 'not-approved', 'ended', 'no-scope', 'no-types'])
export type Hindrance = z.output<typeof hindranceSchema>

export const auditRoutes = {
  readTrail: {
    method: 'GET',
    path: '/api/audit',
    access: 'admin',
    summary: 'The audit trail with sign-ins, opened reports and refusals, newest first, a page at a time',
    query: z.strictObject({ ...filterFields, cursor: z.optional(lineSchema(100)) }),
    response: z.object({ items: z.array(trailEntrySchema), next: z.nullable(z.string()) }),
  },
  exportTrail: {
    method: 'GET',
    path: '/api/audit/export',
    access: 'admin',
    recentAuthentication: 'many',
    trail: 'trail-exported',
    summary: 'All entries that match, as a stream of CSV or JSON lines',
    query: z.strictObject({ ...filterFields, format: z._default(z.enum(['csv', 'jsonl']), 'csv') }),
    file: true,
  },
  readAreaAccess: {
    method: 'GET',
    path: '/api/access/{type}',
    access: 'admin',
    summary: 'Who can see the reports of an area, or could at the end of a past day, and through what',
    params: z.object({ type: slugSchema }),
    query: onDay,
    response: z.object({
      ...knownFields,
      readers: z.array(readerSchema),
      /** People deleted since, of whom the trail does not tell what they could see. */
      unknown: z.number(),
    }),
  },
  exportAreaAccess: {
    method: 'GET',
    path: '/api/access/{type}/export',
    access: 'admin',
    recentAuthentication: 'many',
    trail: 'access-exported',
    summary: 'The same as a CSV file that Excel in Portuguese opens',
    params: z.object({ type: slugSchema }),
    query: onDay,
    response: z.object({ csv: z.string(), people: z.number() }),
  },
  recordDownload: {
    method: 'POST',
    path: '/api/audit/downloads',
    access: 'admin',
    recentAuthentication: 'many',
    trail: 'file-downloaded',
    summary: 'That the page is about to save people whom a screen shows as a file',
    body: z.strictObject({
      what: z.enum(['usage', 'person-access', 'review', 'past-review']),
      /** Of 'person-access'. */
      userId: z.optional(z.uuid()),
      /** The code of what is reviewed. */
      item: z.optional(lineSchema(80)),
      from: z.optional(dateSchema),
      to: z.optional(dateSchema),
    }),
  },
  undoChange: {
    method: 'POST',
    path: '/api/profiles/bulk-edit/{undoId}/undo',
    access: 'admin',
    trail: ['bulk-edit-undone', 'notice-added', ...UNDOABLE_THINGS],
    idempotent: true,
    summary:
      'Restores within a day what was before a change of one’s own that gave an undoId: of people, reports, lists, notices or messages. `changed` names by e-mail who was changed since and stays so; 409 when that is everybody, or the thing',
    params: z.object({ undoId: z.uuid() }),
    response: z.object({
      restored: z.number(),
      changed: z._default(z.array(z.string()), []),
      notes: notesSchema,
    }),
  },
  previewUndo: {
    method: 'GET',
    path: '/api/profiles/bulk-edit/{undoId}/undo',
    access: 'admin',
    summary: 'Whom the undo of a change of people, of one’s own, would leave with nothing',
    params: z.object({ undoId: z.uuid() }),
    response: z.object({ notes: notesSchema }),
  },
  readPersonAccess: {
    method: 'GET',
    path: '/api/profiles/{userId}/access',
    access: 'admin',
    summary: 'Which areas a person can see, or could at the end of a past day, and through what',
    params: userParams,
    query: onDay,
    response: z.object({
      ...knownFields,
      email: z.string(),
      /** Why nothing is seen in spite of the areas. */
      hindrance: z.nullable(hindranceSchema),
      marcas: z.array(z.string()),
      estados: z.array(z.string()),
      areas: z.array(z.object({ type: z.string(), reports: z.array(z.string()), ...grantFields })),
    }),
  },
} as const satisfies Routes
