import type { Db } from '#server/database/schema.ts'
import { mintEmailLink } from '#server/mail/email-links.ts'
import type { AdminDeps } from './admin-commands.ts'
import { recordAudit } from './record-audit.ts'
import { terminalRequest } from './terminal-request.ts'

/**
 * Makes a link for setting a password, good once and for an hour, and cancels older ones; call it in a
 * transaction.
 * @returns the link with what to say about it
 */
export async function printResetLink(
  db: Db,
  deps: AdminDeps,
  person: { user_id: string; email: string },
): Promise<string> {
  const owner = { userId: person.user_id, purpose: 'recovery' } as const
  await db
    .deleteFrom('email_links')
    .where('user_id', '=', owner.userId)
    .where('purpose', '=', owner.purpose)
    .execute()
  const link = await mintEmailLink(db, deps, owner)
  await recordAudit(db, {
    action: 'reset-link-printed',
    target: person,
    request: terminalRequest(),
    at: new Date(deps.clock()),
  })
  return `Link para criar a senha (vale por 1 hora, serve uma única vez):\n\n  ${link}`
}
