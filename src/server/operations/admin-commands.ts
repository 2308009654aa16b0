import type { Db } from '#server/database/schema.ts'
import { grantAdministration, revokeAdministration } from './change-administration.ts'
import { createAdministrator } from './create-administrator.ts'
import { listAdministrators } from './list-administrators.ts'
import { resetAccess } from './reset-access.ts'

/** What the commands run with. */
export interface AdminDeps {
  db: Db
  publicUrl: string
  companyEmailDomain: string
  /** ms since the epoch */
  clock: () => number
}

/** @returns what is printed; @throws AdminError */
type AdminCommand = (deps: AdminDeps, email: string) => Promise<string>

/** The commands of `npm run admin -- …`; all but list take an address. */
export const ADMIN_COMMANDS: Record<string, AdminCommand> = {
  create: createAdministrator,
  list: listAdministrators,
  reset: resetAccess,
  grant: grantAdministration,
  revoke: revokeAdministration,
}

export const ADMIN_USAGE = `Uso: npm run admin -- COMANDO EMAIL

  create EMAIL   cria um administrador verificado e aprovado e mostra o link, de uso único, para criar a senha
  list           lista os administradores
  reset EMAIL    encerra as sessões da pessoa e mostra um link de uso único para criar uma senha nova
  grant EMAIL    torna administradora uma pessoa que já tem conta
  revoke EMAIL   tira a administração de uma pessoa; a última não pode perdê-la`
