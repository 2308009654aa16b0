import * as z from 'zod/mini'
import { typeSchema } from './catalogue.ts'
import { MAX_VIEW_NAME_LENGTH, reportViewMessages } from './messages.ts'
import { idSchema } from './reports.ts'
import type { Routes } from './route.ts'
import { ONE_LINE } from './text-rules.ts'
import { instantSchema } from './users.ts'

/** Saved views of a person and report. */
export const MAX_VIEWS = 20
/** The longest state, in characters of base64. */
export const MAX_STATE_LENGTH = 256 * 1024
/** All states of a person together. */
export const MAX_STATES_LENGTH = 4 * 1024 * 1024
const MAX_BODY_BYTES = MAX_STATE_LENGTH + 4 * 1024

/** A saved view without its state. */
const reportViewSchema = z.object({
  id: z.uuid(),
  /** The area's label. */
  area: z.string(),
  reportId: z.string(),
  name: z.string(),
  /** Whether the owner's report opens with it. */
  isDefault: z.boolean(),
  /** Whether others with the area can open it. */
  shared: z.boolean(),
  /** Name of the owner, or 'Um colega'; null for the caller's own. */
  owner: z.nullable(z.string()),
  updatedAt: instantSchema,
  /** Of what it shows: a page with another one shows something else. */
  stateHash: z.string(),
})
export type ReportView = z.output<typeof reportViewSchema>

const viewNameSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, reportViewMessages.nameRequired),
    z.maxLength(MAX_VIEW_NAME_LENGTH, reportViewMessages.nameTooLong),
    z.regex(ONE_LINE, reportViewMessages.nameInvalid),
  )

/** A bookmark of Power BI: `IReportBookmark.state`. */
const stateSchema = z
  .string()
  .check(
    z.maxLength(MAX_STATE_LENGTH, reportViewMessages.stateTooLong),
    z.regex(/^[\w+/-]+={0,2}$/, reportViewMessages.stateInvalid),
  )
const viewParams = z.object({ id: z.uuid() })

export const reportViewRoutes = {
  listReportViews: {
    method: 'GET',
    path: '/api/report-views',
    access: 'approved',
    summary: "The caller's saved views and those shared with them, by name, without their states",
    query: z.object({ area: z.optional(typeSchema) }),
    response: z.object({ items: z.array(reportViewSchema) }),
  },
  saveReportView: {
    method: 'POST',
    path: '/api/report-views',
    access: 'approved',
    trail: { none: 'a bookmark of one’s own; it opens no data' },
    summary: `Saves a view of one of the caller's reports; at most ${MAX_VIEWS} of each`,
    body: z.strictObject({
      area: typeSchema,
      reportId: idSchema,
      name: viewNameSchema,
      state: stateSchema,
      isDefault: z.optional(z.boolean()),
    }),
    response: reportViewSchema,
    status: 201,
    maxBodyBytes: MAX_BODY_BYTES,
  },
  readReportView: {
    method: 'GET',
    path: '/api/report-views/{id}',
    access: 'approved',
    summary: "A view with its state; somebody else's, if shared, is added to the caller's list",
    params: viewParams,
    response: z.extend(reportViewSchema, {
      state: z.string(),
      /** Whether the owner may see marcas or estados that the caller may not. */
      ownerSeesMore: z.boolean(),
    }),
  },
  changeReportView: {
    method: 'PATCH',
    path: '/api/report-views/{id}',
    access: 'approved',
    trail: { none: 'a bookmark of one’s own; it opens no data, shared neither' },
    summary: "Changes one of the caller's views",
    params: viewParams,
    body: z
      .partial(
        z.strictObject({
          name: viewNameSchema,
          state: stateSchema,
          isDefault: z.boolean(),
          shared: z.boolean(),
        }),
      )
      .check(z.refine((body) => Object.keys(body).length > 0, reportViewMessages.nothing)),
    response: reportViewSchema,
    maxBodyBytes: MAX_BODY_BYTES,
  },
  removeReportView: {
    method: 'DELETE',
    path: '/api/report-views/{id}',
    access: 'approved',
    trail: { none: 'a bookmark of one’s own' },
    summary: "Deletes one of the caller's views, or takes somebody else's off the caller's list",
    params: viewParams,
  },
  restoreReportView: {
    method: 'POST',
    path: '/api/report-views/{id}/restore',
    access: 'approved',
    trail: { none: 'a bookmark of one’s own' },
    summary: "Undoes the deletion of one of the caller's views",
    params: viewParams,
    response: reportViewSchema,
  },
} as const satisfies Routes
