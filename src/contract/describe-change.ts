import type { HistoryEntry, TrailAction } from './audit-actions.ts'
import { LISTS, type ListName } from './entitlement-lists.ts'
import { formatList } from './format-list.ts'
import { formatReportTitle } from './messages.ts'
import { MICROSOFT_REFUSALS } from './microsoft.ts'
import type { EmbedMode } from './reports.ts'
import { toOneLine } from './text-rules.ts'
import type { ProfileFilter } from './users.ts'

type State = Readonly<Record<string, unknown>>

/** Who did what, and the differences or the reason: ['carla@… mudou os tipos', '+ CRM, − Vendas']. */
type Description = string | readonly [event: string, detail: string]
type Describe = (change: { who: string; before: State; after: State; at?: string }) => Description

const ROLES: Record<string, string> = { admin: 'administrador', user: 'usuário' }
const LOSSES: Record<string, string> = {
  expired: 'já tinha vencido',
  withdrawn: 'já tinha sido retirado',
  approved: 'a conta já tinha sido aprovada uma vez',
  decided: 'o acesso foi alterado depois dele',
}
const FILES: Record<string, string> = {
  usage: 'os números do uso, com quem não vem',
  'person-access': 'o que a pessoa pode ver',
  review: 'a lista de uma revisão de acessos em andamento',
  'past-review': 'o resultado de uma revisão de acessos',
}
const UNDONE: Record<string, string> = { false: 'a aprovação', true: 'a remoção da aprovação' }
/** By the last word of the outcome; the first may name another form, or Microsoft. */
const REFUSALS: Record<string, string> = {
  ...MICROSOFT_REFUSALS,
  'invalid-credentials': 'e-mail ou senha não conferem',
  'wrong-code': 'o código da segunda etapa não confere',
  'code-used': 'o código da segunda etapa já tinha sido usado',
  'clock-off': 'o relógio do aparelho de códigos está errado',
  'recovery-code-wrong': 'o código de recuperação não confere',
  'challenge-ended': 'o pedido da segunda etapa venceu',
  'passkey-unknown': 'a chave de acesso não é de nenhuma conta',
  'passkey-origin': 'a chave de acesso respondeu a outro endereço',
  'passkey-replayed': 'uma resposta de chave de acesso foi repetida',
  'passkey-counter': 'o contador da chave de acesso voltou, como o de uma cópia',
  'passkey-refused': 'a resposta da chave de acesso não confere',
  'rate-limited': 'tentativas demais em pouco tempo',
  'human-check-required': 'sem a verificação humana',
  'human-check-failed': 'verificação humana sem sucesso',
}
/** The steps of a sign-in. */
const METHODS: Record<string, string> = {
  password: 'a senha',
  microsoft: 'a conta Microsoft',
  mfa: 'a segunda etapa da Microsoft',
  passkey: 'uma chave de acesso',
  webauthn: 'uma chave de acesso',
  totp: 'um código do aplicativo',
  'mfa/recovery_code': 'um código de recuperação',
}
const LIST_ARTICLES = { types: 'os', marcas: 'as', estados: 'os' }

const describeBulkEdit =
  (verb: string): Describe =>
  ({ who, before, after }) => [`${who} ${verb}`, joinDifferences(diffLists(before, after))]

/** Describes a bulk edit: 'Carla liberou CRM e RJ (em massa)'. */
const describeMassEdit =
  (verb: string): Describe =>
  ({ who, before, after }) => {
    const items = LISTS.flatMap((name) => {
      const [had, has] = [getList(before, name), getList(after, name)]
      return [...has.filter((item) => !had.includes(item)), ...had.filter((item) => !has.includes(item))]
    })
    return `${who} ${verb} ${formatList(items) || 'acesso'} (em massa)`
  }

/** Describes replaced lists: one is named before the colon, several each with their differences. */
const describeReplacement =
  (whenUnchanged: string): Describe =>
  ({ who, before, after }) => {
    const differences = diffLists(before, after)
    const [only, another] = differences
    if (!only) return `${who} ${whenUnchanged}`
    const named = differences.map(({ name }) => `${LIST_ARTICLES[name]} ${LIST_NAMES[name]}`)
    return [`${who} mudou ${formatList(named)}`, another ? joinDifferences(differences) : only.difference]
  }

