import type { Db } from '#server/database/schema.ts'

/** Ends this session (local), every other one (others) or all of the user's (global). */
export async function signOut(
  db: Db,
  session: { sessionId: string; userId: string },
  scope: 'global' | 'local' | 'others',
): Promise<void> {
  let ended = db.deleteFrom('sessions').where('user_id', '=', session.userId)
  if (scope === 'local') ended = ended.where('id', '=', session.sessionId)
  if (scope === 'others') ended = ended.where('id', '!=', session.sessionId)
  await ended.execute()
}
