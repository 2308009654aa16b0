import type { Selectable } from 'kysely'
import type { Session } from '#contract/accounts.ts'
import type { Db, SessionsTable } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { findProfile } from '#server/users/user-queries.ts'
import { SESSION_IDLE_MS } from './check-session.ts'
import { presentSession, type SessionTools } from './open-session.ts'
import { isGenuine, parseRefreshToken, type RefreshTokenParts } from './refresh-token.ts'

/** How long a replayed parent is taken for a second tab or a lost reply, whatever has been seen since. */
const PARENT_GRACE_MS = 10_000
const LIMIT = { max: 12, windowSeconds: 60 }

type Verdict = 'rotate' | 'repeat' | 'reuse'

/**
 * Trades a refresh token for a new session (RFC 9700, section 4.14: rotation with reuse detection). The
 * parent gets the same successor again while it is 10 s old at most or the successor was never seen in
 * use; anything older ends the whole session.
 * @throws ProblemError invalid-refresh-token, rate-limited
 */
export async function refreshSession(
  db: Db,
  tools: SessionTools & { takeFromLimit: TakeFromLimit },
  refreshToken: string,
  request: RequestInfo,
): Promise<Session> {
  const parts = parseRefreshToken(refreshToken)
  // Forgeries must not use up what the owner of the session may ask for.
  if (!parts || !(await isGenuineNow(db, tools, parts))) throw new ProblemError('invalid-refresh-token')
  await tools.takeFromLimit(`refresh ${parts.sessionId}`, LIMIT)
  // A refusal is returned, not thrown: throwing would roll the revocation back.
  const session = await db.transaction().execute((transaction) => trade(transaction, tools, parts, request))
  if (!session) throw new ProblemError('invalid-refresh-token')
  return session
}

async function isGenuineNow(db: Db, tools: SessionTools, parts: RefreshTokenParts): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('refresh_key')
    .where('id', '=', parts.sessionId)
    .executeTakeFirst()
  const refreshKey = row && tools.refreshKeys.open(row.refresh_key)
  return refreshKey !== undefined && isGenuine(parts, refreshKey)
}

async function trade(
  db: Db,
  tools: SessionTools,
  parts: RefreshTokenParts,
  request: RequestInfo,
): Promise<Session | undefined> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', parts.sessionId)
    .forUpdate()
    .executeTakeFirst()
  const refreshKey = row && tools.refreshKeys.open(row.refresh_key)
  if (!row || !refreshKey || !isGenuine(parts, refreshKey)) return undefined
  if (row.kind === 'recovery' || row.refreshed_at.getTime() <= tools.clock() - SESSION_IDLE_MS)
    return undefined

  const profile = await findProfile(db, row.user_id)
  if (!profile) return undefined
  const verdict = judge(row, parts.counter, tools.clock())
  if (verdict === 'reuse') {
    await db.deleteFrom('sessions').where('id', '=', row.id).execute()
    await recordAudit(db, {
      action: 'session-reuse',
      actor: profile,
      target: profile,
      after: { presented: parts.counter, current: row.refresh_counter },
      request,
      at: new Date(tools.clock()),
    })
    return undefined
  }
  const counter = verdict === 'rotate' ? row.refresh_counter + 1 : row.refresh_counter
  if (verdict === 'rotate')
    await db
      .updateTable('sessions')
      .set({
        refresh_counter: counter,
        refreshed_at: new Date(tools.clock()),
        // Sealed anew, so that an old secret is needed no longer than sessions go without a refresh.
        refresh_key: tools.refreshKeys.seal(refreshKey),
      })
      .where('id', '=', row.id)
      .execute()
  return presentSession(tools, { id: row.id, kind: row.kind, refreshKey, counter }, profile)
}

function judge(row: Selectable<SessionsTable>, counter: number, now: number): Verdict {
  if (counter === row.refresh_counter) return 'rotate'
  if (counter !== row.refresh_counter - 1) return 'reuse'
  const isRecent = now - row.refreshed_at.getTime() <= PARENT_GRACE_MS
  const isSuccessorUnseen = row.acknowledged_counter < row.refresh_counter
  return isRecent || isSuccessorUnseen ? 'repeat' : 'reuse'
}