const DESCRIPTIONS: Record<TrailAction, Describe> = {
  'sign-in': ({ who, after }) =>
    `${who} entrou no portal${after.method ? ` com ${formatMethod(after.method)}` : ''}`,
  'first-step': ({ who, after }) => [
    `${who} passou da primeira etapa da entrada, e faltava a segunda`,
    formatMethod(after.method),
  ],
  'report-shown': ({ who, after }) => `${who} abriu o relatório${toArea(after, 'de')}`,
  report: ({ who, after }) => {
    const reader = who === 'Você' ? 'você' : who
    const report = `O portal preparou o relatório${toArea(after, 'de')}${reader && ` para ${reader}`}`
    return after.viewed_as ? `${report} como a pessoa o vê` : report
  },
  'sign-in-refused': ({ after, at }) => [
    (after.attempts === 1
      ? 'O portal recusou uma entrada'
      : `O portal recusou entradas${after.attempts ? ` (${after.attempts})` : ''}`) + formatHour(at),
    formatRefusal(after.outcome),
  ],
  'session-reuse': () => [
    'O portal encerrou uma sessão',
    'um código de acesso já trocado foi usado de novo, talvez por outra pessoa',
  ],
  'account-created': () => 'A conta foi criada',
  'access-requested': ({ after }) => [
    'A pessoa pediu acesso',
    LISTS.flatMap((name) => getList(after, name)).join(', '),
  ],
  'access-granted': ({ who, before, after }) => [
    `${who} liberou o que a pessoa pediu`,
    [joinDifferences(diffLists(before, after)), quoteReason(after)].filter(Boolean).join('; '),
  ],
  'access-refused': ({ who, before, after }) => [
    `${who} recusou o pedido de acesso`,
    [LISTS.flatMap((name) => getList(before, name)).join(', '), quoteReason(after)]
      .filter(Boolean)
      .join('; '),
  ],
  'microsoft-refused': ({ after }) => [
    'Uma entrada com a Microsoft foi recusada',
    [after.detail, after.code].filter((text) => typeof text === 'string').join(' '),
  ],
  'microsoft-linked': () => 'Uma conta Microsoft foi ligada à conta',
  'microsoft-unlinked': ({ who }) => `${who} desligou a conta Microsoft`,
  'microsoft-disabled': () => [
    'O portal encerrou as sessões da pessoa',
    'a conta dela foi desativada na Microsoft',
  ],
  'group-mappings-set': ({ who }) => `${who} mudou os modelos dos grupos do diretório`,
  'sign-up-repeated': () => 'Houve um novo pedido de cadastro com este e-mail',
  'account-disowned': () => 'O cadastro foi removido por quem recebeu o e-mail (“não fui eu”)',
  'email-verified': () => 'O e-mail foi confirmado pelo link de verificação',
  'password-changed': () => 'A senha foi alterada pela própria pessoa',
  'password-reset': () => 'A senha foi redefinida pelo link enviado por e-mail',
  'password-disowned': () =>
    'A pessoa avisou que não foi ela quem trocou a senha (“não fui eu”); as sessões foram encerradas',
  'password-revoked': () => 'A senha de antes de uma restauração do banco de dados deixou de valer',
  'sessions-ended': ({ who, after }) =>
    `${who} encerrou ${after.count === 1 ? 'uma sessão' : 'sessões abertas'}`,
  'reset-link-sent': ({ who }) => `${who} enviou um link para criar uma senha nova`,
  'account-unlocked': ({ who }) => `${who} desbloqueou a entrada`,
  'verification-resent': ({ who }) => `${who} reenviou a confirmação do e-mail`,
  reauthenticated: () => 'A pessoa confirmou que é ela durante uma sessão',
  'reset-link-printed': () => 'Um link para redefinir a senha foi emitido no servidor',
  'role-changed': ({ before, after }) =>
    before.role || after.role
      ? `O papel mudou de ${formatRole(before)} para ${formatRole(after)}`
      : 'O papel mudou',
  'builtin-admin-failures': ({ after }) =>
    `Várias tentativas de entrada na conta de administração falharam${typeof after.failures === 'number' ? ` (${after.failures})` : ''}`,
  'approval-given': ({ who, before, after }) => [
    `${who} aprovou a conta`,
    joinDifferences(diffLists(before, after)),
  ],
  'approval-removed': ({ who }) => `${who} removeu a aprovação`,
  'access-revoked': ({ before, after }) => [
    'O acesso foi reduzido de novo, depois de uma restauração do banco de dados',
    [after.approved === false && 'sem aprovação', joinDifferences(diffLists(before, after))]
      .filter(Boolean)
      .join('; '),
  ],
  'validity-set': ({ who }) => `${who} mudou a validade do acesso`,
  'name-corrected': ({ who, before, after }) => [
    `${who} corrigiu o nome`,
    [before.full_name, after.full_name].filter(Boolean).join(' → '),
  ],
  'types-set': describeReplacement('salvou os tipos sem mudança'),
  'scope-set': describeReplacement('salvou as marcas e os estados sem mudança'),
  'access-set': describeReplacement('salvou o acesso sem mudança'),
  'entitlements-added': describeMassEdit('liberou'),
  'entitlements-removed': describeMassEdit('retirou'),
  'bulk-edit-undone': (change) => {
    const other = 'full_name' in change.after ? 'a correção do nome' : 'uma alteração'
    return describeBulkEdit(`desfez ${UNDONE[String(change.after.approved)] ?? other}`)(change)
  },
  'user-deleted': ({ who }) => `${who} excluiu a conta`,
  'viewed-as': ({ who }) => `${who} viu o portal como a pessoa o vê`,
  'data-exported': ({ who, after }) =>
    after.own ? `${who} baixou os próprios dados` : `${who} exportou os dados da pessoa`,
  'factor-added': ({ after }) => `A pessoa cadastrou a segunda etapa ${quoteName(after)}`,
  'factor-renamed': ({ who, before, after }) => [
    `${who} mudou o nome de uma segunda etapa`,
    [quoteName(before), quoteName(after)].filter(Boolean).join(' → '),
  ],
  'factor-removed': ({ who, before }) => `${who} removeu a segunda etapa ${quoteName(before)}`,
  'factor-reset': ({ who }) => `${who} removeu a verificação em duas etapas`,
  'factor-disowned': () =>
    'A pessoa disse que não cadastrou a segunda etapa nova, que foi removida com a senha e as sessões',
  'recovery-codes-created': () => 'A pessoa criou códigos de recuperação',
  'recovery-codes-removed': ({ who }) => `${who} removeu os códigos de recuperação`,
  'recovery-code-used': () => 'A pessoa entrou com um código de recuperação, e as outras sessões terminaram',
  'catalogue-item-added': ({ who, after }) => `${who} incluiu ${formatItem(after)} nas listas`,
  'catalogue-item-changed': ({ who, after }) => `${who} mudou ${formatItem(after)} nas listas`,
  'catalogue-item-removed': ({ who, before }) => `${who} excluiu ${formatItem(before)} das listas`,
  'catalogue-ordered': ({ who }) => `${who} mudou a ordem das listas`,
  'access-template-added': ({ who, after }) => `${who} criou o modelo de acesso ${quoteName(after)}`,
  'access-template-changed': ({ who, before, after }) => [
    `${who} mudou o modelo de acesso ${quoteName(after)}`,
    joinDifferences(diffLists(before, after)),
  ],
  'access-template-removed': ({ who, before }) => `${who} excluiu o modelo de acesso ${quoteName(before)}`,
  'invitation-sent': ({ who, after }) => [
    `${who} convidou${formatAddressee(after)}`,
    joinDifferences(diffLists({}, after)),
  ],
  'invitation-resent': ({ who, after }) => `${who} enviou de novo o convite${formatAddressee(after, 'de')}`,
  'invitation-changed': ({ who, before, after }) => [
    `${who} mudou o convite${formatAddressee(after, 'de')}`,
    joinDifferences(diffLists(before, after)),
  ],
  'invitation-withdrawn': ({ who, before }) => `${who} retirou o convite${formatAddressee(before, 'de')}`,
  'invitation-accepted': ({ before, after }) => [
    `A pessoa aceitou o convite${formatAddressee({ email: after.invited_by }, 'de')} e criou a senha`,
    joinDifferences(diffLists(before, after)),
  ],
  'invitation-lost': ({ before, after }) => [
    `O convite${formatAddressee(before, 'de')} perdeu o efeito`,
    LOSSES[String(after.reason)] ?? '',
  ],
  'list-exported': ({ who }) => `${who} exportou a lista de usuários`,
  'trail-exported': ({ who }) => `${who} exportou a trilha de auditoria`,
  'access-exported': ({ who, after }) =>
    after.type === undefined && who
      ? `${who} exportou o que a pessoa pode ver`
      : `${who} exportou quem vê a área${toArea(after, 'de')}`,
  'file-downloaded': ({ who, after }) => `${who} baixou ${FILES[String(after.what)] ?? 'uma lista da tela'}`,
  'access-reviewed': ({ who, after }) => `${who} revisou quem tem ${formatItem(after)}`,
  'access-review-removed': describeBulkEdit('removeu em uma revisão de acessos'),
  'report-setting-saved': ({ who, before, after }) => [
    `${who} salvou a configuração do Power BI${toArea(after)}`,
    diffFields(before, after),
  ],
  'report-setting-removed': ({ who, before }) => `${who} removeu a configuração do Power BI${toArea(before)}`,
  'report-exported': ({ who, after }) =>
    `${who} exportou o relatório${toArea(after, 'de')}${toFormat(after)}`,
  'export-downloaded': ({ who, after }) =>
    `${who} baixou o relatório exportado${toArea(after, 'de')}${toFormat(after)}`,
  'report-mailed': ({ after }) =>
    `O portal enviou por e-mail o relatório${toArea(after, 'de')}${toFormat(after)}`,
  'report-mail-stopped': ({ who, after }) =>
    `${who} parou de receber por e-mail o relatório${toArea(after, 'de')}${toFormat(after)}`,
  'report-refresh-requested': ({ who, after }) =>
    `${who} pediu a atualização dos dados${toArea(after, 'de')}`,
  'message-read': ({ who }) => `${who} marcou uma mensagem de suporte como lida`,
  'message-answered': ({ who }) => `${who} respondeu a uma mensagem de suporte`,
  'message-unread': ({ who }) => `${who} marcou uma mensagem de suporte como não lida`,
  'messages-read': ({ who, after }) =>
    `${who} marcou mensagens de suporte como lidas${after.count ? `: ${after.count}` : ''}`,
  'messages-unread': ({ who, after }) =>
    `${who} marcou mensagens de suporte como não lidas${after.count ? `: ${after.count}` : ''}`,
  'message-deleted': ({ who }) => `${who} excluiu uma mensagem de suporte`,
  'message-accepted': ({ who }) => `${who} moveu uma mensagem suspeita para a entrada`,
  'notice-added': ({ who, after }) => `${who} incluiu um aviso${quoteText(after)}`,
  'notice-changed': ({ who, after }) =>
    `${who} ${after.ended ? 'encerrou' : 'mudou'} um aviso${quoteText(after)}`,
  'notice-removed': ({ who, before }) => `${who} excluiu um aviso${quoteText(before)}`,
  'trail-broken': ({ before }) => [
    'O fim da trilha foi retirado ou alterado no banco de dados',
    typeof before.position === 'number' ? `o selo ${before.position}, já enviado, não é mais o mesmo` : '',
  ],
  'database-restored': ({ who, after }) =>
    `${who} restaurou uma cópia do banco de dados${typeof after.copied_at === 'string' ? `, de ${formatValue(after.copied_at)}` : ''}`,
}

