import type { Role, SessionKind } from '#contract/access.ts'
import type { Database } from '#server/database/database.ts'
import type { ProfilesTable } from '#server/database/schema.ts'
import type { Actor } from '#server/http/actor.ts'
import type { Authenticate } from '#server/http/implement.ts'
import { presentProfile } from '#server/profiles/present-profile.ts'
import type { AccessTokens } from './access-token.ts'
import { RECOVERY_SESSION_SECONDS } from './open-session.ts'

/** A session that nobody refreshed for this long is dead: its user went away. */
export const SESSION_IDLE_MS = 40 * 60_000

type SessionRow = { [K in keyof ProfilesTable]: unknown } & {
  session_id: string
  kind: SessionKind
  acknowledged_counter: number
  role: Role
}

/** One round trip tells whether the session lives and what its user may do right now, on every replica. */
const READ_SESSION = {
  name: 'read-session',
  text: `
    select s.id as session_id, s.kind, s.acknowledged_counter, coalesce(r.role, 'user') as role,
      p.id, p.user_id, p.email, p.full_name, p.approved, p.email_verified_at, p.created_at,
      p.last_sign_in_at, p.types, p.marcas, p.estados, p.entitlement_version
    from sessions s
    join profiles p on p.user_id = s.user_id
    left join user_roles r on r.user_id = s.user_id
    where s.id = $1 and s.user_id = $2 and s.refreshed_at > $3
      and (s.kind <> 'recovery' or s.created_at > $4)`,
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
    return actorOf(row)
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

function actorOf(row: SessionRow): Actor {
  return {
    sessionId: row.session_id,
    sessionKind: row.kind,
    role: row.role,
    approved: row.approved as boolean,
    entitlementVersion: row.entitlement_version as number,
    profile: presentProfile(row as never),
  }
}
