/** Texts about passwords (SPEC sections 2, 5 and 8, word for word), apart from messages.ts so that the reports screen goes without. */
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
