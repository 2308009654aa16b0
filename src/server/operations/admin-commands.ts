import { randomUUID } from 'node:crypto'
import { emailSchema } from '#contract/account-forms.ts'
import { resetFactors } from '#server/accounts/factors.ts'
import { createEmailLink } from '#server/accounts/mails.ts'
import { parseCompanyEmail } from '#server/accounts/sign-up.ts'
import type { Db } from '#server/database/schema.ts'
import type { PublicContext, RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import { removeApproval } from '#server/users/change-user.ts'
import { dropInvitations } from '#server/users/invitations.ts'
import { findByEmail, lockProfile } from '#server/users/user-queries.ts'
import { lockAdministrators, setRole } from '#server/users/user-roles.ts'
import { recordAudit } from './audit.ts'

/** An error that the operator can fix; the message is one line of Portuguese. */
export class AdminError extends Error {}

interface AdminContext extends PublicContext {
  publicUrl: string
  companyEmailDomain: string
}

type Person = Parameters<typeof setRole>[1]['person']

/** @returns the output; @throws AdminError */
type AdminCommand = (context: AdminContext, email: string) => Promise<string>

const inTransaction = (command: AdminCommand) => (context: AdminContext, email: string) =>
  context.db.transaction().execute((db) => command({ ...context, db }, email))

/** The commands of `npm run admin -- …`; all but list take an email. */
export const ADMIN_COMMANDS: Record<string, AdminCommand> = {
  create: inTransaction(createAdministrator),
  list: listAdministrators,
  reset: inTransaction(resetAccess),
  grant: inTransaction(grantAdministration),
  revoke: inTransaction(revokeAdministration),
  remove: inTransaction(removeAccess),
  'reset-factor': inTransaction(resetSecondFactor),
}

/** @param command the prefix to type, 'npm run admin --' */
export const formatUsage = (command: string): string => `Uso: ${command} COMANDO EMAIL

  create EMAIL   cria um administrador verificado e aprovado e mostra o link, de uso único, para criar a senha
  list           lista os administradores
  reset EMAIL    encerra as sessões da pessoa e mostra um link de uso único para criar uma senha nova
  grant EMAIL    torna administradora uma pessoa que já tem conta
  revoke EMAIL   tira a administração de uma pessoa, que ainda vê relatórios; a última não pode perdê-la
  remove EMAIL   tira o acesso de uma pessoa: administração, aprovação, sessões e convite; os dados ficam
  reset-factor EMAIL  retira a verificação em duas etapas de quem perdeu o aparelho e encerra as sessões`

/** Creates a verified and approved administrator and prints a link to set the password. */
async function createAdministrator(context: AdminContext, typed: string): Promise<string> {
  const { db } = context
  const email = parseEmail(typed, context.companyEmailDomain)
  const at = new Date(context.clock())
  const person = await db
    .insertInto('profiles')
    .values({ email, approved: true, email_verified_at: at, created_at: at })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['user_id', 'email'])
    .executeTakeFirst()
  if (!person) throw new AdminError(`O e-mail ${email} já tem conta. Use grant para torná-la administradora.`)
  await dropInvitations(context, [person])
  await recordAudit(context, { action: 'account-created', target: person })
  await setRole(context, { person, role: 'admin' })
  return `Administrador criado: ${email}\n${await printResetLink(context, person)}`
}

function parseEmail(typed: string, domain: string): string {
  const parsed = emailSchema.safeParse(typed)
  if (!parsed.success) throw new AdminError(`E-mail inválido: ${typed}`)
  try {
    return parseCompanyEmail(parsed.data, domain)
  } catch (error) {
    if (error instanceof ProblemError) throw new AdminError(error.message)
    throw error
  }
}

async function listAdministrators({ db }: AdminContext): Promise<string> {
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
    const seen = person.last_sign_in_at ? formatInstant(person.last_sign_in_at) : 'Nunca'
    const missing = [
      person.approved ? '' : 'aprovação pendente',
      person.email_verified_at ? '' : 'e-mail não verificado',
    ].filter(Boolean)
    return `${person.email.padEnd(width)}  ${[`último acesso: ${seen}`, ...missing].join(', ')}`
  })
  return lines.join('\n')
}

/**
 * Ends every session of a person, from their next request on, and prints a link for a new password.
 * The old password works until the link is used.
 * @throws AdminError when no account has the email
 */
