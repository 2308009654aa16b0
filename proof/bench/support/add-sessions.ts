import { openSession } from '#server/accounts/sessions.ts'
import { createTokens } from '#server/accounts/tokens.ts'
import { openServer } from '#server/database/open-server.ts'
import { createKeyring } from '#server/keyring.ts'
import { presentProfile } from '#server/users/user-queries.ts'

/**
 * Adds approved people who may see one area, each with an open session.
 * @param secret the portal's SESSION_SECRET
 * @returns their access tokens, good for ten minutes
 */
export async function addSessions(
  databaseUrl: string,
  secret: string,
  people: number,
  type: string,
): Promise<string[]> {
  const { db, close } = await openServer(databaseUrl, () => {})
  const tokens = createTokens(createKeyring([secret]), Date.now)
  const context = { db, clock: Date.now, tokens }
  try {
    const rows = await db
      .insertInto('profiles')
      .values(
        Array.from({ length: people }, (_, index) => ({
          email: `carga${index + 1}@grupopatio.com.br`,
          full_name: `Pessoa de Carga ${index + 1}`,
          approved: true,
          email_verified_at: new Date(),
          types: [type],
          marcas: ['FIAT'],
          estados: ['RJ'],
        })),
      )
      .returningAll()
      .execute()
    const accessTokens: string[] = []
    for (const row of rows)
      accessTokens.push(
        (await openSession(context, { profile: presentProfile(row), kind: 'full' })).access_token,
      )
    return accessTokens
  } finally {
    await close()
  }
}
