import type { SessionKind } from '#contract/access.ts'
import { openSession } from '#server/accounts/sessions.ts'
import { createTokens } from '#server/accounts/tokens.ts'
import { openServer } from '#server/database/open-server.ts'
import { createKeyring } from '#server/keyring.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import type { CallerName } from './arbitrary-request.ts'

export interface Callers {
  /** A good token; a new person takes the place of one whose session a request has ended. */
  tokenOf(caller: CallerName): Promise<string | undefined>
  /** To be called when a token was refused. */
  forget(caller: CallerName): void
  /** Ids of people, messages and areas that exist. */
  readIds(): Promise<string[]>
  close(): Promise<void>
}

/** Opens sessions straight in the database, as nobody could sign in that often. */
export async function createCallers(
  databaseUrl: string,
  secrets: { SESSION_SECRET: string; METRICS_TOKEN: string },
): Promise<Callers> {
  const { db, close } = await openServer(databaseUrl, () => {})
  const context = {
    db,
    clock: Date.now,
    tokens: createTokens(createKeyring([secrets.SESSION_SECRET]), Date.now),
  }
  const tokens = new Map<CallerName, Promise<string>>()
  let made = 0

  async function open(caller: CallerName): Promise<string> {
    const profile = {
      email: `fuzz${++made}.${process.pid}@grupopatio.com.br`,
      approved: true,
      types: ['Vendas'],
      marcas: ['FIAT'],
      estados: ['RJ'],
    }
    const row = await db.insertInto('profiles').values(profile).returningAll().executeTakeFirstOrThrow()
    if (caller === 'admin')
      await db.insertInto('user_roles').values({ user_id: row.user_id, role: 'admin' }).execute()
    const kind: SessionKind = caller === 'recovery' || caller === 'forcedChange' ? caller : 'full'
    return (await openSession(context, { profile: presentProfile(row), kind })).access_token
  }
  return {
    async tokenOf(caller) {
      if (caller === 'nobody') return undefined
      if (caller === 'operator') return secrets.METRICS_TOKEN
      if (caller === 'garbage') return 'x'.repeat(120)
      const known = tokens.get(caller) ?? open(caller)
      tokens.set(caller, known)
      return known
    },
    forget: (caller) => void tokens.delete(caller),
    async readIds() {
      const people = await db
        .selectFrom('profiles')
        .select('user_id as id')
        .where('email', 'not like', 'fuzz%')
        .orderBy('email')
        .limit(30)
        .execute()
      const messages = await db
        .selectFrom('support_messages')
        .select('id')
        .orderBy('created_at')
        .limit(10)
        .execute()
      return [...people, ...messages].map(({ id }) => id)
    },
    close,
  }
}
