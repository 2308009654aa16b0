import * as z from 'zod/mini'
import { historyEntrySchema } from './audit-actions.ts'
import { estadoSchema, MAX_ITEMS, marcaSchema, typeSchema } from './catalogue.ts'
import { LISTS, mapLists } from './entitlement-lists.ts'
import type { Routes } from './route.ts'
import { MANY_LINES, normalizeBreaks, ONE_LINE, textMessages } from './text-rules.ts'
import { lineSchema, searchSchema } from './text-schemas.ts'
import {
  adminMessages,
  MAX_IDS,
  MAX_NAME_LENGTH,
  MAX_NOTE_LENGTH,
  PROFILE_SORTS,
  WHOLE_LIST,
} from './user-rules.ts'

/** The database knows no year 0000. */
const hasYear = z.regex(/^[1-9]/, 'Data inválida')

/** An instant: ISO 8601 in UTC here, a timestamptz in the database. */
export const instantSchema = z.iso.datetime().check(hasYear)

/** A calendar day, '2026-12-31', here and in the database. */
export const dateSchema = z.iso.date().check(hasYear)

/**
 * A person's profile. Each field is a column of the same name; the table's type and the queries are
 * derived from it.
 */
export const profileSchema = z.object({
  id: z.uuid(),
  user_id: z.uuid(),
  email: z.string(),
  full_name: z.nullable(z.string()),
  approved: z.boolean(),
  /** Last day in São Paulo of a limited approval. */
  valid_until: z.nullable(dateSchema),
  email_verified_at: z.nullable(instantSchema),
  created_at: instantSchema,
  last_sign_in_at: z.nullable(instantSchema),
  types: z.array(z.string()),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
})
export type Profile = z.output<typeof profileSchema>
export const PROFILE_FIELDS = Object.keys(profileSchema.shape) as (keyof Profile)[]

/** The profile's fields with an instant. */
type ProfileShape = typeof profileSchema.shape
export type ProfileInstant = {
  [Name in keyof ProfileShape]: ProfileShape[Name] extends
    | typeof instantSchema
    | z.ZodMiniNullable<typeof instantSchema>
    ? Name
    : never
}[keyof ProfileShape]
export function isProfileInstant(name: keyof Profile): name is ProfileInstant {
  const schema = profileSchema.shape[name]
  return (schema instanceof z.ZodMiniNullable ? schema.def.innerType : schema) === instantSchema
}

export const roleSchema = z.enum(['admin', 'user'])

/**
 * What a pending person asked for, not trustworthy before the e-mail is verified; or what an approved
 * person asked for and still lacks, with the reason as the note.
 */
const accessRequestSchema = z.object({
  /** A dealership or a department. */
  workplace: z.nullable(z.string()),
  types: z.array(z.string()),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
  note: z.nullable(z.string()),
  requested_at: instantSchema,
})
export type AccessRequest = z.output<typeof accessRequestSchema>

/**
 * A profile as administrators see it. `version` is incremented by their changes and sent as If-Match;
 * the request of an approved person is one for more.
 */
export const managedProfileSchema = z.extend(profileSchema, {
  role: roleSchema,
  version: z.number(),
  request: z.nullable(accessRequestSchema),
  /** Until when an open invitation for an unverified account can be accepted. */
  invited_until: z.nullable(instantSchema),
})
export type ManagedProfile = z.output<typeof managedProfileSchema>

/** A boolean query parameter. */
export const queryFlag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((word) => word === 'true'),
)

/**
 * Filters of people, combined with AND; pending people were never approved, or have asked since. `q`
 * searches each of its words in name and e-mail, ignoring accents.
 * @param flag schema of booleans, in a query or in a body
 */
