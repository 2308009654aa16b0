import * as z from 'zod/mini'
import type { Routes } from './route.ts'

/** Administrators alone hear `people`, `messages` and `health`. */
const LIVE_TOPICS = [
  'me',
  'settings',
  'catalogue',
  'notices',
  'views',
  'people',
  'messages',
  'health',
] as const
export type LiveTopic = (typeof LIVE_TOPICS)[number]

/** The version of each topic that has changed; opaque texts, compared for equality. */
const versionsSchema = z.partialRecord(z.enum(LIVE_TOPICS), z.string())
export type LiveVersions = z.output<typeof versionsSchema>

export const liveRoutes = {
  followChanges: {
    method: 'GET',
    path: '/api/changes',
    access: 'signedIn',
    summary:
      'What changes for the caller, as server-sent events of topics with their versions; the first has all topics',
    events: versionsSchema,
  },
  /** For open pages of 0.2, which refetch everything; removed in 0.4. */
  followMessageChanges: {
    method: 'GET',
    path: '/api/support-messages/changes',
    access: 'admin',
    summary: 'As /api/changes for pages of version 0.2: that messages, people or the catalogue changed',
    events: z.object({ kind: z.literal('stale') }),
  },
} as const satisfies Routes
