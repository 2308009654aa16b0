import type { AdminDeps } from './admin-commands.ts'
import { findPerson } from './find-person.ts'
import { printResetLink } from './print-reset-link.ts'

/**
 * Ends every session of a person, at their next request on every replica, and prints a link for a new password.
 * The old password goes on working until the link is used.
 * @throws AdminError when nobody has the address
 */
export async function resetAccess(deps: AdminDeps, email: string): Promise<string> {
  return deps.db.transaction().execute(async (transaction) => {
    const person = await findPerson(transaction, email)
    await transaction.deleteFrom('sessions').where('user_id', '=', person.user_id).execute()
    const said = await printResetLink(transaction, deps, person)
    return `As sessões de ${person.email} foram encerradas; a senha atual vale até o link ser usado.\n${said}`
  })
}
