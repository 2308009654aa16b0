import type { Db } from '#server/database/schema.ts'
import { AdminError } from './admin-error.ts'

/**
 * The person with an address, however it is typed.
 * @throws AdminError when there is none
 */
export async function findPerson(db: Db, typed: string) {
  const email = typed.trim().toLowerCase()
  const person = await db
    .selectFrom('profiles')
    .select(['user_id', 'email', 'email_verified_at'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!person) throw new AdminError(`Não há conta com o e-mail ${email}.`)
  return person
}
