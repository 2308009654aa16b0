import type { AdminDeps } from './admin-commands.ts'
import { findPerson } from './find-person.ts'
import { printResetLink } from './print-reset-link.ts'

/** Prints a link for somebody whom mails do not reach. Nothing else changes until it is used. */
export async function resetAccess(deps: AdminDeps, email: string): Promise<string> {
  return deps.db
    .transaction()
    .execute(async (transaction) => printResetLink(transaction, deps, await findPerson(transaction, email)))
}