async function resetAccess(context: AdminContext, typed: string): Promise<string> {
  const person = await findPerson(context.db, typed)
  await context.db.deleteFrom('sessions').where('user_id', '=', person.user_id).execute()
  const link = await printResetLink(context, person)
  return `As sessões de ${person.email} foram encerradas; a senha atual vale até o link ser usado.\n${link}`
}

async function grantAdministration(context: AdminContext, typed: string): Promise<string> {
  const person = await findPerson(context.db, typed)
  if (!person.email_verified_at)
    throw new AdminError(`O e-mail ${person.email} ainda não foi verificado: ninguém provou que é seu.`)
  if ((await lockAdministrators(context.db)).includes(person.user_id))
    return `${person.email} já é administrador.`
  await setRole(context, { person, role: 'admin' })
  return `${person.email} agora é administrador.`
}

/** Removes the role, from the person's next request on; the last administrator keeps it. */
async function revokeAdministration(context: AdminContext, typed: string): Promise<string> {
  const person = await findPerson(context.db, typed)
  if (!(await dropRole(context, person))) throw new AdminError(`${person.email} não é administrador.`)
  const demoted = `${person.email} não é mais administrador.`
  return person.approved
    ? `${demoted}\nA pessoa continua aprovada e ainda vê relatórios: remove ${person.email} tira o acesso.`
    : demoted
}

/** Removes role, approval, sessions and an invitation, from the person's next request on. */
async function removeAccess(context: AdminContext, typed: string): Promise<string> {
  const { db } = context
  const { user_id, email } = await findPerson(db, typed)
  const wasAdministrator = await dropRole(context, { user_id, email })
  const wasApproved = (await lockProfile(db, user_id))?.approved
  const wasInvited = await dropInvitations(context, [{ user_id, email }])
  if (wasApproved) await removeApproval(context, { user_id, email })
  await db.deleteFrom('sessions').where('user_id', '=', user_id).execute()
  const removed =
    wasAdministrator || wasApproved
      ? `${email} não tem mais acesso: sem administração, sem aprovação e sem sessões.`
      : `${email} já não tinha acesso; as sessões foram encerradas.`
  return wasInvited ? `${removed} O convite foi retirado.` : removed
}

/** Removes factors and recovery codes, for whoever lost them and finds no other administrator. */
async function resetSecondFactor(context: AdminContext, typed: string): Promise<string> {
  const { user_id, email } = await findPerson(context.db, typed)
  if (!(await resetFactors(context, { user_id, email })))
    throw new AdminError(`${email} não usa a verificação em duas etapas.`)
  return `A verificação em duas etapas de ${email} foi retirada e as sessões foram encerradas.
Na próxima entrada basta a senha; para configurar de novo, a pessoa confirma por um link enviado por e-mail.`
}

/** @returns whether the person was an administrator; @throws AdminError for the last one */
async function dropRole(context: AdminContext, person: Person): Promise<boolean> {
  const administrators = await lockAdministrators(context.db)
  if (!administrators.includes(person.user_id)) return false
  if (administrators.length === 1)
    throw new AdminError(`${person.email} é o único administrador. Crie ou promova outro antes.`)
  await setRole(context, { person, role: 'user' })
  return true
}

/** @throws AdminError when no account has the email */
async function findPerson(db: Db, typed: string) {
  const email = typed.trim().toLowerCase()
  const person = await findByEmail(db, email)
  if (!person) throw new AdminError(`Não há conta com o e-mail ${email}.`)
  return person
}

/**
 * Creates a single-use link for a new password, valid for an hour, and cancels older ones; call it
 * in a transaction. @returns the link with its explanation
 */
async function printResetLink(context: AdminContext, person: Person): Promise<string> {
  const owner = { userId: person.user_id, purpose: 'recovery' } as const
  await context.db
    .deleteFrom('email_links')
    .where('user_id', '=', owner.userId)
    .where('purpose', '=', owner.purpose)
    .execute()
  const link = await createEmailLink(context, owner)
  await recordAudit(context, { action: 'reset-link-printed', target: person })
  return `Link para criar a senha (vale por 1 hora, serve uma única vez):\n\n  ${link}`
}

/** Creates the request data of audit entries from the terminal, which name who used sudo. */
export function createCliRequest(command = 'admin'): RequestInfo {
  const [operator] = /^[\w.@\\-]{1,64}$/.exec(process.env.SUDO_USER ?? '') ?? []
  const userAgent = `npm run ${command}${operator ? ` (${operator})` : ''}`
  return { requestId: randomUUID(), ip: 'terminal', forwarded: 'none', userAgent }
}