type Change = Omit<HistoryEntry, 'id' | 'at'> & {
  at?: string
  ip?: string | null
  user_agent?: string | null
}

/** Names who has no account: the portal, or a person who used a command at the server. */
export function nameNobody({ ip, user_agent }: Pick<Change, 'ip' | 'user_agent'>): string {
  if (ip !== 'terminal') return 'O portal'
  // 'npm run admin (ana)', for who used sudo.
  return `Quem opera o servidor${/ \(.+\)$/.exec(user_agent ?? '')?.[0] ?? ''}`
}

/**
 * Formats an audit entry as a sentence: 'carla@… mudou os tipos às 14:32: + CRM, − Vendas'.
 * @param reader e-mail of the reader, who is called 'Você'
 */
export function describeChange(entry: Change, reader?: string, time?: string): string {
  const write = Object.hasOwn(DESCRIPTIONS, entry.action) && DESCRIPTIONS[entry.action as TrailAction]
  if (!write) return `Alteração registrada: ${entry.action}`
  const nobody = entry.actor_id === null ? nameNobody(entry) : 'Alguém cuja conta foi excluída'
  const who = entry.actor_email === null ? nobody : entry.actor_email === reader ? 'Você' : entry.actor_email
  const description = write({
    who,
    before: entry.before ?? {},
    after: entry.after ?? {},
    ...(entry.at && { at: entry.at }),
  })
  const [event, differences] = typeof description === 'string' ? [description] : description
  const { valid_until } = entry.after ?? {}
  const validity = valid_until !== undefined && formatValidity(valid_until)
  const detail = [differences, describeTemplates(entry.after?.templates), validity].filter(Boolean).join('; ')
  return toOneLine((time ? `${event} ${time}` : event) + (detail ? `: ${detail}` : ''))
}

