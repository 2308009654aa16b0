import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { emailSchema, signInMessages } from '#contract/account-forms.ts'
import type { Catalogue, CatalogueItem } from '#contract/catalogue.ts'
import { isFormula } from '#contract/csv.ts'
import {
  type Entitlements,
  foldText,
  type ListName,
  mapLists,
  NO_ENTITLEMENTS,
  sortItems,
  toKey,
} from '#contract/entitlement-lists.ts'
import {
  type InvitationResult,
  type InvitedLine,
  type InviteForm,
  invitationMessages,
  MAX_OPEN_INVITATIONS,
} from '#contract/invitations.ts'
import { adminMessages, hasPassed } from '#contract/user-rules.ts'
import { nameSchema } from '#contract/users.ts'
import { revokeUnverifiedAccess } from '#server/accounts/set-password.ts'
import { parseCompanyEmail } from '#server/accounts/sign-up.ts'
import { lockCatalogue, readCatalogue, rejectUnknownItems } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { formatDay } from '#server/mail/compose-mail.ts'
import type { MailKind } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { nameTemplates } from './entitlements.ts'
import { type ImportedLine, parseAddresses, parseImportFile, truncate } from './read-import.ts'

export interface InvitationContext extends Context {
  companyEmailDomain: string
  builtinAdminEmail: string | undefined
  consumeRateLimit: ConsumeRateLimit
}

/** Throttles the mails of one import, so that they do not delay mails that users wait for. */
const MAILS_PER_SECOND = 10

/** Returns the outcome of each line without writing or locking. @throws ProblemError for the whole form */
export async function previewInvitations(
  context: InvitationContext,
  form: InviteForm,
): Promise<InvitationResult> {
  checkEnd(context, form.valid_until)
  return summarize(await decideLines(context, await readCatalogue(context.db), form, false))
}

/**
 * Invites people by mail, all or nothing unless faulty lines are left out; the link grants the
 * entitlements. Verified people and administrators do not change, an unverified account loses its
 * password and sessions at once.
 * @throws ProblemError invalid-input for an unreadable file or faulty lines, conflict if changed
 */
export function invite(context: InvitationContext, form: InviteForm): Promise<InvitationResult> {
  return runIdempotent(context, async (db) => {
    const txContext = { ...context, db }
    const read = await decideLines(txContext, await lockCatalogue(db), form, true)
    const { lines, accounts } = read
    const decided = summarize(read)
    if (form.fingerprint !== undefined && form.fingerprint !== decided.fingerprint)
      throw createConflictError()
    if (!form.skipErrors) refuseErrors(lines)
    const invited = lines.filter(isInvited)
    const valid_until = checkEnd(context, form.valid_until)
    if (invited.length === 0) throw new ProblemError('invalid-input', { detail: invitationMessages.nobody })
    await writeInvitations(txContext, invited, valid_until)
    for (const { email, outcome } of invited) {
      const account = accounts.get(email)
      if (outcome === 'replaced' && account) await revokeUnverifiedAccess(db, account.user_id)
    }
    await queueInvitations(
      db,
      invited.map(({ email }) => email),
    )
    const entries = invited.map(({ email, types, marcas, estados }) => {
      const account = accounts.get(email)
      return {
        action: 'invitation-sent' as const,
        ...(account && { target: { user_id: account.user_id, email } }),
        after: { email, types, marcas, estados, ...(valid_until && { valid_until }) },
      }
    })
    await recordAudit(txContext, ...(await nameTemplates(db, entries)))
    return decided
  })
}

/** @returns the last day of the access, or null. @throws ProblemError invalid-input for a past day */
export function checkEnd({ clock }: Pick<Context, 'clock'>, day: string | null = null): string | null {
  if (day && hasPassed(day, clock())) throw toFieldError('valid_until', adminMessages.dayPassed)
  return day
}

const isInvited = ({ outcome }: InvitedLine) => outcome === 'invited' || outcome === 'replaced'
const createConflictError = () =>
  new ProblemError('conflict', { detail: invitationMessages.changedMeanwhile })

function summarize({ lines, encoding }: DecidedLines): InvitationResult {
  const identified = lines.map(({ line: _, message: __, ...rest }) => rest)
  const fingerprint = createHash('sha256').update(JSON.stringify(identified)).digest('base64url')
  return { lines, invited: lines.filter(isInvited).length, fingerprint, ...(encoding && { encoding }) }
}

function refuseErrors(lines: readonly InvitedLine[]): void {
  const faulty = lines.filter(({ outcome }) => outcome === 'error')
  const [first, another] = faulty
  if (!first) return
  const detail = another
    ? `${faulty.length} linhas têm erro; a primeira é a ${first.line}: ${first.message}`
    : `Linha ${first.line}: ${first.message}`
  throw new ProblemError('invalid-input', {
    detail: `${detail} Ninguém foi convidado.`,
    fields: faulty
      .slice(0, 20)
      .map(({ line, message }) => ({ path: `lines.${line}`, message: message ?? '' })),
  })
}

type DecidedLines = Pick<InvitationResult, 'lines' | 'encoding'>

