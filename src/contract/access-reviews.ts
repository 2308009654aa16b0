import * as z from 'zod/mini'
import type { Routes } from './route.ts'
import { lineSchema } from './text-schemas.ts'
import { MAX_REVIEWED } from './user-rules.ts'
import { dateSchema, instantSchema, undoFields } from './users.ts'

/** The subject of a review: an area or a brand. */
const kindSchema = z.enum(['types', 'marcas'])

const resultFields = {
  reviewed_at: instantSchema,
  /** Null after the reviewer was deleted. */
  reviewer_email: z.nullable(z.string()),
  kept: z.number(),
  removed: z.number(),
}
const itemFields = { kind: kindSchema, code: z.string(), label: z.string() }

const reviewableSchema = z.object({
  ...itemFields,
  /** Number of people with the access. */
  people: z.number(),
  /** The newest review, or null. */
  last: z.nullable(z.object(resultFields)),
})
export type Reviewable = z.output<typeof reviewableSchema>

/** A person with the access. */
const holderSchema = z.object({
  user_id: z.uuid(),
  email: z.string(),
  full_name: z.nullable(z.string()),
  approved: z.boolean(),
  /** Missing in answers of the previous version. */
  admin: z.optional(z.boolean()),
  valid_until: z.nullable(dateSchema),
  last_sign_in_at: z.nullable(instantSchema),
  types: z.array(z.string()),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
  /** When it was granted, if the audit trail still shows it. */
  since: z.nullable(instantSchema),
})
export type Holder = z.output<typeof holderSchema>

const reviewParams = z.object({ kind: kindSchema, code: lineSchema(40) })

export const accessReviewRoutes = {
  listAccessReviews: {
    method: 'GET',
    path: '/api/access-reviews',
    access: 'admin',
    summary: 'What can be reviewed, never reviewed first and then the longest ago, and the newest reviews',
    response: z.object({
      items: z.array(reviewableSchema),
      past: z.array(z.object({ id: z.uuid(), ...itemFields, ...resultFields })),
    }),
  },
  readHolders: {
    method: 'GET',
    path: '/api/access-reviews/{kind}/{code}',
    access: 'admin',
    summary: 'Everybody who has an area or a brand; the fingerprint stands for exactly these people',
    params: reviewParams,
    response: z.object({
      ...itemFields,
      /** The newest review, or null. */
      reviewed_at: z.nullable(instantSchema),
      people: z.array(holderSchema),
      fingerprint: z.string(),
    }),
  },
  readAccessReview: {
    method: 'GET',
    path: '/api/past-access-reviews/{id}',
    access: 'admin',
    summary: 'Whom a review kept and whom it took the access from; deleted people are missing',
    params: z.object({ id: z.uuid() }),
    response: z.object({
      people: z.array(
        z.object({ email: z.string(), full_name: z.nullable(z.string()), removed: z.boolean() }),
      ),
    }),
  },
  saveAccessReview: {
    method: 'POST',
    path: '/api/access-reviews/{kind}/{code}',
    access: 'admin',
    trail: ['access-reviewed', 'access-review-removed'],
    idempotent: true,
    summary:
      'Takes it from those who are named, keeps all others and records the review; 409 when other people have it than were shown',
    params: reviewParams,
    body: z.strictObject({
      fingerprint: lineSchema(64),
      remove: z.array(z.uuid()).check(z.maxLength(MAX_REVIEWED)),
    }),
    response: z.object({ kept: z.number(), removed: z.number(), ...undoFields }),
    maxBodyBytes: 512 * 1024,
  },
} as const satisfies Routes