/** Names a kind of entry, without who did it: 'Aprovou a conta'. */
export function nameAction(action: TrailAction): string {
  const sentence = describeChange({ action, actor_email: '', before: null, after: null }).trim()
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

/** The filters of people, as the entry of an exported list has them. */
const FILTERS: Record<Exclude<keyof ProfileFilter, 'q'>, string> = {
  approved: 'aprovação',
  verified: 'e-mail verificado',
  waiting: 'aguardando aprovação',
  requesting: 'pedindo mais acesso',
  type: 'área',
  marca: 'marca',
  estado: 'estado',
  template: 'igual ao modelo',
  lastAccess: 'último acesso',
  reports: 'relatórios',
  allOf: 'tem toda a lista',
  validity: 'prazo',
  admin: 'administrador',
  secondFactor: 'segunda etapa',
}
/** The values that are words of the API. */
const FILTER_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lastAccess: { recent: 'recente', idle: 'há muito tempo', never: 'nunca' },
  reports: { none: 'nenhum', all: 'todos' },
  validity: { ending: 'perto do fim', ended: 'encerrado' },
  embed_mode: { secure_sso: 'URL Direta (SSO)', service_principal: 'Service Principal' },
} satisfies {
  [Name in 'lastAccess' | 'reports' | 'validity']: Record<NonNullable<ProfileFilter[Name]>, string>
} & { embed_mode: Record<EmbedMode, string> }

