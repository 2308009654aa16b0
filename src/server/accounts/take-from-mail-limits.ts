import { ipGroup } from '#server/http/caller-ip.ts'
import type { RequestInfo } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'

const PER_ADDRESS = { max: 60, windowSeconds: 3600 }
const PER_MINUTE = { max: 1, windowSeconds: 60 }
const PER_HOUR = { max: 5, windowSeconds: 3600 }

/**
 * Limits what makes the portal send a mail, by where it is asked from and by whom it would go to, whether or
 * not there is such a person.
 * @param email in lower case
 * @throws ProblemError rate-limited
 */
export async function takeFromMailLimits(
  takeFromLimit: TakeFromLimit,
  action: 'sign-up' | 'resend' | 'recover',
  email: string,
  request: RequestInfo,
): Promise<void> {
  await takeFromLimit(`${action} ${ipGroup(request.ip)}`, PER_ADDRESS)
  await takeFromLimit(`${action}-minute ${email}`, PER_MINUTE)
  await takeFromLimit(`${action}-hour ${email}`, PER_HOUR)
}
