/** Texts of signing in and up (SPEC sections 2, 5 and 8, word for word), apart from messages.ts so that only their forms load them. */

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
  tooShort: 'Senha deve ter no mínimo 12 caracteres',
  tooLong: 'Senha deve ter no máximo 128 caracteres',
  mismatch: 'As senhas não correspondem',
  failed: 'Falha ao criar conta. Tente novamente.',
} as const

/** Of the link in the confirmation e-mail. */
export const callbackMessages = {
  checking: 'Verificando seu e-mail...',
  verified: 'E-mail verificado!',
  verifiedDetail: 'Sua conta foi confirmada com sucesso.',
  failed: 'Erro na verificação',
  failedDetail: 'Não foi possível confirmar seu e-mail. Tente novamente.',
} as const
