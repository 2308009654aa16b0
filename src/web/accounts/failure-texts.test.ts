import { describe, expect, it } from 'vitest'
import { signInMessages } from '#contract/account-forms.ts'
import { sessionMessages, verificationMessages } from '#contract/messages.ts'
import { passwordMessages } from '#contract/passwords.ts'
import { reportSettingMessages } from '#contract/report-setting-rules.ts'
import { inboxMessages } from '#contract/support.ts'
import { adminMessages } from '#contract/user-rules.ts'
import { NetworkError } from '#web/http/api.ts'
import { readFailure } from '#web/http/send-request.ts'
import { explainContactFailure } from '#web/support/contact-screen.tsx'
import { problem } from '#web/testing/browser-parts.ts'
import type { ToastContent } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { explainRefusal } from './change-password.ts'
import { explainRecoverFailure } from './forgot-password-screen.tsx'
import { explainFailure } from './login-screen.tsx'
import { explainSignUpFailure } from './sign-up-screen.tsx'

const UNREACHED = new NetworkError().message
const GENERIC = 'Algo deu errado do nosso lado. Tente novamente em instantes.'
const DETAIL = 'detalhe de forbidden'
const REJECTED =
  'Senha rejeitada pelo servidor. Tente uma senha diferente com maiúsculas, minúsculas, números e símbolo, evitando senhas comuns/vazadas.'

const answers = {
  refused: () => readFailure(problem(403, 'forbidden')),
  empty: () => readFailure(new Response('', { status: 500 })),
  html: () => readFailure(new Response('<html>Service Unavailable</html>', { status: 503 })),
  cut: async () => new NetworkError(),
}

type Shown = readonly [title: string, description?: string]
const withTitle = (title: string, unexplained = GENERIC, cut = UNREACHED) => ({
  refused: [title, DETAIL] as Shown,
  unexplained: [title, unexplained] as Shown,
  cut: [title, cut] as Shown,
})
const changed = (title: string) => ({
  refused: [DETAIL] as Shown,
  unexplained: [REJECTED] as Shown,
  cut: [title, UNREACHED] as Shown,
})
type Row = readonly [explain: (error: unknown) => ToastContent, shown: ReturnType<typeof withTitle>]
const titled = (title: string, specified: string): Row => [
  (error) => toFailureToast(title, error),
  withTitle(specified),
]

const SIGN_UP = 'Falha ao criar conta. Tente novamente.'
const LATER = 'Tente novamente mais tarde.'
const ROWS: Record<string, Row> = {
  'sign-in': [explainFailure, withTitle('Falha no login. Verifique suas credenciais.')],
  'sign-up': [explainSignUpFailure, { refused: [DETAIL], unexplained: [SIGN_UP], cut: [SIGN_UP, UNREACHED] }],
  resend: [
    (error) =>
      toFailureToast(verificationMessages.resendFailed, error, verificationMessages.resendFailedDetail),
    withTitle('Erro ao reenviar e-mail', LATER),
  ],
  recover: [explainRecoverFailure, withTitle('Erro ao enviar e-mail', LATER)],
  'forced change': [
    (error) => explainRefusal(error, passwordMessages.updateFailed),
    changed('Erro ao atualizar senha'),
  ],
  'change on the profile': [
    (error) => explainRefusal(error, passwordMessages.changeFailed),
    changed('Erro ao alterar senha'),
  ],
  reset: titled(passwordMessages.resetFailed, 'Erro ao redefinir senha'),
  contact: [
    explainContactFailure,
    withTitle(
      'Erro ao enviar mensagem. Tente novamente.',
      'Algo deu errado do nosso lado.',
      'Sem conexão com o portal. Verifique sua internet.',
    ),
  ],
  types: titled(adminMessages.typesFailed, 'Erro ao atualizar tipos de acesso'),
  scope: titled(adminMessages.scopeFailed, 'Erro ao atualizar marcas e estados'),
  'bulk edit': titled(adminMessages.bulkFailed, 'Erro ao atualizar dados dos usuários'),
  users: titled(adminMessages.loadFailed, 'Erro ao carregar usuários'),
  approve: titled(adminMessages.approveFailed, 'Erro ao aprovar usuário'),
  remove: titled(adminMessages.removeFailed, 'Erro ao remover aprovação'),
  delete: titled(adminMessages.deleteFailed, 'Erro ao excluir usuários'),
  'report setting': titled(
    reportSettingMessages.saveFailed('Vendas'),
    'Erro ao salvar configuração do Power BI para Vendas',
  ),
  inbox: titled(inboxMessages.loadFailed, 'Erro ao carregar mensagens'),
  read: titled(inboxMessages.readFailed, 'Erro ao marcar como lida'),
  'delete message': titled(inboxMessages.deleteFailed, 'Erro ao excluir mensagem'),
}

describe('the toast of a failed request has the specified texts', () => {
  it.each(Object.entries(ROWS))('%s', async (_, [explain, shown]) => {
    const { refused, unexplained, cut } = shown
    const expected = { refused, empty: unexplained, html: unexplained, cut }
    for (const [kind, answer] of Object.entries(answers)) {
      const { title, description } = explain(await answer())
      const found = description === undefined ? [title] : [title, description]
      expect([kind, ...found]).toEqual([kind, ...expected[kind as keyof typeof answers]])
    }
  })
})

it.each([
  [sessionMessages.inactivityWarning, 'Sua sessão expirará em 2 minutos devido à inatividade.'],
  [sessionMessages.inactivitySignOut, 'Sessão expirada devido à inatividade. Faça login novamente.'],
  [sessionMessages.signedOut, 'Você saiu com sucesso'],
  [sessionMessages.signOutFailed, 'Erro ao sair'],
  [signInMessages.humanCheckRequired, 'Por favor, complete a verificação reCAPTCHA'],
  [signInMessages.humanCheckFailed, 'Falha na verificação reCAPTCHA'],
  [signInMessages.passwordRequired, 'Senha é obrigatória'],
  [passwordMessages.validation, 'Erro de validação'],
  [adminMessages.typesLoadFailed, 'Erro ao carregar tipos de usuário'],
  [adminMessages.scopeLoadFailed, 'Erro ao carregar marcas e estados'],
  [adminMessages.deleteFailedFor(2), 'Erro ao excluir 2 usuário(s)'],
  [adminMessages.bulkNothing, 'Selecione pelo menos um item para alterar'],
  [adminMessages.deleteNothing, 'Nenhum usuário selecionado'],
  [adminMessages.sessionExpired, 'Sessão expirada'],
])('a text is as specified: %s', (text, specified) => expect(text).toBe(specified))
