// A person's own data as a page to read; loaded when it is asked for.
import { ACCESS_ACTIONS, AUDIT_ACTIONS, type TrailAction } from './audit-actions.ts'
import { formatMethod, formatRefusal, formatState, nameAction } from './describe-change.ts'
import { MAIL_NAMES } from './mail-names.ts'
import { escapeHtml } from './portal.ts'
import { toOneLine } from './text-rules.ts'
import type { Profile } from './users.ts'

type Row = Readonly<Record<string, unknown>>

/** The Portuguese names of all sections and fields of the export. */
export const OWN_DATA_LABELS: Readonly<Record<string, string> & Record<keyof Profile, string>> = {
  // Sections
  exported_at: 'Baixado em',
  profile: 'Sua conta',
  access_requests: 'Seus pedidos de acesso',
  invitations: 'Convites para o seu e-mail',
  sessions: 'Sessões abertas',
  factors: 'Segunda etapa',
  recovery_codes: 'Códigos de recuperação',
  microsoft_account: 'Conta da Microsoft',
  second_factor_required: 'Segunda etapa exigida',
  known_browsers: 'Navegadores em que você já entrou',
  passwords: 'Trocas de senha',
  waiting_links: 'Links enviados por e-mail que ainda valem',
  access_records: 'Entradas e relatórios',
  use_in_open_periods: 'Uso nos períodos em andamento',
  usage_mail: 'Resumo mensal do uso',
  failed_sign_ins: 'Entradas recusadas',
  reports_viewed_as_the_person: 'Relatórios que a administração viu como você',
  changes_to_the_person: 'Mudanças na sua conta e no seu acesso',
  acts_of_the_person: 'O que você fez',
  report_views: 'Visões salvas',
  report_subscriptions: 'Relatórios por e-mail',
  views_opened: 'Visões abertas',
  notices_closed: 'Avisos fechados',
  access_reviews: 'Revisões que você fez',
  reviews_of_the_person: 'Revisões do seu acesso',
  messages_handled: 'Mensagens que você tratou',
  report_exports: 'Exportações pedidas',
  mails: 'E-mails do portal para você',
  support_messages: 'Suas mensagens de contato',
  suspect_messages: 'Suas mensagens que pareceram automáticas',
  // Fields
  id: 'Identificador',
  user_id: 'Identificador da conta',
  email: 'E-mail',
  full_name: 'Nome',
  name: 'Nome',
  approved: 'Aprovada',
  email_verified_at: 'E-mail confirmado em',
  created_at: 'Criado em',
  role: 'Papel',
  last_sign_in_at: 'Último acesso',
  types: 'Tipos',
  marcas: 'Marcas',
  estados: 'Estados',
  valid_until: 'Válido até',
  workplace: 'Onde trabalha',
  note: 'Observação',
  requested_at: 'Pedido em',
  refused_at: 'Recusado em',
  refusal: 'Motivo da recusa',
  invited_at: 'Convidado em',
  kind: 'Tipo',
  aal: 'Etapas da entrada',
  refreshed_at: 'Renovada em',
  authenticated_at: 'Entrada em',
  ip: 'Endereço de rede',
  user_agent: 'Navegador',
  factor_type: 'Tipo',
  friendly_name: 'Nome',
  verified_at: 'Confirmada em',
  last_used_at: 'Usada em',
  used_at: 'Usado em',
  tenant_id: 'Organização',
  object_id: 'Identificador na Microsoft',
  linked_at: 'Ligada em',
  groups: 'Grupos',
  groups_at: 'Lidos em',
  missing_claims: 'O que a Microsoft não informou',
  required_since: 'Exigida desde',
  invited_until: 'Convidada até',
  seen_at: 'Visto em',
  changed_at: 'Trocada em',
  purpose: 'Para quê',
  expires_at: 'Vale até',
  at: 'Quando',
  action: 'O que aconteceu',
  report_id: 'Relatório',
  method: 'Como',
  period: 'Período',
  starts_on: 'Começa em',
  openings: 'Aberturas',
  hour: 'Hora',
  outcome: 'Resultado',
  attempts: 'Tentativas',
  before: 'Antes',
  after: 'Depois',
  type: 'Área',
  state: 'O que foi escolhido',
  is_default: 'Abre primeiro',
  shared: 'Compartilhada',
  updated_at: 'Mudada em',
  deleted_at: 'Excluída em',
  view_id: 'Visão',
  format: 'Formato',
  every: 'A cada',
  weekday: 'Dia da semana',
  day: 'Dia',
  next_run_at: 'Próximo envio',
  last_sent_at: 'Último envio',
  failure: 'Falha',
  opened_at: 'Aberta em',
  text: 'Texto',
  closed_at: 'Fechado em',
  code: 'Código',
  reviewed_at: 'Revisado em',
  kept: 'Mantidos',
  removed: 'Retirado',
  handled_at: 'Tratada em',
  answered: 'Respondida',
  input: 'O que foi pedido',
  status: 'Situação',
  sent_at: 'Enviado em',
  phone: 'Celular',
  message: 'Mensagem',
  is_read: 'Lida',
}

