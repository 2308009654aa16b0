import type { BodyOf } from '#contract/route.ts'
import { CONTACT_MIN_FILL_MS, type supportRoutes } from '#contract/support.ts'
import type { HumanCheck } from '#server/accounts/human-check.ts'
import type { Db } from '#server/database/schema.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import type { RequestInfo } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import { cleanContactForm } from './clean-contact-form.ts'
import { storeMessage } from './store-message.ts'

const TEN_MINUTES = 600
const DAY = 86_400
/** Above the others: who fails the human check may try again. */
const CHECK_LIMIT = { max: 30, windowSeconds: TEN_MINUTES }
const LIMIT = { max: 3, windowSeconds: TEN_MINUTES }
const DAILY_LIMIT = { max: 20, windowSeconds: DAY }

export interface SendMessageDeps {
  db: Db
  humanCheck: HumanCheck
  /** Whether the contact form asks for a human check. */
  contactCaptcha: boolean
  takeFromLimit: TakeFromLimit
  log: Log
  /** Tells the outbox that a mail waits. */
  nudgeOutbox: () => void
}

/**
 * Takes a message of the contact form. A filled honeypot is answered like any other and goes nowhere.
 * @throws ProblemError rate-limited, also for a form that was filled in faster than a person can;
 *   human-check-required, human-check-failed; invalid-input
 */
export async function sendMessage(
  deps: SendMessageDeps,
  body: BodyOf<typeof supportRoutes.sendSupportMessage>,
  request: RequestInfo,
): Promise<void> {
  const { website, fill_ms: fillMs, captcha, ...typed } = body
  if (website) {
    deps.log.info({ requestId: request.requestId }, 'contact form with a filled honeypot dropped')
    return
  }
  const form = cleanContactForm(typed)
  if (fillMs !== undefined && fillMs < CONTACT_MIN_FILL_MS)
    throw new ProblemError('rate-limited', {
      retryAfterSeconds: Math.ceil((CONTACT_MIN_FILL_MS - fillMs) / 1000),
    })
  const caller = ipGroup(request.ip)
  if (deps.contactCaptcha) {
    await deps.takeFromLimit(`contact-check ${caller}`, CHECK_LIMIT)
    await deps.humanCheck.demand(captcha, request.ip)
  }
  await deps.takeFromLimit(`contact ${caller}`, LIMIT)
  await deps.takeFromLimit(`contact-daily ${caller}`, DAILY_LIMIT)
  await storeMessage(deps.db, form)
  deps.nudgeOutbox()
}
