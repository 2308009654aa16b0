import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { CONFIRMATION_MARK_MS } from '#contract/access.ts'
import { signUpFormSchema, signUpMessages } from '#contract/account-forms.ts'
import type { Db } from '#server/database/schema.ts'
import type { PublicContext } from '#server/http/context.ts'
import { toFieldError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { queueWaitingDigest } from '#server/users/mails.ts'
import type { AccountContext } from './account-context.ts'
import { limitMailsPerIp, limitMailsPerRecipient } from './email-links.ts'
import { hashLinkToken } from './mails.ts'
import { hashNewPassword } from './password-hashing.ts'
import { rejectGuessablePassword } from './password-rules.ts'
import { rejectPasswords } from './sign-in.ts'

/** Dot-atom of RFC 5322 in ASCII without '+': no quoted part, look-alikes or control characters. */
const LOCAL_PART = /^[\w.!#$%&'*/=?^`{|}~-]+$/

/** Built once, as that costs more than a refusal; parseCompanyEmail checks the domain. */
const FORM = signUpFormSchema('')

/**
 * Parses the e-mail of a new account to lower case. Checks for ASCII before lower-casing, which turns
 * some look-alikes into ASCII.
 * @param domain COMPANY_EMAIL_DOMAIN, compared exactly: subdomains do not match
 * @throws ProblemError invalid-input
 */
export function parseCompanyEmail(typed: string, domain: string): string {
  const email = typed.toLowerCase()
  const at = email.lastIndexOf('@')
  const isAscii = [...typed].every((character) => character > ' ' && character <= '~')
  if (isAscii && LOCAL_PART.test(email.slice(0, at)) && email.slice(at + 1) === domain) return email
  const isTagged = isAscii && email.includes('+') && email.endsWith(`@${domain}`)
  throw toFieldError('email', isTagged ? signUpMessages.tagged : signUpMessages.domain(`@${domain}`))
}

/**
 * Creates an account that waits for verification and approval. A known e-mail gets the same answer
 * after the same work, and a mail; its password does not change.
 * @returns a user in GoTrue's shape with a random id
 * @throws ProblemError invalid-input, password-rejected, human-check-*, rate-limited
 */
export async function signUp(
  context: AccountContext,
  typed: { email: string; password: string; captcha: string | undefined },
) {
  const { password } = typed
  const email = parseCompanyEmail(typed.email, context.companyEmailDomain)
  rejectPasswords(context, email)
  const issue = FORM.safeParse({ email, password, confirmation: password }).error?.issues[0]
  if (issue) throw toFieldError(issue.path.join('.'), issue.message)
  const { ip } = context.request
  await context.humanCheck.verify(typed.captcha, { ip, target: { email, form: 'sign-up' } })
  await limitMailsPerIp(context, 'sign-up')
  await rejectGuessablePassword(context, { password, email })
  // Last, so that a rejected password does not consume the limit per recipient.
  await limitMailsPerRecipient(context, 'sign-up', email)
  const hash = await hashNewPassword(context, password)
  const mark = randomBytes(32).toString('base64url')
  await context.db.transaction().execute((db) => register({ ...context, db }, { email, hash, mark }))
  const now = new Date(context.clock()).toISOString()
  return {
    id: randomUUID(),
    aud: 'authenticated' as const,
    role: 'authenticated' as const,
    email,
    confirmation_sent_at: now,
    created_at: now,
    confirmation_mark: mark,
  }
}

/**
 * Runs the same statements for a known e-mail, some of which write nothing, so that timing reveals
 * nothing. Verified people are mailed that they have an account, others get a new link.
 */
async function register(
  context: PublicContext,
  account: { email: string; hash: string; mark: string },
): Promise<void> {
  const { db, clock } = context
  const { email, hash, mark } = account
  const at = new Date(clock())
  const addedId = await addProfile(db, email, at)
  await addPassword(db, addedId, hash, at)
  const person = await db
    .selectFrom('profiles')
    .select(['user_id', 'email', 'email_verified_at'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  await countSignUp(context, { userId: person.user_id, isFirst: addedId !== null, mark })
  await queueMail(context, person.email_verified_at ? 'account-exists' : 'verification', email)
  await queueWaitingDigest(context, addedId)
  await recordAudit(context, { action: addedId ? 'account-created' : 'sign-up-repeated', target: person })
}

/** @returns null if the e-mail is known; of two concurrent sign-ups one creates the account */
async function addProfile(db: Db, email: string, at: Date): Promise<string | null> {
  const added = await db
    .insertInto('profiles')
    .values({ email, created_at: at })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return added?.user_id ?? null
}

async function addPassword(db: Db, addedId: string | null, hash: string, at: Date): Promise<void> {
  await sql`insert into passwords (user_id, hash, changed_at)
    select user_id, ${hash}::text, ${at}::timestamptz from profiles where user_id = ${addedId}::uuid`.execute(
    db,
  )
}

/** Counts sign-ups of an unverified account; a second one invalidates the confirmation mark. */
async function countSignUp(
  { db, clock }: PublicContext,
  { userId, isFirst, mark }: { userId: string; isFirst: boolean; mark: string },
): Promise<void> {
  const markHash = isFirst ? hashLinkToken(mark) : null
  await sql`
    insert into sign_ups (user_id, count, mark_hash, mark_expires_at)
    select user_id, ${isFirst ? 1 : 2}::int, ${markHash}::bytea, ${new Date(clock() + CONFIRMATION_MARK_MS)}::timestamptz
    from profiles where user_id = ${userId}::uuid and email_verified_at is null
    on conflict (user_id) do update set count = sign_ups.count + 1, mark_hash = null`.execute(db)
}