const VALUES: Readonly<Record<string, string>> = {
  password: 'senha',
  passkey: 'chave de acesso',
  microsoft: 'Microsoft',
  day: 'dia',
  week: 'semana',
  month: 'mês',
  admin: 'administração',
  user: 'pessoa',
  totp: 'aplicativo de códigos',
  webauthn: 'chave de acesso',
  full: 'completa',
  aal1: 'uma',
  aal2: 'duas',
  ...MAIL_NAMES,
  signup: 'confirmar o e-mail',
  factor: 'confirmar que é você',
  'disown-account': 'dizer que não foi você',
  'disown-change': 'dizer que não foi você',
  'disown-factor': 'dizer que não foi você',
  types: 'tipos',
  marcas: 'marcas',
  estados: 'estados',
  queued: 'na fila',
  running: 'em andamento',
  done: 'pronto',
  failed: 'falhou',
}

const ACTIONS: ReadonlySet<string> = new Set([...AUDIT_ACTIONS, ...ACCESS_ACTIONS])
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/** Formats the export of the own data as a page that opens anywhere, the rows of a section as a table. */
export function formatOwnData({ exported_at, profile, ...sections }: Row, groupName: string): string {
  const title = `Meus dados no portal ${groupName}`
  const parts = [
    writeSection('profile', toRows(profile)),
    ...Object.entries(sections).map(([name, rows]) => writeSection(name, toRows(rows))),
  ]
  return `<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1f2933}
section{overflow-x:auto}table{border-collapse:collapse;font-size:13px}h2{font-size:1.1rem;margin-top:2rem}
th,td{border:1px solid #d5dbe1;padding:.3rem .6rem;text-align:left;vertical-align:top}th{background:#f4f6f8}
</style><h1>${escapeHtml(title)}</h1>
<p>Tudo o que o portal guarda sobre você, menos senhas e códigos. Baixado em ${escapeHtml(formatCell('', exported_at))}, horário de Brasília.</p>
${parts.join('\n')}</html>`
}

const toRows = (value: unknown): Row[] => (Array.isArray(value) ? value : value ? [value as Row] : [])
const label = (name: string) => escapeHtml(OWN_DATA_LABELS[name] ?? name)

function writeSection(name: string, rows: readonly Row[]): string {
  const heading = `<h2>${label(name)}</h2>`
  const [first, second] = rows
  if (!first) return `<section>${heading}<p>Nada guardado.</p></section>`
  const fields = Object.keys(first)
  const cell = (row: Row, field: string) => `<td>${escapeHtml(toOneLine(formatCell(field, row[field])))}</td>`
  const lines = second
    ? [`<tr>${fields.map((field) => `<th scope="col">${label(field)}</th>`).join('')}</tr>`].concat(
        rows.map((row) => `<tr>${fields.map((field) => cell(row, field)).join('')}</tr>`),
      )
    : fields.map((field) => `<tr><th scope="row">${label(field)}</th>${cell(first, field)}</tr>`)
  return `<section>${heading}<table>${lines.join('\n')}</table></section>`
}

function formatCell(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'sim' : 'não'
  if (Array.isArray(value)) return value.map(String).join(', ') || 'nenhum'
  if (typeof value === 'object')
    return field === 'before' || field === 'after' ? formatState(value as Row) : JSON.stringify(value)
  const text = String(value)
  if (field === 'method') return formatMethod(value)
  if (field === 'outcome') return formatRefusal(value)
  if (field === 'action' && ACTIONS.has(text)) return nameAction(text as TrailAction)
  if (INSTANT.test(text)) {
    const options = { timeZone: 'America/Sao_Paulo', dateStyle: 'short', timeStyle: 'short' } as const
    return new Date(text).toLocaleString('pt-BR', options)
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text.split('-').reverse().join('/')
  return VALUES[text] ?? text
}
