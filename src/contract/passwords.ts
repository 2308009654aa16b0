import * as z from 'zod/mini'
import { defineRoutes } from './route.ts'

/** SPEC section 9. */
export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 128
export const RESET_PASSWORD_MIN = 8
export const RESET_STRENGTH_MIN = 40
/** The current password and those before it that may not come back. */
export const REMEMBERED_PASSWORDS = 5

export type StrengthLevel = 'weak' | 'medium' | 'strong' | 'very-strong'

export interface PasswordStrength {
  /** 0 to 100. */
  score: number
  level: StrengthLevel
  /** What would make it stronger, in the order of the table. */
  feedback: string[]
}

/** Criteria, points and hints of SPEC section 5; a criterion without a hint only adds points. */
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

function levelOf(score: number): StrengthLevel {
  if (score < 40) return 'weak'
  if (score < 70) return 'medium'
  return score < 90 ? 'strong' : 'very-strong'
}

/** Rates a password by the table of SPEC section 5, the same on both sides; the sum is capped at 100. */
export function rateStrength(password: string): PasswordStrength {
  const met = CRITERIA.filter(([isMet]) => isMet(password))
  const score = Math.min(
    100,
    met.reduce((sum, [, points]) => sum + points, 0),
  )
  const feedback = CRITERIA.flatMap(([isMet, , hint]) => (hint && !isMet(password) ? [hint] : []))
  return { score, level: levelOf(score), feedback }
}

/** What the server takes as a new password before it looks at the rules, which answer in their own words. */
export const newPasswordSchema = z.string().check(z.minLength(1), z.maxLength(1024))

export const passwordRoutes = defineRoutes({
  changePassword: {
    method: 'POST',
    path: '/api/functions/change-password',
    access: 'signedIn',
    alsoFor: ['forcedChange'],
    summary: 'Sets a new password and ends the other sessions; a rule that it breaks comes back as error',
    body: z.strictObject({ newPassword: newPasswordSchema }),
    response: z.object({ success: z.optional(z.boolean()), error: z.optional(z.string()) }),
  },
})