interface Account {
  user_id: string
  email_verified_at: Date | null
  approved: boolean
  is_admin: boolean
}

/** @param lock whether to lock the accounts of these addresses until the transaction ends */
async function decideLines(
  context: InvitationContext,
  catalogue: Catalogue,
  form: InviteForm,
  lock: boolean,
): Promise<DecidedLines & { accounts: Map<string, Account> }> {
  const { lines: imported, encoding } = form.file
    ? await parseImportFile(Buffer.from(form.file, 'base64'))
    : { lines: parseAddresses(form.addresses ?? ''), encoding: undefined }
  rejectUnknownItems(catalogue, form.defaults, NO_ENTITLEMENTS, 'defaults.')
  const vocabulary = buildVocabulary(catalogue)
  const checked = imported.map((line) => checkLine(context, { catalogue, vocabulary, ...form }, line))
  const emails = [...new Set(checked.map(({ email }) => email))]
  const { db } = context
  const people = await db
    .selectFrom('profiles')
    .select(['user_id', 'email', 'email_verified_at', 'approved'])
    .select(
      sql<boolean>`exists (select from user_roles r where r.user_id = profiles.user_id and r.role = 'admin')`.as(
        'is_admin',
      ),
    )
    .where(sql<boolean>`email = any(${emails}::text[])`)
    .orderBy('user_id')
    .$if(lock, (query) => query.forUpdate())
    .execute()
  const accounts = new Map(people.map((person) => [person.email, person]))
  const invitations = await db
    .selectFrom('invitations')
    .select(['email', 'invited_at'])
    .where(sql<boolean>`email = any(${emails}::text[])`)
    .execute()
  const invitedAt = new Map(invitations.map(({ email, invited_at }) => [email, invited_at]))

  const firstLine = new Map<string, number>()
  const lines = checked.map((line): InvitedLine => {
    const { email } = line
    const before = firstLine.get(email)
    if (before === undefined) firstLine.set(email, line.line)
    if (line.outcome === 'error') return line
    const toOutcome = (outcome: InvitedLine['outcome'], message: string) => ({ ...line, outcome, message })
    if (before !== undefined)
      return toOutcome(
        'error',
        before === line.line
          ? 'Este e-mail está duas vezes nesta linha. Apague um dos dois.'
          : `Este e-mail já está na linha ${before}. Apague uma das duas.`,
      )
    const account = accounts.get(email)
    if (account?.is_admin) return toOutcome('unchanged', 'Já administra o portal: nada muda.')
    if (account?.email_verified_at && !account.approved)
      return {
        ...toOutcome('unchanged', 'Já tem conta e aguarda aprovação: não precisa de convite.'),
        waits: true,
      }
    if (account?.email_verified_at)
      return toOutcome('unchanged', 'Já tem conta confirmada: nada muda. Altere o acesso em Pessoas.')
    const sentAt = invitedAt.get(email)
    if (sentAt)
      return toOutcome(
        'unchanged',
        `Já tem um convite de ${formatDay(sentAt)}: nada muda. Na lista de convites, “Enviar de novo” ou “Retirar convite”.`,
      )
    return account
      ? toOutcome(
          'replaced',
          'Há uma conta que ninguém confirmou: ela perde a senha e as sessões, e vale o convite.',
        )
      : line
  })
  return { lines, accounts, encoding }
}

interface Offered {
  catalogue: Catalogue
  vocabulary: Vocabulary
  defaults: Entitlements
}

/** U+FFFD, '?' for a letter, and UTF-8 that was read as another encoding: 'JoÃ£o'. */
const LOST_LETTERS = /\ufffd|\p{L}\?|\?\p{L}|Ã[\u0080-\u00bf\u0152-\u2122]/u

/** Validates one line on its own. */
function checkLine(
  { companyEmailDomain, builtinAdminEmail }: InvitationContext,
  { catalogue, vocabulary, defaults }: Offered,
  { line, email: typed, name, hasMore, ...cells }: ImportedLine,
): InvitedLine {
  const faults: string[] = []
  const email = parseEmail(typed, companyEmailDomain, faults)
  if (email === builtinAdminEmail)
    faults.push('É o endereço do administrador da instalação, que cria a própria conta. Apague a linha.')
  const parsedName = name === '' ? undefined : nameSchema.safeParse(name)
  if (parsedName?.error) faults.push(`${parsedName.error.issues[0]?.message}. Corrija o nome.`)
  // A list of people is opened in spreadsheets, which would run it.
  else if (LOST_LETTERS.test(name))
    faults.push(
      'O nome perdeu letras em outro programa. Corrija o nome, ou salve o original como “CSV UTF-8”.',
    )
  else if (isFormula(name)) faults.push('O nome começa como uma fórmula. Corrija o nome.')
  if (hasMore)
    faults.push('Há mais colunas do que o cabeçalho. Ponha entre aspas o que tem vírgula ou ponto e vírgula.')
  const given = mapLists((list) => {
    const cell = cells[list]
    return sortItems(catalogue, list, cell ? parseCell(list, vocabulary[list], cell, faults) : defaults[list])
  })
  const isFaulty = faults.length > 0
  return {
    line,
    email: isFaulty ? truncate(email) : email,
    full_name: parsedName?.data ?? null,
    ...(isFaulty ? NO_ENTITLEMENTS : given),
    outcome: isFaulty ? 'error' : 'invited',
    message: isFaulty ? faults.slice(0, MAX_FAULTS).join(' ') : null,
  }
}

