import { lockAdministrators } from '#server/users/lock-administrators.ts'
import { setRole } from '#server/users/set-role.ts'
import type { AdminDeps } from './admin-commands.ts'
import { AdminError } from './admin-error.ts'
import { findPerson } from './find-person.ts'
import { terminalRequest } from './terminal-request.ts'

/** Makes somebody an administrator; nobody who has not proved to own the address. */
export async function grantAdministration({ db, clock }: AdminDeps, typed: string): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    const person = await findPerson(transaction, typed)
    if (!person.email_verified_at)
      throw new AdminError(`O e-mail ${person.email} ainda não foi verificado: ninguém provou que é seu.`)
    if ((await lockAdministrators(transaction)).includes(person.user_id))
      return `${person.email} já é administrador.`
    const at = new Date(clock())
    await setRole(transaction, { person, role: 'admin', request: terminalRequest(), at })
    return `${person.email} agora é administrador.`
  })
}

/** Takes the role away, at the next request of the person; the last administrator keeps it. */
export async function revokeAdministration({ db, clock }: AdminDeps, typed: string): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    const person = await findPerson(transaction, typed)
    const administrators = await lockAdministrators(transaction)
    if (!administrators.includes(person.user_id)) throw new AdminError(`${person.email} não é administrador.`)
    if (administrators.length === 1)
      throw new AdminError(`${person.email} é o único administrador. Crie ou promova outro antes.`)
    const at = new Date(clock())
    await setRole(transaction, { person, role: 'user', request: terminalRequest(), at })
    return `${person.email} não é mais administrador.`
  })
}