const filterFields = <Flag extends z.ZodMiniType<boolean>>(flag: Flag) => ({
  q: searchSchema,
  approved: z.optional(flag),
  verified: z.optional(flag),
  waiting: z.optional(flag),
  /** Approved people with an open request for more. */
  requesting: z.optional(flag),
  type: z.optional(typeSchema),
  marca: z.optional(marcaSchema),
  estado: z.optional(estadoSchema),
  /** Id of an access template: matches people with exactly its access. */
  template: z.optional(z.uuid()),
  /** In the last RECENT_DAYS; or that, or registration, at least IDLE_DAYS ago; no access ever. */
  lastAccess: z.optional(z.enum(['recent', 'idle', 'never'])),
  /** Approved people who see no report; everyone who holds all areas, brands and states. */
  reports: z.optional(z.enum(['none', 'all'])),
  /** Everyone who holds a whole list: 'marcas'; or all of it but one item, by its code: 'marcas:BYD'. */
  allOf: z.optional(z.string().check(z.regex(WHOLE_LIST))),
  /** Approved people whose access ends within ENDING_DAYS, or has ended. */
  validity: z.optional(z.enum(['ending', 'ended'])),
  admin: z.optional(flag),
  /** Has a second step of the portal; that of Microsoft is not known here. */
  secondFactor: z.optional(flag),
})
const queryFilterSchema = z.strictObject(filterFields(queryFlag))
const profileFilterSchema = z.strictObject(filterFields(z.boolean()))
export type ProfileFilter = z.output<typeof profileFilterSchema>

const orderFields = {
  sort: z.optional(z.enum(PROFILE_SORTS)),
  order: z.optional(z.enum(['asc', 'desc'])),
}

const MAX_IDS_BYTES = 256 * 1024

const nonEmptyArray = <S extends z.ZodMiniType>(schema: S) =>
  z.array(schema).check(z.minLength(1, adminMessages.deleteNothing), z.maxLength(MAX_IDS))

export const userParams = z.object({ userId: z.uuid() })

/** Complete lists of entitlements. Duplicates count once; the server rejects unknown items. */
export const listSchemas = {
  types: z.array(typeSchema).check(z.maxLength(MAX_ITEMS)),
  marcas: z.array(marcaSchema).check(z.maxLength(MAX_ITEMS)),
  estados: z.array(estadoSchema).check(z.maxLength(MAX_ITEMS)),
}
/** The same, each optional. */
const optionalLists = mapLists((list) => z.optional(listSchemas[list]))

export const nameSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, 'Informe o nome'),
    z.maxLength(MAX_NAME_LENGTH, `Nome deve ter no máximo ${MAX_NAME_LENGTH} caracteres`),
    z.regex(ONE_LINE, textMessages.unseenInName),
    z.regex(/\p{L}/u, 'O nome precisa de ao menos uma letra'),
    z.regex(/^[^@]*$/, 'Informe o nome, e não um e-mail'),
  )

/** The texts of 'Pedido de acesso' in a form; optional ones are empty. */
export const accessRequestTextsSchema = z.object({
  full_name: nameSchema,
  workplace: z
    .string()
    .check(
      z.trim(),
      z.maxLength(MAX_NAME_LENGTH, `Use no máximo ${MAX_NAME_LENGTH} caracteres`),
      z.regex(ONE_LINE, textMessages.unseen),
    ),
  note: z
    .string()
    .check(
      z.overwrite(normalizeBreaks),
      z.trim(),
      z.maxLength(MAX_NOTE_LENGTH, `A observação deve ter no máximo ${MAX_NOTE_LENGTH} caracteres`),
      z.regex(MANY_LINES, 'A observação tem um caractere que não pode ser usado ou linhas vazias demais'),
    ),
})
const { full_name, workplace, note } = accessRequestTextsSchema.shape
const accessRequestBody = z.strictObject({
  /** Required while pending; an approved person asks without name and workplace. */
  full_name: z.optional(full_name),
  workplace: z.optional(workplace),
  note: z.optional(note),
  ...optionalLists,
})
export type AccessRequestForm = z.output<typeof accessRequestBody>
const ownAccessRequestSchema = z.object({
  full_name: z.nullable(z.string()),
  /** What the person has; null without access. */
  held: z.nullable(z.object(mapLists(() => z.array(z.string())))),
  request: z.nullable(
    z.extend(accessRequestSchema, {
      refused_at: z.nullable(instantSchema),
      refusal: z.nullable(z.string()),
    }),
  ),
})