/** Returns the address in lower case, or as typed when it is invalid. */
function parseEmail(typed: string, domain: string, faults: string[]): string {
  if (typed === '') {
    faults.push('Falta o e-mail. Escreva-o ou apague a linha.')
    return typed
  }
  try {
    const parsed = emailSchema.safeParse(typed)
    if (parsed.success) return parseCompanyEmail(parsed.data, domain)
    faults.push(`${parsed.error.issues[0]?.message ?? signInMessages.emailInvalid}. Corrija o endereço.`)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    faults.push(`${error.message}. Corrija o endereço ou apague a linha.`)
  }
  return typed
}

const KINDS: Record<ListName, { one: string; all: string }> = {
  types: { one: 'A área', all: 'As áreas são' },
  marcas: { one: 'A marca', all: 'As marcas são' },
  estados: { one: 'O estado', all: 'Os estados são' },
}
const MAX_SUGGESTED = 12
/** Bounds the faults that one line lists. */
const MAX_FAULTS = 3

/** Parses a cell by code or name, ignoring accents and case: 'Vendas, CRM', 'fiat|GM'. */
function parseCell(list: ListName, items: Vocabulary[ListName], cell: string, faults: string[]): string[] {
  const find = (text: string) => items.exact.get(text) ?? items.folded.get(foldText(text))
  const parts = find(cell)
    ? [cell]
    : cell
        .split(/[,;|\n]/)
        .map((part) => part.trim())
        .filter(Boolean)
  return parts.flatMap((part) => {
    const item = find(part)
    if (item && !item.archived) return [toKey(list, item)]
    const fault = item
      ? `está no arquivo e não pode ser ${list === 'estados' ? 'dado' : 'dada'} a mais ninguém`
      : 'não existe'
    faults.push(`${KINDS[list].one} “${truncate(part)}” ${fault}. ${KINDS[list].all}: ${items.offered}.`)
    return []
  })
}

/** Indexes each list's items by their spellings; `offered` is the text of the ones not archived. */
type Vocabulary = Record<
  ListName,
  { exact: Map<string, CatalogueItem>; folded: Map<string, CatalogueItem>; offered: string }
>

function buildVocabulary(catalogue: Catalogue): Vocabulary {
  return mapLists((list) => {
    const items = catalogue[list]
    const offered = items.filter(({ archived }) => !archived).map((item) => toKey(list, item))
    const some = offered.length > MAX_SUGGESTED ? [...offered.slice(0, MAX_SUGGESTED), '…'] : offered
    return {
      exact: new Map(items.map((item) => [toKey(list, item), item])),
      // Codes come last: they win over equal names.
      folded: new Map([
        ...items.map((item) => [foldText(item.label), item] as const),
        ...items.map((item) => [foldText(item.code), item] as const),
      ]),
      offered: some.join(', '),
    }
  })
}

/** Inserts in sorted order, so that two concurrent imports of the same people do not deadlock. */
async function writeInvitations(
  { db, clock, actor }: Context,
  invited: readonly InvitedLine[],
  validUntil: string | null,
): Promise<void> {
  const rows = invited
    .map(({ email, full_name, types, marcas, estados }) => ({ email, full_name, types, marcas, estados }))
    .toSorted((one, other) => (one.email < other.email ? -1 : 1))
  const { rows: added } = await sql<{ total: string }>`
    with added as (
      insert into invitations (email, full_name, types, marcas, estados, invited_by, invited_at, valid_until)
      select email, full_name, types, marcas, estados, ${actor.profile.user_id}::uuid,
        ${new Date(clock())}::timestamptz, ${validUntil}::date
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(email text, full_name text, types text[], marcas text[], estados text[])
      on conflict (email) do nothing returning 1)
    select count(*)::int as total from added`.execute(db)
  // A concurrent import has invited one of them.
  if (Number(added[0]?.total) !== rows.length) throw createConflictError()
  const { count } = await db
    .selectFrom('invitations')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) > MAX_OPEN_INVITATIONS)
    throw new ProblemError('invalid-input', {
      detail: `Com estes haveria ${Number(count).toLocaleString('pt-BR')} convites abertos; o máximo é ${MAX_OPEN_INVITATIONS.toLocaleString('pt-BR')}. Retire os que não servem mais. Ninguém foi convidado.`,
    })
}

/** Queues the mails of invitations, throttled. Call it in their transaction. */
export async function queueInvitations(db: Db, emails: readonly string[]): Promise<void> {
  const kind: MailKind = 'invitation'
  await sql`
    insert into mail_outbox (kind, recipient, due_at)
    select ${kind}, email, now() + ((place - 1) / ${sql.lit(MAILS_PER_SECOND)}) * interval '1 second'
    from unnest(${emails}::text[]) with ordinality as recipients(email, place)`.execute(db)
}
