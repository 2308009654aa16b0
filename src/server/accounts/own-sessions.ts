import { type RawBuilder, sql } from 'kysely'
import type { Sessions } from '#contract/own-sessions.ts'
import type { TrustedProxies } from '#server/http/client-ip.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { toInstantSql } from '#server/users/user-queries.ts'
import { describeDevice } from './describe-device.ts'
import { getSessionCutoffs, recordSessionsEnded } from './sessions.ts'

export interface OwnSessionContext extends Context {
  sessionMaxDays: number
  /** Undefined without GROUP_NETWORKS. */
  groupNetworks: TrustedProxies | undefined
}

interface Origin {
  user_agent: string | null
  /** One address; of refused sign-ins several, or their prefixes. */
  ips: (string | null)[]
}

/** Lists a person's open sessions, and their last ten sign-ins and refusals, each newest first. */
export async function listSessions(context: OwnSessionContext, userId: string): Promise<Sessions> {
  const { db, clock, actor, sessionMaxDays, groupNetworks } = context
  const { openedAfter, refreshedAfter } = getSessionCutoffs(clock(), sessionMaxDays)
  const query = async <T>(statement: RawBuilder<T>) => (await statement.execute(db)).rows
  const instant = (column: string) => sql.raw(toInstantSql(column))
  const sessions = await query(sql<{ id: string; opened_at: string; last_used_at: string } & Origin>`
    select id, ${instant('created_at')} as opened_at, ${instant('refreshed_at')} as last_used_at, user_agent,
      array[ip] as ips
    from sessions
    where user_id = ${userId} and kind <> 'recovery'
      and created_at > ${openedAfter} and refreshed_at > ${refreshedAfter}
      and (ends_at is null or ends_at > ${new Date(clock())})
    order by id = ${actor.sessionId} desc, refreshed_at desc, id`)
  const signIns = await query(sql<{ at: string; refusal: string | null; attempts: number } & Origin>`
    select ${instant('at')} as at, refusal, attempts, user_agent, ips from (
      (select at, null as refusal, 1 as attempts, user_agent, array[ip] as ips from access_records
        where user_id = ${userId} and action = 'sign-in' order by at desc limit 10)
      union all
      (select last_at, outcome, attempts, null, ips from failed_sign_ins
        where user_id = ${userId} order by last_at desc limit 10)
    ) as tried order by tried.at desc limit 10`)
  const [factors] = await query(sql<{ count: number }>`
    select count(*)::integer as count from factors where user_id = ${userId} and verified_at is not null`)
  const describeOrigin = ({ user_agent, ips }: Origin) => {
    const known = ips.filter((ip) => ip !== null)
    const isKnown = groupNetworks && known.length > 0
    return {
      device: describeDevice(user_agent),
      in_group_network: isKnown ? known.every((ip) => groupNetworks.has(ip.replace('/64', ''))) : null,
    }
  }
  return {
    sessions: sessions.map((row) => ({
      ...row,
      ...describeOrigin(row),
      current: row.id === actor.sessionId,
    })),
    factors: factors?.count ?? 0,
    sign_ins: signIns.map((row) => ({
      ...row,
      ...describeOrigin(row),
      ...(row.refusal !== null && { device: null }),
    })),
  }
}

/** Ends one of the caller's sessions. @throws ProblemError not-found */
export async function endOwnSession(context: Context, id: string): Promise<undefined> {
  const { profile } = context.actor
  await context.db.transaction().execute(async (db) => {
    const { numDeletedRows } = await db
      .deleteFrom('sessions')
      .where('id', '=', id)
      .where('user_id', '=', profile.user_id)
      .executeTakeFirst()
    if (numDeletedRows === 0n)
      throw new ProblemError('not-found', { detail: 'Esta sessão já tinha terminado.' })
    await recordSessionsEnded({ ...context, db }, profile, 1)
  })
  return undefined
}
