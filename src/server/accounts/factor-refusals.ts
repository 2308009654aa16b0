import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { countFailedAttempt } from '#server/operations/audit.ts'
import type { AccountContext, OwnAccountContext } from './account-context.ts'
import { type Attempt, releaseAttempt, reserveAttempt, serializePerSource } from './sign-in-attempts.ts'

const PASSKEY = 'Esta chave de acesso foi recusada'
const REFUSALS = {
  'wrong-code': 'O código não confere. Use o código que aparece agora no aplicativo.',
  'code-used': 'Este código já foi usado. Espere o próximo, que aparece em até 30 segundos.',
  'clock-off': 'O relógio do aparelho que gera os códigos está errado.',
  'recovery-code-wrong': 'Este código de recuperação não confere, ou já foi usado.',
  'challenge-ended': 'O pedido venceu ou já foi respondido. Tente de novo.',
  'passkey-unknown': 'Esta chave de acesso não é de nenhuma conta do portal. Entre com e-mail e senha.',
  'passkey-origin': `${PASSKEY}: ela respondeu a outro endereço, que não é o do portal. Abra o portal pelo endereço certo.`,
  'passkey-replayed': `${PASSKEY}: esta resposta já tinha sido usada. Se não foi você que tentou, avise um administrador.`,
  'passkey-counter': `${PASSKEY}: o contador dela voltou, como acontece com uma cópia. Remova-a e cadastre outra.`,
  'passkey-refused': `${PASSKEY}: a resposta não confere. Tente de novo.`,
}
/** Kept in the trail as the outcome of a refused sign-in. */
export type FactorRefusal = keyof typeof REFUSALS

/** Failures after which the owner is warned: the caller already knows the password. */
const WARN_AFTER = 5

export function createFactorRefusal(reason: FactorRefusal, detail: string = REFUSALS[reason]): ProblemError {
  return new ProblemError('factor-refused', { detail, cause: reason })
}

const isRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.code === 'factor-refused'

/** Counts a refusal among the person's refused sign-ins. @param email in lower case */
export async function countFactorRefusal(context: AccountContext, email: string, error: unknown) {
  if (isRefusal(error)) await countFailedAttempt(context, { email, outcome: String(error.options.cause) })
}

/** Name under which failures of the second step count: a right password must not clear them. */
export const toFactorSubject = (email: string) => `${email} second-step`

/**
 * Checks an answer within the limits of passwords: counted before it is checked, apart for a browser
 * that the account has known for long.
 * @throws ProblemError factor-refused, rate-limited
 */
export async function tryFactor<T>(context: OwnAccountContext, check: () => Promise<T>): Promise<T> {
  const { db, actor, request } = context
  const { email } = actor.profile
  const session = await db
    .selectFrom('sessions')
    .select('known_device')
    .where('id', '=', actor.sessionId)
    .executeTakeFirst()
  const deviceId = session?.known_device ?? undefined
  const attempt: Attempt = { email: toFactorSubject(email), deviceId, ip: request.ip, skipsHumanCheck: true }
  return serializePerSource(attempt, async () => {
    const counted = context.rateLimits ? await reserve(context, attempt) : 0
    const release = (isRight: boolean) =>
      counted > 0 ? releaseAttempt(context, attempt, { counted, isRight }) : undefined
    try {
      const result = await check()
      await release(true)
      return result
    } catch (error) {
      if (!isRefusal(error)) await release(false)
      await countFactorRefusal(context, email, error)
      if (isRefusal(error) && counted === WARN_AFTER) await queueMail({ db }, 'factor-failures', email)
      throw error
    }
  })
}

async function reserve(context: OwnAccountContext, attempt: Attempt): Promise<number> {
  try {
    return await reserveAttempt(context, attempt)
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'rate-limited') throw error
    const { ip } = context.request
    context.countRefusal({ email: context.actor.profile.email, outcome: error.code, ip })
    const detail = 'Muitos códigos errados. Aguarde um pouco e tente de novo.'
    throw new ProblemError('rate-limited', { ...error.options, detail })
  }
}
