/** Texts that a user can see and that both sides or tests need (SPEC sections 2, 4, 5 and 8, word for word). */

export const sessionMessages = {
  inactivityWarning: 'Sua sessão expirará em 2 minutos devido à inatividade.',
  inactivitySignOut: 'Sessão expirada devido à inatividade. Faça login novamente.',
  signedOut: 'Você saiu com sucesso',
  signOutFailed: 'Erro ao sair',
} as const

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

export const verificationMessages = {
  checking: 'Verificando seu e-mail...',
  verified: 'E-mail verificado!',
  verifiedDetail: 'Sua conta foi confirmada com sucesso.',
  failed: 'Erro na verificação',
  failedDetail: 'Não foi possível confirmar seu e-mail. Tente novamente.',
  resend: 'Reenviar e-mail de verificação',
  resending: 'Reenviando...',
  resendIn: (seconds: number) => `Reenviar em ${seconds}s`,
  resent: 'E-mail enviado',
  resentDetail: 'Verifique sua caixa de entrada para confirmar seu cadastro.',
  resentOnReports: 'E-mail de verificação enviado',
  resendFailed: 'Erro ao reenviar e-mail',
  resendFailedDetail: 'Tente novamente mais tarde.',
} as const

export const reportMessages = {
  loading: 'Carregando configurações...',
  pending:
    'Sua conta está pendente de aprovação pelo administrador. Você receberá acesso assim que for aprovado.',
  none: 'Nenhum relatório Power BI disponível. Os relatórios estão sendo configurados pelo administrador.',
  embedFailed: 'Erro ao carregar o relatório do Power BI',
  embedInvalid: 'Configuração de relatório inválida',
  settingsFailed: 'Erro ao carregar configurações',
  tokenFailed: (area: string) => `Erro ao gerar token para ${area}`,
  incomplete: (area: string) => `Configuração incompleta para ${area}`,
  noScope: 'Sua conta ainda não tem marcas ou estados liberados. Peça ao administrador para liberá-los.',
} as const

export const notFoundMessage = 'Oops! Page not found'