/** Why an approved person needs more, or why an administrator refuses it. */
export const reasonSchema = note.check(z.minLength(1, 'Escreva o motivo'))
/** The text of a request for more in a form. */
export const reasonTextSchema = z.object({ note: reasonSchema })

/** The request that the administrator saw: a changed one is not answered. */
const seenRequest = { requested_at: instantSchema }

/** Last day of an approval: omitted it stays (for a new approval: no end), null removes it. */
export const validity = { valid_until: z.optional(z.nullable(dateSchema)) }

/** Exactly one of these; the last one approves and entitles in one step. */
const profileChangeSchema = z.union([
  z.strictObject({ ...listSchemas, ...validity }),
  z.strictObject({ types: listSchemas.types, ...validity }),
  z.strictObject({ marcas: listSchemas.marcas, estados: listSchemas.estados, ...validity }),
  z.strictObject({ valid_until: z.nullable(dateSchema) }),
  z.strictObject({ approved: z.boolean() }),
  z.strictObject({ full_name: nameSchema }),
  z.strictObject({ approved: z.literal(true), ...listSchemas, ...validity }),
])
export type ProfileChange = z.output<typeof profileChangeSchema>

/** One of several approvals; `version` is the state that the administrator saw, or is omitted. */
const approvalSchema = z.strictObject({
  userId: z.uuid(),
  version: z.optional(z.int()),
  ...listSchemas,
  ...validity,
})
export type Approval = z.output<typeof approvalSchema>
const MAX_APPROVALS_BYTES = 1024 * 1024

/** Id for undoing, null for a dry run; and the seconds left from this answer on. */
export const undoFields = { undoId: z.nullable(z.uuid()), undoSeconds: z.number() }

/** What is worth saying of a change, as in ChangeNotes; missing in answers of the previous version. */
export const notesSchema = z.optional(
  z.object({
    emptied: z.array(
      z.object({ lists: z.array(z.enum(LISTS)), count: z.number(), names: z.array(z.string()) }),
    ),
    includesSelf: z.boolean(),
    admins: z.number(),
    unapproved: z.number(),
  }),
)

/** Number of approved people, and of those who see no report because a list is empty. */
const approvalResultSchema = z.object({
  approved: z.number(),
  withoutReports: z.number(),
  notes: notesSchema,
  ...undoFields,
})
export type ApprovalResult = z.output<typeof approvalResultSchema>

/**
 * All matching people with a few exceptions, whom `count` includes. `fingerprint` from a dry run
 * ensures that they are the same people; without it only the count is compared.
 */
const allMatchingSchema = z.strictObject({
  filter: profileFilterSchema,
  except: z.array(z.uuid()).check(z.maxLength(MAX_IDS)),
  count: z.int().check(z.nonnegative()),
  fingerprint: z.optional(lineSchema(64)),
})

/**
 * 'add' and 'remove' have lists, 'replace' all three; 'validity' has the last day of the access, or
 * null for none, which the others may have too.
 */
const bulkChangeFields = {
  action: z.enum(['add', 'remove', 'replace', 'validity']),
  ...validity,
  ...optionalLists,
}
const bulkEditSchema = z.union([
  z.strictObject({ userIds: nonEmptyArray(z.uuid()), ...bulkChangeFields }),
  z.strictObject({ allMatching: allMatchingSchema, ...bulkChangeFields }),
])
export type BulkEdit = z.output<typeof bulkEditSchema>

/**
 * How many of the selected people gain, lose (even in part) and keep access; a later end or none is
 * a gain. `effects` counts them for each item, `ending` those whose last day changes. `includesSelf`
 * if the caller loses access. `allMatching` accepts the fingerprint of these people.
 */
