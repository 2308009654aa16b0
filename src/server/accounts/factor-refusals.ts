import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { countFailedAttempt } from '#server/operations/audit.ts'
import type { AccountContext, OwnAccountContext } from './account-context.ts'
import {
  type Attempt,
  releaseAttempt,
  reserveAttempt,
  type SecondStepKind,
  serializePerSource,
} from './sign-in-attempts.ts'

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

/** Whether the owner is warned after so many failures: the caller already knows the password. */
const isWarned = (failures: number) => failures === 5 || (failures > 0 && failures % 10 === 0)

export function createFactorRefusal(reason: FactorRefusal, detail: string = REFUSALS[reason]): ProblemError {
  return new ProblemError('factor-refused', { detail, cause: reason })
}

const isRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.code === 'factor-refused'

/** Counts a refusal among the person's refused sign-ins. @param email in lower case */
export async function countFactorRefusal(context: AccountContext, email: string, error: unknown) {
  if (isRefusal(error)) await countFailedAttempt(context, { email, outcome: String(error.options.cause) })
}

/**
 * Checks an answer within limits of the account, counted before it is checked. What can be guessed
 * counts apart, so that its lock does not keep the owner of a passkey or recovery code out.
 * @throws ProblemError factor-refused, rate-limited
 */
export async function tryFactor<T>(
  context: OwnAccountContext,
  secondStep: SecondStepKind,
  check: () => Promise<T>,
): Promise<T> {
  const { db, actor, request } = context
  const { email } = actor.profile
  const attempt: Attempt = {
    email,
    secondStep,
    ip: request.ip,
    deviceId: undefined,
    skipsHumanCheck: false,
  }
  return serializePerSource(attempt, async () => {
    const counted = context.rateLimits ? await reserve(context, attempt) : 0
    const release = (isRight: boolean) =>
      counted > 0 ? releaseAttempt(context, attempt, { counted, isRight }) : undefined
    try {
      const result = await check()
      await release(true)
      return result
    } catch (error) {
      // A code that was right before is no guess, such as from a second tab.
      if (!isRefusal(error) || error.options.cause === 'code-used') await release(false)
      await countFactorRefusal(context, email, error)
      if (isRefusal(error) && isWarned(counted)) await queueMail({ db }, 'factor-failures', email)
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
