import { signInMessages } from './account-forms.ts'
import { reportMessages } from './messages.ts'
import { passwordMessages } from './passwords.ts'
import { adminMessages } from './user-rules.ts'

/**
 * All problems: HTTP status, title, and the Portuguese message shown when the code that failed has no
 * more precise one.
 */
export const PROBLEMS = {
  'invalid-input': [400, 'Dados inválidos', 'Os dados enviados são inválidos. Confira e tente novamente.'],
  'malformed-json': [400, 'JSON malformado', 'O corpo do pedido não é um JSON válido.'],
  'human-check-required': [400, 'Verificação necessária', signInMessages.humanCheckRequired],
  'human-check-failed': [400, 'Verificação recusada', signInMessages.humanCheckFailed],
  'invalid-credentials': [400, 'Credenciais inválidas', signInMessages.failed],
  'factor-refused': [400, 'Segunda etapa recusada', 'A segunda etapa não foi aceita. Tente de novo.'],
  'invalid-refresh-token': [400, 'Sessão encerrada', 'Sua sessão terminou. Entre novamente.'],
  unauthenticated: [401, 'Não autenticado', 'Sua sessão terminou. Entre novamente.'],
  forbidden: [403, 'Acesso negado', adminMessages.accessDenied],
  'not-approved': [403, 'Conta pendente', reportMessages.pending],
  'access-ended': [
    403,
    'Acesso encerrado',
    'O prazo do seu acesso ao portal terminou. Peça a um administrador que o prorrogue.',
  ],
  'view-ended': [
    403,
    'Visualização encerrada',
    'Os 15 minutos desta visualização terminaram. Abra-a de novo para continuar.',
  ],
  'password-change-required': [403, 'Troca de senha necessária', 'Troque sua senha para continuar.'],
  'second-factor-required': [
    403,
    'Segunda etapa necessária',
    'Confirme a segunda etapa da entrada para continuar.',
  ],
  'factor-link-needed': [
    403,
    'Confirmação por e-mail necessária',
    'Antes de configurar a verificação em duas etapas, confirme por e-mail que é você.',
  ],
  'reauthentication-needed': [
    403,
    'Confirmação necessária',
    'Nada foi feito: confirme sua senha para continuar.',
  ],
  'invalid-link': [
    400,
    'Link inválido',
    'Este link já foi usado ou expirou. Peça um novo e-mail e use o link mais recente.',
  ],
  'no-scope': [403, 'Sem marcas ou estados', reportMessages.noScope],
  'export-refused': [403, 'Exportação recusada', 'Este relatório não pode ser exportado.'],
  'not-found': [404, 'Não encontrado', 'O endereço pedido não existe.'],
  'report-not-found': [404, 'Relatório não encontrado', 'Este relatório não está disponível para você.'],
  'method-not-allowed': [405, 'Método não permitido', 'Este endereço não aceita esse método.'],
  'request-timeout': [408, 'Pedido interrompido', 'O pedido não chegou inteiro a tempo. Tente novamente.'],
  conflict: [409, 'Conflito', 'Os dados mudaram nesse meio-tempo. Recarregue e tente novamente.'],
  'limit-reached': [409, 'Limite atingido', 'O limite foi atingido.'],
  'body-too-large': [413, 'Pedido grande demais', 'O pedido é maior do que o permitido.'],
  'unsupported-media-type': [415, 'Formato não aceito', 'Envie os dados como JSON.'],
  'misdirected-request': [421, 'Endereço não atendido', 'Abra o portal pelo endereço configurado.'],
  'headers-too-large': [
    431,
    'Cabeçalho grande demais',
    'O cabeçalho do pedido é maior do que o permitido. Apague os cookies deste site e tente de novo.',
  ],
  'password-rejected': [422, 'Senha rejeitada', passwordMessages.rejected],
  'idempotency-key-reused': [
    422,
    'Chave de outro pedido',
    'Este pedido veio com a chave de um outro. Recarregue a página e tente novamente.',
  ],
  'rate-limited': [429, 'Muitas tentativas', 'Muitas tentativas. Aguarde um pouco e tente novamente.'],
  internal: [500, 'Erro interno', 'Algo deu errado do nosso lado. Tente novamente em instantes.'],
  'power-bi-rejected': [
    502,
    'Power BI recusou o pedido',
    'O Power BI recusou este relatório. Avise o administrador do portal.',
  ],
  'power-bi-unavailable': [
    503,
    'Power BI indisponível',
    'O Power BI não respondeu. Tente novamente em instantes.',
  ],
  'capacity-paused': [
    503,
    'Capacidade pausada',
    'A capacidade do Power BI deste espaço de trabalho está pausada. O relatório volta quando ela for retomada.',
  ],
  'human-check-unavailable': [
    503,
    'Verificação indisponível',
    'Não foi possível conferir a verificação agora. Tente novamente em instantes.',
  ],
  'database-unavailable': [
    503,
    'Portal indisponível',
    'O portal está temporariamente indisponível. Tente novamente em instantes.',
  ],
  'shutting-down': [
    503,
    'Portal sendo encerrado',
    'O portal está sendo encerrado. Tente novamente em instantes.',
  ],
  'too-busy': [503, 'Portal ocupado', 'Há muitas pessoas entrando agora. Tente novamente em instantes.'],
} as const satisfies Record<string, readonly [status: number, title: string, detail: string]>

export type ProblemCode = keyof typeof PROBLEMS

/** An invalid field: its path in the input ('email', 'marcas.0') and a message shown next to it. */
export interface FieldProblem {
  path: string
  message: string
}

/** Body of every failed reply, RFC 9457 problem details. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: ProblemCode
  requestId: string
  fields?: FieldProblem[]
}
