// Forms and texts of sign-in and sign-up, apart from their routes, which /login need not load.
import * as z from 'zod/mini'
import { PASSWORD_MIN, requireConfirmation, requireLength } from './passwords.ts'
import { normalizeTyped } from './pasted-text.ts'

export const signInMessages = {
  emailInvalid: 'E-mail inválido',
  emailTooLong: 'E-mail deve ter no máximo 255 caracteres',
  passwordRequired: 'Senha é obrigatória',
  passwordTooLong: 'Senha deve ter no máximo 128 caracteres',
  humanCheckRequired: 'Por favor, complete a verificação reCAPTCHA',
  humanCheckFailed: 'Falha na verificação reCAPTCHA',
  failed: 'Falha no login. Verifique suas credenciais.',
  succeeded: 'Login realizado com sucesso!',
  forcedChangeTitle: 'Atualização de Senha Necessária',
} as const

export const signUpMessages = {
  domain: (domain: string) => `Apenas e-mails ${domain} são permitidos`,
  tagged: "Use seu e-mail sem o sinal '+'",
  tooShort: 'Senha deve ter no mínimo 12 caracteres',
  tooLong: 'Senha deve ter no máximo 128 caracteres',
  mismatch: 'As senhas não correspondem',
  failed: 'Falha ao criar conta. Tente novamente.',
} as const

/** An e-mail as typed: trimmed; the server lower-cases it. */
export const emailSchema = z
  .string()
  .check(
    z.overwrite(normalizeTyped),
    z.maxLength(255, signInMessages.emailTooLong),
    z.email(signInMessages.emailInvalid),
  )

/** The sign-in form. Issues come in this order; the first message is shown. */
export const signInFormSchema = z.object({
  email: emailSchema,
  password: z
    .string()
    .check(z.minLength(1, signInMessages.passwordRequired), z.maxLength(128, signInMessages.passwordTooLong)),
})

/**
 * Creates the schema of the sign-up form; the first issue of each field is shown.
 * @param domain the company's, without '@'; if empty, the server checks it
 */
export const signUpFormSchema = (domain: string) =>
  z
    .object({
      email: emailSchema.check(
        z.refine((email) => !domain || email.toLowerCase().endsWith(`@${domain.toLowerCase()}`), {
          message: signUpMessages.domain(`@${domain}`),
          when: ({ issues }) => issues.length === 0,
        }),
        // Prevents several accounts with one mailbox.
        z.refine((email) => !email.includes('+'), {
          message: signUpMessages.tagged,
          when: ({ issues }) => issues.length === 0,
        }),
      ),
      password: z.string(),
      confirmation: z.string(),
    })
    .check(...requireLength(PASSWORD_MIN, signUpMessages), requireConfirmation(signUpMessages.mismatch))

/** The request for a reset link; any invalid e-mail gets the same message. */
export const forgotPasswordFormSchema = z.object({
  email: z.string().check(
    z.overwrite(normalizeTyped),
    z.refine((email) => emailSchema.safeParse(email).success, { message: signInMessages.emailInvalid }),
  ),
})