const FIELDS: Record<string, string> = {
  ...FILTERS,
  searched: 'com busca',
  types: 'tipos',
  marcas: 'marcas',
  estados: 'estados',
  role: 'papel',
  valid_until: 'válido até',
  full_name: 'nome',
  name: 'nome',
  label: 'nome',
  code: 'código',
  kind: 'lista',
  position: 'posição',
  archived: 'arquivado',
  exports: 'exportação',
  embed_mode: 'modo',
  report_url: 'URL',
  workspace_id: 'workspace',
  report_id: 'relatório',
  dataset_id: 'conjunto de dados',
  page_name: 'página',
  bookmark_name: 'indicador',
  format: 'formato',
  reason: 'motivo',
  count: 'quantidade',
  people: 'pessoas',
  email: 'e-mail',
  invited_by: 'convite de',
  attempts: 'tentativas',
  ips: 'IPs',
  outcome: 'resultado',
  viewed_as: 'ver como',
  failures: 'falhas',
  is_read: 'lida',
  last_at: 'última',
  id: 'identificador',
  ids: 'identificadores',
  method: 'entrada com',
  what: 'arquivo',
  item: 'item',
  created_at: 'cadastro',
  area: 'área',
  action: 'ato',
  actor: 'quem',
  person: 'pessoa',
  from: 'desde',
  to: 'até',
  templates: 'modelos',
  text: 'texto',
  severity: 'gravidade',
  on_login: 'na entrada',
  starts_at: 'começa',
  ends_at: 'termina',
  ended: 'encerrado',
  areas: 'áreas',
  is_draft: 'rascunho',
  trail: 'corrente',
  hash: 'selo',
  receiver: 'receptor',
  copied_at: 'cópia de',
  audit: 'selos da trilha',
  access: 'selos dos acessos',
}

/** Formats what an entry has as before or after: 'tipos: CRM, HPD; aprovação: sim'. */
export function formatState(state: State | null): string {
  const parts = Object.entries(state ?? {}).map(
    ([name, value]) => `${FIELDS[name] ?? name}: ${formatField(name, value)}`,
  )
  return toOneLine(parts.join('; '))
}

function formatField(name: string, value: unknown): string {
  const format = name === 'outcome' ? formatRefusal : name === 'method' ? formatMethod : formatValue
  return FILTER_VALUES[name]?.[String(value)] ?? format(value)
}

/** Lists the fields of a report that a change set, from what to what: 'página: nenhum → ReportSection'. */
function diffFields(before: State, after: State): string {
  // The first setting of an area replaces nothing.
  if (before.type === undefined) return ''
  return Object.keys({ ...before, ...after })
    .filter((name) => name !== 'id' && String(before[name] ?? null) !== String(after[name] ?? null))
    .map((name) => {
      const [from, to] = [before, after].map((state) => formatField(name, state[name] ?? null))
      return `${FIELDS[name] ?? name}: ${from} → ${to}`
    })
    .join('; ')
}

