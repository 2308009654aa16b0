import { randomUUID } from 'node:crypto'
import { signUpMessages } from '#contract/accounts.ts'
import { PASSWORD_MAX, PASSWORD_MIN } from '#contract/passwords.ts'
import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { queueWaitingDigest } from '#server/users/mails.ts'
import { companyAddress } from './company-address.ts'
import type { HumanCheck } from './human-check.ts'
import { accountMails } from './mails.ts'
import { hashPassword } from './password-hashing.ts'
import { refuseGuessable } from './refuse-guessable.ts'
import { takeFromMailLimits } from './take-from-mail-limits.ts'

export interface SignUpDeps {
  db: Db
  humanCheck: HumanCheck
  companyEmailDomain: string
  groupName: string
  takeFromLimit: TakeFromLimit
  /** ms since the epoch */
  clock: () => number
}

/**
 * Creates an account that waits for verification and approval. A known address gets the same answer after
 * the same work and is told by mail; its password stays what it was.
 * @returns a user in GoTrue's shape whose id means nothing
 * @throws ProblemError invalid-input, password-rejected, human-check-required, human-check-failed, rate-limited
 */
export async function signUp(
  deps: SignUpDeps,
  typed: { email: string; password: string; captcha: string | undefined },
  request: RequestInfo,
) {
  const email = companyAddress(typed.email, deps.companyEmailDomain)
  refuseByLength(typed.password)
  await refuseGuessable(typed.password, { email, groupName: deps.groupName })
  await deps.humanCheck.demand(typed.captcha, request.ip)
  await takeFromMailLimits(deps.takeFromLimit, 'sign-up', email, request)
  const hash = await hashPassword(typed.password)
  const at = new Date(deps.clock())
  await deps.db.transaction().execute((transaction) => register(transaction, { email, hash, request, at }))
  const now = at.toISOString()
  return {
    id: randomUUID(),
    aud: 'authenticated' as const,
    role: 'authenticated' as const,
    email,
    confirmation_sent_at: now,
    created_at: now,
  }
}

function refuseByLength(password: string): void {
  const message =
    password.length < PASSWORD_MIN
      ? signUpMessages.tooShort
      : password.length > PASSWORD_MAX
        ? signUpMessages.tooLong
        : undefined
  if (message)
    throw new ProblemError('invalid-input', { detail: message, fields: [{ path: 'password', message }] })
}

/**
 * A known address takes the same statements, some of which then write nothing: the time that the answer takes
 * must not tell. Verified people are mailed that they have an account, the others get a fresh link.
 */
async function register(
  db: Db,
  account: { email: string; hash: string; request: RequestInfo; at: Date },
): Promise<void> {
  const { email, hash, request, at } = account
  const addedId = await addProfile(db, email, at)
  await addPassword(db, addedId, hash, at)
  const person = await db
    .selectFrom('profiles')
    .select(['user_id', 'email', 'email_verified_at'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  await queueMail({ db }, accountMails, person.email_verified_at ? 'account-exists' : 'verification', email)
  await queueWaitingDigest({ db }, addedId)
  const action = addedId ? 'account-created' : 'sign-up-repeated'
  await recordAudit(db, { action, target: person, request, at })
}

/** @returns null when the address is known; of two sign-ups at once one makes the account */
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
  await db
    .insertInto('passwords')
    .columns(['user_id', 'hash', 'changed_at'])
    .expression(({ selectFrom, cast, val }) =>
      selectFrom('profiles')
        .select([
          'user_id',
          cast<string>(val(hash), 'text').as('hash'),
          cast<Date>(val(at), 'timestamptz').as('at'),
        ])
        .where('user_id', '=', addedId),
    )
    .execute()
}