const bulkEditResultSchema = z.object({
  selected: z.number(),
  gaining: z.number(),
  losing: z.number(),
  unchanged: z.number(),
  effects: z._default(
    z.array(
      z.object({
        list: z.enum(['types', 'marcas', 'estados']),
        item: z.string(),
        gaining: z.number(),
        losing: z.number(),
      }),
    ),
    [],
  ),
  ending: z._default(z.number(), 0),
  // Missing in answers stored by the previous version.
  includesSelf: z._default(z.boolean(), false),
  notes: notesSchema,
  fingerprint: z.string(),
  ...undoFields,
})
export type BulkEditResult = z.output<typeof bulkEditResultSchema>

export const userRoutes = {
  readOwnProfile: {
    method: 'GET',
    path: '/api/profiles/me',
    access: 'signedIn',
    summary: 'Own profile',
    response: profileSchema,
  },
  readOwnRole: {
    method: 'GET',
    path: '/api/user-roles/me',
    access: 'signedIn',
    summary: 'Own role',
    response: z.object({ role: roleSchema }),
  },
  readOwnAccessRequest: {
    method: 'GET',
    path: '/api/access-requests/me',
    access: 'signedIn',
    summary:
      'Own name, access and request: what one asked for while one waits for approval, or the open or refused request for more',
    response: ownAccessRequestSchema,
  },
  saveOwnAccessRequest: {
    method: 'PUT',
    path: '/api/access-requests/me',
    access: 'signedIn',
    trail: 'access-requested',
    summary:
      'Says who one is and what one asks for; once approved what more one needs, with the reason as `note` and no name',
    body: accessRequestBody,
    response: ownAccessRequestSchema,
  },
  grantAccessRequest: {
    method: 'POST',
    path: '/api/access-requests/{userId}/grant',
    access: 'admin',
    trail: 'access-granted',
    idempotent: true,
    summary:
      'Gives an approved person what they asked for; undone like a bulk edit. 409 once it is answered or has changed',
    params: userParams,
    body: z.strictObject({ ...seenRequest, ...listSchemas }),
    response: z.object({ undoId: z.uuid(), undoSeconds: z.number() }),
  },
  refuseAccessRequest: {
    method: 'POST',
    path: '/api/access-requests/{userId}/refuse',
    access: 'admin',
    trail: 'access-refused',
    idempotent: true,
    summary:
      'Refuses what an approved person asked for, and mails them the reason. 409 once it is answered or has changed',
    params: userParams,
    body: z.strictObject({ ...seenRequest, reason: reasonSchema }),
  },
  listProfiles: {
    method: 'GET',
    path: '/api/profiles',
    access: 'admin',
    summary: 'A page of the people who match; newest registration first unless sorted, nulls last either way',
    query: z.extend(queryFilterSchema, {
      ...orderFields,
      cursor: z.optional(lineSchema(4096)),
      limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(MAX_IDS))),
    }),
    response: z.object({ items: z.array(managedProfileSchema), next: z.nullable(z.string()) }),
  },
  countProfiles: {
    method: 'GET',
    path: '/api/profiles/count',
    access: 'admin',
    summary:
      'How many people match, how many are not approved in all, how many of those wait for it, and how many approved ones have an open request for more',
    query: queryFilterSchema,
    response: z.object({
      total: z.number(),
      pending: z.number(),
      waiting: z.number(),
      requests: z.number(),
    }),
  },
  countTasks: {
    method: 'GET',
    path: '/api/profiles/tasks',
    access: 'admin',
    summary:
      'Counts besides people: invitations without an answer, reviews that are due, areas and those with a report',
    response: z.object({
      invitations: z.number(),
      reviews: z.number(),
      areas: z.number(),
      withReport: z.number(),
    }),
  },
  exportProfiles: {
    method: 'GET',
    path: '/api/profiles/export',
    access: 'admin',
    trail: 'list-exported',
    recentAuthentication: 'many',
    summary: 'Everybody who matches, in the order of the list, as a CSV file that Excel in Portuguese opens',
    query: z.extend(queryFilterSchema, orderFields),
    response: z.object({ csv: z.string(), people: z.number() }),
  },
  readProfile: {
    method: 'GET',
    path: '/api/profiles/{userId}',
    access: 'admin',
    summary: "One person's profile",
    params: userParams,
    response: managedProfileSchema,
  },
  changeProfile: {
    method: 'PATCH',
    path: '/api/profiles/{userId}',
    access: 'admin',
    trail: [
      'types-set',
      'scope-set',
      'access-set',
      'approval-given',
      'approval-removed',
      'validity-set',
      'name-corrected',
      'invitation-lost',
    ],
    idempotent: true,
    conditional: true,
    summary:
      'Sets types, or marcas and estados, or all three, or the approval, or the name, or approves with all three lists at once; with all but the name, or alone, until when the access is valid. Undone like a bulk edit, but for the name. With a stale If-Match 409',
    params: userParams,
    body: profileChangeSchema,
    response: z.extend(managedProfileSchema, undoFields),
  },
  bulkEdit: {
    method: 'POST',
    path: '/api/profiles/bulk-edit',
    access: 'admin',
    trail: ['entitlements-added', 'entitlements-removed', 'access-set', 'validity-set'],
    idempotent: true,
    summary:
      'Adds entitlements to many people or removes them (set union and difference), or sets until when their access is valid, all or nothing; a dry run only counts. 409 names in `fields` those of `userIds` who are gone',
    query: z.object({ dryRun: z.optional(queryFlag) }),
    body: bulkEditSchema,
    response: bulkEditResultSchema,
    maxBodyBytes: MAX_IDS_BYTES,
  },
  approveProfiles: {
    method: 'POST',
    path: '/api/profiles/approve',
    access: 'admin',
    trail: ['approval-given', 'invitation-lost'],
    idempotent: true,
    summary:
      'Approves several people, each with entitlements of their own, all or nothing; a dry run only counts. `fields` name the items that keep it from being done: 409 who is gone, approved or changed meanwhile, 400 whose e-mail is not verified',
    query: z.object({ dryRun: z.optional(queryFlag) }),
    body: z.strictObject({ items: nonEmptyArray(approvalSchema) }),
    response: approvalResultSchema,
    maxBodyBytes: MAX_APPROVALS_BYTES,
  },
  readHistory: {
    method: 'GET',
    path: '/api/profiles/{userId}/history',
    access: 'admin',
    summary: 'What was changed about a person, newest first',
    params: userParams,
    query: z.object({ cursor: z.optional(z.string().check(z.regex(/^\d{1,18}$/))) }),
    response: z.object({ items: z.array(historyEntrySchema), next: z.nullable(z.string()) }),
  },
  exportOwnProfile: {
    method: 'GET',
    path: '/api/profiles/me/export',
    access: 'signedIn',
    recentAuthentication: 'account',
    summary: 'Everything that the portal holds about the caller (LGPD art. 18), as JSON',
    trail: 'data-exported',
    response: z.looseObject({}),
  },
  exportProfile: {
    method: 'GET',
    path: '/api/profiles/{userId}/export',
    access: 'admin',
    trail: 'data-exported',
    recentAuthentication: 'many',
    summary: 'Everything that the portal holds about a person (LGPD art. 18), as JSON',
    params: userParams,
    response: z.looseObject({}),
  },
  deleteUsers: {
    method: 'POST',
    path: '/api/functions/delete-users',
    access: 'admin',
    trail: ['user-deleted', 'invitation-withdrawn', 'invitation-lost'],
    recentAuthentication: 'many',
    idempotent: true,
    summary: 'Deletes people and everything about them; each is deleted or reported on its own',
    body: z.strictObject({ userIds: nonEmptyArray(z.uuid()) }),
    response: z.object({
      success: z.array(z.uuid()),
      errors: z.array(z.object({ userId: z.uuid(), error: z.string() })),
    }),
    maxBodyBytes: MAX_IDS_BYTES,
  },
} as const satisfies Routes
