import { sql } from 'kysely'
import { wait } from '#contract/timing.ts'
import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'
import { recordAudit } from '#server/operations/audit.ts'
import type { MicrosoftDirectory } from './microsoft-directory.ts'
import { openJson, sealJson } from './microsoft-sign-in.ts'
import { SESSION_IDLE_MS } from './sessions.ts'
import type { Tokens } from './tokens.ts'

const EVERY_MS = 60_000
const HOUR_MS = 60 * 60_000
/** Few, so that a morning's sign-ins are spread over the hour as they came. */
const MAX_ASKED = 50

interface LeaversContext {
  db: Db
  log: Log
  /** ms since the epoch */
  clock: () => number
  tokens: Tokens
  microsoft: MicrosoftDirectory
  entraSessionHours: number
}

/** Asks the directory each hour about linked people with an open session, however it was opened. */
export function createLeaversJob(context: LeaversContext) {
  let isStopped = false
  let running: Promise<unknown> | undefined
  const abort = new AbortController()
  const run = async () => {
    while (!isStopped) {
      await wait(EVERY_MS, abort.signal)
      if (isStopped) return
      await endLeaversSessions(context).catch((err) => context.log.error({ err }, 'leavers not asked for'))
    }
  }
  return {
    start() {
      running = run()
    },
    async stop() {
      isStopped = true
      abort.abort()
      await running
    },
  }
}

/**
 * Ends all sessions of people whose account the directory has disabled. What it does not say clearly
 * ends none.
 * @returns how many people lost their sessions
 */
export async function endLeaversSessions(context: LeaversContext): Promise<number> {
  const { db, clock, tokens, microsoft } = context
  await db.deleteFrom('microsoft_sign_ins').where('expires_at', '<=', new Date(clock())).execute()
  let ended = 0
  for (const { user_id, refresh_token } of await claimDue(context)) {
    const sealed = refresh_token && openJson<{ refreshToken: string }>(tokens, refresh_token)
    if (!sealed) continue
    const standing = await microsoft.askStanding(sealed.refreshToken)
    if (standing.kind === 'disabled') {
      await endSessions(context, user_id)
      ended++
      continue
    }
    // Not over the token of a sign-in meanwhile.
    const own = db
      .updateTable('identities')
      .where('user_id', '=', user_id)
      .where('refresh_token', '=', refresh_token)
    if (standing.kind === 'ended') {
      const { numUpdatedRows } = await own.set({ refresh_token: null }).executeTakeFirst()
      if (numUpdatedRows > 0n) await boundSessions(context, user_id)
    } else if (standing.kind === 'active' && standing.refreshToken !== undefined) {
      const { refreshToken } = standing
      await own.set({ refresh_token: sealJson(tokens, { refreshToken }) }).execute()
    }
  }
  return ended
}

/** Sets when they were asked before asking, so that of several replicas one asks. */
function claimDue({ db, clock }: LeaversContext) {
  const now = clock()
  return db
    .updateTable('identities')
    .set({ asked_at: new Date(now) })
    .where('user_id', 'in', ({ selectFrom }) =>
      selectFrom('identities as i')
        .select('i.user_id')
        .where('i.refresh_token', 'is not', null)
        .where('i.asked_at', '<=', new Date(now - HOUR_MS))
        .where(({ exists, selectFrom: from }) =>
          exists(
            from('sessions as s')
              .select('s.id')
              .whereRef('s.user_id', '=', 'i.user_id')
              .where('s.refreshed_at', '>', new Date(now - SESSION_IDLE_MS)),
          ),
        )
        .orderBy('i.asked_at')
        .limit(MAX_ASKED)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['user_id', 'refresh_token'])
    .execute()
}

/** Ends sessions in time about which the directory is asked no more, also those by password. */
async function boundSessions(
  { db, clock, entraSessionHours }: LeaversContext,
  userId: string,
): Promise<void> {
  const until = new Date(clock() + entraSessionHours * HOUR_MS)
  await db
    .updateTable('sessions')
    .set({ ends_at: sql`least(ends_at, ${until})` })
    .where('user_id', '=', userId)
    .execute()
}

async function endSessions({ db: all, clock }: LeaversContext, userId: string): Promise<void> {
  await all.transaction().execute(async (db) => {
    const person = await db
      .selectFrom('profiles')
      .select(['user_id', 'email'])
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirst()
    if (!person) return
    const { numDeletedRows } = await db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .executeTakeFirst()
    await db.updateTable('identities').set({ refresh_token: null }).where('user_id', '=', userId).execute()
    const request = { ip: '', userAgent: null, requestId: '', forwarded: 'none' as const }
    const after = { count: Number(numDeletedRows) }
    await recordAudit({ db, clock, request }, { action: 'microsoft-disabled', target: person, after })
  })
}
