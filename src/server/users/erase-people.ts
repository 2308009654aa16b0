import { sql } from 'kysely'
import { forgetAttempts } from '#server/accounts/sign-in.ts'
import type { Db } from '#server/database/schema.ts'
import type { DeletedPerson } from './deleted-person.ts'

/**
 * Deletes everything that is people's own: profiles with passwords, roles, sessions and links (cascade), mails
 * to them, support messages from their addresses, and counters that name them. Call it in a transaction.
 */
export async function erasePeople(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const ids = people.map((person) => person.user_id)
  const emails = people.map((person) => person.email)
  const sessions = await db.selectFrom('sessions').select('id').where('user_id', 'in', ids).execute()
  const named = [...ids, ...emails, ...sessions.map(({ id }) => id)]
  // Limits are counted under 'what whom'.
  await db.deleteFrom('rate_limits').where(sql<string>`split_part(key, ' ', 2)`, 'in', named).execute()
  await forgetAttempts(db, ...emails)
  await db.deleteFrom('mail_outbox').where('recipient', 'in', emails).execute()
  // The contact form takes an address as it is typed.
  await db.deleteFrom('support_messages').where(sql<string>`lower(email)`, 'in', emails).execute()
  await db.deleteFrom('profiles').where('user_id', 'in', ids).execute()
}
