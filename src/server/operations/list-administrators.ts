import { writeInstant } from '#server/mail/write-instant.ts'
import type { AdminDeps } from './admin-commands.ts'

/** One line for each administrator: address, what is missing, last access. */
export async function listAdministrators({ db }: AdminDeps): Promise<string> {
  const people = await db
    .selectFrom('profiles')
    .innerJoin('user_roles', 'user_roles.user_id', 'profiles.user_id')
    .select(['email', 'approved', 'email_verified_at', 'last_sign_in_at'])
    .where('role', '=', 'admin')
    .orderBy('email')
    .execute()
  if (people.length === 0) return 'Nenhum administrador. Use create EMAIL.'
  const width = Math.max(...people.map(({ email }) => email.length))
  const lines = people.map((person) => {
    const seen = person.last_sign_in_at ? writeInstant(person.last_sign_in_at) : 'Nunca'
    const missing = [
      person.approved ? '' : 'aprovação pendente',
      person.email_verified_at ? '' : 'e-mail não verificado',
    ].filter(Boolean)
    return `${person.email.padEnd(width)}  ${[`último acesso: ${seen}`, ...missing].join(', ')}`
  })
  return lines.join('\n')
}
