import { emailSchema } from '#contract/accounts.ts'
import { companyAddress } from '#server/accounts/company-address.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { setRole } from '#server/users/set-role.ts'
import type { AdminDeps } from './admin-commands.ts'
import { AdminError } from './admin-error.ts'
import { printResetLink } from './print-reset-link.ts'
import { recordAudit } from './record-audit.ts'
import { terminalRequest } from './terminal-request.ts'

/** Adds an administrator, verified and approved, whose password is set through the printed link. */
export async function createAdministrator(deps: AdminDeps, typed: string): Promise<string> {
  const email = readAddress(typed, deps.companyEmailDomain)
  const at = new Date(deps.clock())
  const request = terminalRequest()
  return deps.db.transaction().execute(async (transaction) => {
    const person = await transaction
      .insertInto('profiles')
      .values({ email, approved: true, email_verified_at: at, created_at: at })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returning(['user_id', 'email'])
      .executeTakeFirst()
    if (!person)
      throw new AdminError(`O e-mail ${email} já tem conta. Use grant para torná-la administradora.`)
    await recordAudit(transaction, { action: 'account-created', target: person, request, at })
    await setRole(transaction, { person, role: 'admin', request, at })
    return `Administrador criado: ${email}\n${await printResetLink(transaction, deps, person)}`
  })
}

function readAddress(typed: string, domain: string): string {
  const parsed = emailSchema.safeParse(typed)
  if (!parsed.success) throw new AdminError(`E-mail inválido: ${typed}`)
  try {
    return companyAddress(parsed.data, domain)
  } catch (error) {
    if (error instanceof ProblemError) throw new AdminError(error.message)
    throw error
  }
}
