import type { Database } from '#server/database/database.ts'
import type { Actor } from '#server/http/context.ts'
import type { Authenticate } from '#server/http/implement.ts'
import { PROFILE_JSON } from '#server/users/user-queries.ts'
import type { AccessTokens } from './access-token.ts'
import { RECOVERY_SESSION_SECONDS } from './open-session.ts'

/** A session that nobody refreshed for this long is dead: its user went away. */
export const SESSION_IDLE_MS = 40 * 60_000

/**
 * One round trip tells whether the session lives and what its user may do right now, on every replica. The
 * database hands the actor over as JSON: fifteen columns would take this process longer to read.
 */
const READ_SESSION = {
  name: 'read-session',
  text: `
    select s.acknowledged_counter, json_build_object(
      'sessionId', s.id, 'sessionKind', s.kind, 'role', coalesce(r.role, 'user'), 'approved', p.approved,
      'entitlementVersion', p.entitlement_version,
      'profile', ${PROFILE_JSON})::text as actor
    from sessions s
    join profiles p on p.user_id = s.user_id
    left join user_roles r on r.user_id = s.user_id
    where s.id = $1 and s.user_id = $2 and s.refreshed_at > $3
      and (s.kind <> 'recovery' or s.created_at > $4)`,
}

interface SessionRow {
  acknowledged_counter: number
  /** An Actor in JSON. */
  actor: string
}

/**
 * Makes the check behind every protected request: token, session and profile.
 * @param clock ms since the epoch
 */
export function createAuthenticate(
  database: Database,
  tokens: AccessTokens,
  clock: () => number,
): Authenticate {
  return async (authorization) => {
    const token = /^Bearer ([\w.-]{20,2048})$/i.exec(authorization ?? '')?.[1]
    const claims = token && (await tokens.verify(token))
    if (!claims) return undefined
    const now = clock()
    const [row] = await database.runPrepared<SessionRow>(READ_SESSION, [
      claims.sessionId,
      claims.userId,
      new Date(now - SESSION_IDLE_MS).toISOString(),
      new Date(now - RECOVERY_SESSION_SECONDS * 1000).toISOString(),
    ])
    if (!row) return undefined
    if (claims.refreshCounter > row.acknowledged_counter)
      await acknowledge(database, claims.sessionId, claims.refreshCounter)
    return JSON.parse(row.actor) as Actor
  }
}

/** The client has the newest tokens: from now on the previous refresh token counts as stolen. */
async function acknowledge(database: Database, sessionId: string, counter: number): Promise<void> {
  await database.db
    .updateTable('sessions')
    .set({ acknowledged_counter: counter })
    .where('id', '=', sessionId)
    .where('acknowledged_counter', '<', counter)
    .execute()
}
