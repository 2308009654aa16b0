import * as z from 'zod/mini'

export const PASSWORD_MIN = 12
const PASSWORD_MAX = 128
export const RESET_PASSWORD_MIN = 8
const RESET_STRENGTH_MIN = 40
/** Number of recent passwords, including the current one, that may not be reused. */
export const REMEMBERED_PASSWORDS = 5

export type StrengthLevel = 'weak' | 'medium' | 'strong' | 'very-strong'

interface PasswordStrength {
  /** 0 to 100. */
  score: number
  level: StrengthLevel
  /** Hints for a stronger password, in the order of the table. */
  feedback: string[]
}

/** Criteria without a hint only add points. */
const CRITERIA: readonly [isMet: (password: string) => boolean, points: number, hint?: string][] = [
  [(password) => password.length >= 12, 25, 'Use pelo menos 12 caracteres'],
  [(password) => password.length >= 16, 10],
  [(password) => /\p{Lu}/u.test(password), 20, 'Adicione letras maiúsculas'],
  [(password) => /\p{Ll}/u.test(password), 20, 'Adicione letras minúsculas'],
  [(password) => /\p{Nd}/u.test(password), 20, 'Adicione números'],
  [(password) => /[^\p{L}\p{Nd}]/u.test(password), 15, 'Adicione caracteres especiais'],
]

export const STRENGTH_LABELS: Record<StrengthLevel, string> = {
  weak: 'Fraca',
  medium: 'Média',
  strong: 'Forte',
  'very-strong': 'Muito forte',
}

function getStrengthLevel(score: number): StrengthLevel {
  if (score < 40) return 'weak'
  if (score < 70) return 'medium'
  return score < 90 ? 'strong' : 'very-strong'
}

/**
 * Rates a password with the table above, the same on both sides; the sum is capped.
 * @param isWeak keeps the score weak: on /reset-password, for guessable passwords
 */
export function rateStrength(password: string, isWeak = false): PasswordStrength {
  const met = CRITERIA.filter(([isMet]) => isMet(password))
  const score = Math.min(
    isWeak ? RESET_STRENGTH_MIN - 1 : 100,
    met.reduce((sum, [, points]) => sum + points, 0),
  )
  const feedback = CRITERIA.flatMap(([isMet, , hint]) => (hint && !isMet(password) ? [hint] : []))
  return { score, level: getStrengthLevel(score), feedback }
}

/** Limits of a new password; the rules themselves have their own messages. */
export const newPasswordSchema = z.string().check(z.minLength(1), z.maxLength(1024))

/** Texts about passwords, separate from messages.ts so that the reports screen does not load them. */
export const passwordMessages = {
  mismatch: 'As senhas não coincidem',
  forcedTooShort: 'A senha deve ter no mínimo 12 caracteres',
  forcedTooLong: 'A senha deve ter no máximo 128 caracteres',
  changeTooShort: 'A nova senha deve ter pelo menos 12 caracteres',
  changeTooLong: 'A nova senha deve ter no máximo 128 caracteres',
  resetTooShort: 'A senha deve ter no mínimo 8 caracteres',
  reused: 'A nova senha não pode ser igual às últimas 5 senhas.',
  rejected:
    'Senha rejeitada pelo servidor. Tente uma senha diferente com maiúsculas, minúsculas, números e símbolo, evitando senhas comuns/vazadas.',
  updateFailed: 'Erro ao atualizar senha',
  changeFailed: 'Erro ao alterar senha',
  resetFailed: 'Erro ao redefinir senha',
  weak: 'Senha fraca',
  weakDetail: 'Por favor, escolha uma senha mais forte.',
  forcedDone: 'Senha atualizada com sucesso!',
  changed: 'Senha alterada com sucesso!',
  reset: 'Senha redefinida',
  validation: 'Erro de validação',
  recoverSent: 'E-mail enviado',
  recoverFailed: 'Erro ao enviar e-mail',
  recoverFailedDetail: 'Tente novamente mais tarde.',
} as const

/** Names blanks at the start and end, which a paste leaves and nobody sees; undefined without any. */
export function describeOuterBlanks(password: string): string | undefined {
  const places = [/^\s/.test(password) && 'começa', /\s$/.test(password) && 'termina'].filter(Boolean)
  return places.length > 0 ? `A senha ${places.join(' e ')} com um espaço.` : undefined
}

interface NewPassword {
  password: string
  confirmation: string
}

/** Creates checks of the length with a form's messages. */
export const requireLength = (min: number, words: { tooShort: string; tooLong: string }) => [
  z.refine<NewPassword>(({ password }) => password.length >= min, {
    path: ['password'],
    message: words.tooShort,
  }),
  z.refine<NewPassword>(({ password }) => password.length <= PASSWORD_MAX, {
    path: ['password'],
    message: words.tooLong,
  }),
]

export const requireConfirmation = (message: string) =>
  z.refine<NewPassword>(({ password, confirmation }) => confirmation === password, {
    path: ['confirmation'],
    message,
  })

const newPasswordForm = z.object({ password: z.string(), confirmation: z.string() })

/*
 * Forms that set a password. Issues are in display order, at most one per field. The server, which
 * receives no confirmation, calls checkPassword.
 */

export const forcedChangeFormSchema = newPasswordForm.check(
  ...requireLength(PASSWORD_MIN, {
    tooShort: passwordMessages.forcedTooShort,
    tooLong: passwordMessages.forcedTooLong,
  }),
  requireConfirmation(passwordMessages.mismatch),
)

export const changePasswordFormSchema = newPasswordForm.check(
  requireConfirmation(passwordMessages.mismatch),
  ...requireLength(PASSWORD_MIN, {
    tooShort: passwordMessages.changeTooShort,
    tooLong: passwordMessages.changeTooLong,
  }),
)

/** @param isGuessable makes a password weak; the server, which explains such a refusal, omits it */
export const createResetFormSchema = (isGuessable = (_password: string) => false) =>
  newPasswordForm.check(
    ...requireLength(RESET_PASSWORD_MIN, {
      tooShort: passwordMessages.resetTooShort,
      tooLong: passwordMessages.forcedTooLong,
    }),
    requireConfirmation(passwordMessages.mismatch),
    z.refine<NewPassword>(
      ({ password }) => rateStrength(password, isGuessable(password)).score >= RESET_STRENGTH_MIN,
      {
        path: ['password'],
        message: passwordMessages.weakDetail,
        when: ({ issues }) => issues.length === 0,
      },
    ),
  )

/** Returns the message of the first rule that a password breaks; undefined if it is valid. */
export function checkPassword(form: typeof newPasswordForm, password: string): string | undefined {
  return form.safeParse({ password, confirmation: password }).error?.issues[0]?.message
}