/** Formats the hour of an instant, in which refusals were counted: ' entre 14:00 e 15:00'. */
function formatHour(at: string | undefined): string {
  if (!at) return ''
  const hour = Math.floor(Date.parse(at) / 3_600_000)
  const hours = [hour, hour + 1].map((each) =>
    new Date(each * 3_600_000).toLocaleTimeString('pt-BR', {
      timeZone: 'America/Sao_Paulo',
      timeStyle: 'short',
    }),
  )
  return ` entre ${hours.join(' e ')}`
}

/** Formats how somebody signed in: 'password+totp' → 'a senha e um código do aplicativo'. */
export function formatMethod(method: unknown): string {
  const steps = typeof method === 'string' ? method.split('+').map((step) => METHODS[step] ?? step) : []
  return formatList(steps)
}

/** Says why a sign-in was refused. */
export function formatRefusal(outcome: unknown): string {
  return REFUSALS[String(outcome).replace(/^.* /, '')] ?? ''
}

function formatValue(value: unknown): string {
  if (value === null) return 'nenhum'
  // The filters of an exported list are texts.
  if (['true', 'false'].includes(String(value))) return String(value) === 'true' ? 'sim' : 'não'
  if (Array.isArray(value)) return value.map(String).join(', ') || 'nenhum'
  if (typeof value === 'object') return JSON.stringify(value)
  const [, day] = /^(\d{4}-\d{2}-\d{2})(T.*)?$/.exec(String(value)) ?? []
  return day ? day.split('-').reverse().join('/') : String(value)
}

/** Formats the end of an access: 'válido até 31/12/2026'. */
export function formatValidity(validUntil: unknown): string {
  return typeof validUntil === 'string'
    ? `válido até ${validUntil.split('-').reverse().join('/')}`
    : 'sem prazo'
}

function formatRole(state: State): string {
  return ROLES[String(state.role)] ?? 'desconhecido'
}

function formatItem({ label, code }: State): string {
  const name = label ?? code
  return typeof name === 'string' ? quote(name) : 'um item'
}

function formatAddressee({ email }: State, word = ''): string {
  return typeof email === 'string' ? ` ${[word, email].filter(Boolean).join(' ')}` : ''
}

/** Quotes what somebody wrote, which cannot end its own quotation. */
const quote = (text: unknown): string => `“${String(text).replace(/[“”]/g, '"')}”`

function quoteName({ name }: State): string {
  return typeof name === 'string' ? quote(name) : ''
}

function quoteText({ text }: State): string {
  return typeof text === 'string' ? `: ${quote(text)}` : ''
}

/** Names the templates whose lists a change gave: 'igual ao modelo “Gerente”'. */
export function describeTemplates(templates: unknown): string {
  if (!Array.isArray(templates) || templates.length === 0) return ''
  const names = formatList(templates.map(quote))
  return templates.length === 1 ? `igual ao modelo ${names}` : `igual aos modelos ${names}`
}

function quoteReason({ reason }: State): string {
  return typeof reason === 'string' ? `motivo: ${quote(reason)}` : ''
}

function toArea(state: State, word = 'para'): string {
  if (typeof state.type !== 'string') return ''
  // Only a further report of the area has a name.
  return ` ${word} ${formatReportTitle(state.type, typeof state.name === 'string' ? state.name : undefined)}`
}

function toFormat({ format }: State): string {
  return format === 'pptx' ? ' em PowerPoint' : format === 'pdf' ? ' em PDF' : ''
}

/** The Portuguese names of the lists, for use inside a sentence. */
export const LIST_NAMES = { types: 'tipos', marcas: 'marcas', estados: 'estados' } as const

/** Returns the lists that differ, each with its additions and removals: '+ CRM, + HPD, − Vendas'. */
export function diffLists(before: State, after: State): { name: ListName; difference: string }[] {
  return LISTS.map((name) => {
    const [had, has] = [getList(before, name), getList(after, name)]
    const came = has.filter((item) => !had.includes(item)).map((item) => `+ ${item}`)
    const went = had.filter((item) => !has.includes(item)).map((item) => `− ${item}`)
    return { name, difference: [...came, ...went].join(', ') }
  }).filter(({ difference }) => difference !== '')
}

/** Joins the differences in one line: 'tipos + CRM; marcas − FIAT'. */
export function joinDifferences(differences: ReturnType<typeof diffLists>): string {
  return differences.map(({ name, difference }) => `${LIST_NAMES[name]} ${difference}`).join('; ')
}

function getList(state: State, name: ListName): string[] {
  const list = state[name]
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}
