import type { userRoutes } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { Handlers } from '#server/http/implement.ts'
import { bulkEdit, previewBulkEdit } from './bulk-edit.ts'
import { changeProfile } from './change-profile.ts'
import { deleteUsers } from './delete-users.ts'
import { exportProfile } from './export-profile.ts'
import { countUsers, listUsers } from './list-users.ts'
import { readHistory } from './read-history.ts'
import { undoBulkEdit } from './undo-bulk-edit.ts'
import { readProfile } from './user-queries.ts'

interface Tools {
  db: Db
  /** ms since the epoch */
  clock: () => number
  nudgeOutbox: () => void
}

/** Own profile and role, which come with the session check, and the administration of everybody's. */
export function userHandlers(tools: Tools): Handlers<typeof userRoutes> {
  const { db } = tools
  return {
    readOwnProfile: ({ actor }) => actor.profile,
    readOwnRole: ({ actor }) => ({ role: actor.role }),
    listProfiles: ({ query }) => listUsers(db, query),
    countProfiles: ({ query }) => countUsers(db, query),
    readProfile: ({ params }) => readProfile(db, params.userId),
    changeProfile: ({ actor, params, body, ifMatch, request }) =>
      changeProfile(tools, actor, { userId: params.userId, change: body, ifMatch }, request),
    bulkEdit: ({ actor, query, body, request }) =>
      query.dryRun === 'true' ? previewBulkEdit(db, body) : bulkEdit(tools, actor, body, request),
    undoBulkEdit: ({ actor, params, request }) => undoBulkEdit(tools, actor, params.undoId, request),
    readHistory: ({ params, query }) => readHistory(db, params.userId, query.cursor),
    exportProfile: ({ actor, params, request }) => exportProfile(tools, actor, params.userId, request),
    deleteUsers: ({ actor, body, request }) => deleteUsers(tools, actor, body.userIds, request),
  }
}
