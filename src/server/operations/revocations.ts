import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { AuditAction } from '#contract/audit-actions.ts'
import { LISTS } from '#contract/entitlement-lists.ts'
import { requireLinkNext } from '#server/accounts/factors.ts'
import { revokePassword } from '#server/accounts/set-password.ts'
import type { Db } from '#server/database/schema.ts'
import type { PublicContext } from '#server/http/context.ts'
import { removePeople } from '#server/users/delete-users.ts'
import { type State, type StateChange, writeChanges } from '#server/users/entitlements.ts'
import { eraseNames } from '#server/users/erase-names.ts'
import { dropInvitations } from '#server/users/invitations.ts'
import { lockAdministrators, setRole } from '#server/users/user-roles.ts'
import { recordAudit } from './audit.ts'
import { BackUpError } from './back-up.ts'

// A restore brings back what was revoked after the backup. The trail of the lost database says what
// that was: entries that the restored trail lacks, and pseudonyms of people deleted since.

interface Person {
  user_id: string
  email: string
}
type ReducedPerson = Person & StateChange
/** Of somebody's second step, what opens the account no more. */
type LostSteps = Person & { factors: Factor[]; losesCodes: boolean }
interface Factor {
  id: string
  name: string
  type: string
}

/** What a restore brought back. Deleted people are in no other list. */
export interface Revocations {
  deleted: Person[]
  /** Deletions that a trail alone attributes to nobody; perhaps of accounts created since. */
  unattributedDeletions: number
  demoted: Person[]
  /** People who lost their approval, areas, brands or states, or whose access was to end earlier. */
  reduced: ReducedPerson[]
  /** People whose restored password was replaced or distrusted since. */
  passwords: Person[]
  /** People who removed a factor since, or used, replaced or removed their recovery codes. */
  steps: LostSteps[]
  /** People who unlinked the restored Microsoft account, or said that it was not they who signed in. */
  microsoft: Person[]
  /** People with a session that was ended because of a reused token. A restore ends all sessions. */
  sessions: Person[]
  /** E-mails of invitations that were withdrawn, or changed. */
  invitations: string[]
}

/** The lost database, or one that holds only its trail. */
export interface LostDatabase {
  db: Db
  hasPeople: boolean
}

/** Actions after which a password of before must not open the account. */
const PASSWORD_ACTIONS: readonly string[] = [
  'password-changed',
  'password-reset',
  'password-disowned',
  'password-revoked',
  'reset-link-printed',
  'invitation-accepted',
] satisfies AuditAction[]
/** Actions after which a linked Microsoft account of before must not open the account. */
const MICROSOFT_ACTIONS: readonly string[] = [
  'microsoft-unlinked',
  'password-disowned',
  'password-revoked',
] satisfies AuditAction[]
/** Actions after which some recovery code of before must not serve; the trail does not say which. */
const CODE_ACTIONS: readonly string[] = [
  'recovery-codes-created',
  'recovery-codes-removed',
  'recovery-code-used',
] satisfies AuditAction[]

/**
 * Lists what was revoked in the lost database after the backup that was restored.
 * @throws BackUpError if it is the database of another portal: all people would count as deleted
 */
export async function listRevocations(restored: Db, lost: LostDatabase): Promise<Revocations> {
  const { added, pseudonyms, erasedEmails, sharedUntil } = await compareTrails(restored, lost.db)
  if (lost.hasPeople && !sharedUntil) throw new BackUpError(NOT_THE_LOST_ONE)
  const gone = new Set(pseudonyms.keys())
  const outcomes = new Map<string, Outcome>()
  const invitations = new Map<string, { isOpen: boolean; isChanged?: boolean }>(
    [...erasedEmails].map((email) => [email, { isOpen: false }]),
  )
  for (const entry of added) {
    const { action, target_id: id, target_email: email, before, after } = entry
    // One that was changed is restored with what it gave before, and is not sent again either.
    if (action === 'invitation-changed' && after?.email)
      invitations.set(after.email, { isOpen: false, isChanged: true })
    const isSentAgain = action === 'invitation-resent' && !invitations.get(after?.email ?? '')?.isChanged
    if ((action === 'invitation-sent' || isSentAgain) && after?.email)
      invitations.set(after.email, { isOpen: true })
    if (/^invitation-(withdrawn|lost)$/.test(action) && before?.email)
      invitations.set(before.email, { isOpen: false })
    // An accepted invitation, restored without its account, would grant revoked access again.
    if (/^(approval-removed|invitation-accepted)$/.test(action) && email)
      invitations.set(email, { isOpen: false })
    if (action === 'account-disowned' && after?.userId) gone.add(after.userId)
    if (action === 'user-deleted' && id) gone.add(id)
    if (id) outcomes.set(id, updateOutcome(outcomes.get(id), entry))
  }
  const people = await readPeople(restored)
  const remaining = lost.hasPeople ? await readIds(lost.db) : undefined
  // Younger people joined the restored portal, and were never in the lost database.
  const isMissing = ({ user_id, created_at }: RestoredPerson) =>
    remaining?.has(user_id) === false && sharedUntil !== undefined && created_at <= sharedUntil
  const isGone = (person: RestoredPerson) => gone.has(person.user_id) || isMissing(person)
  const staying = people.filter((person) => !isGone(person))
  const select = (applies: (outcome: Outcome, person: RestoredPerson) => unknown) =>
    staying
      .filter((person) => applies(outcomes.get(person.user_id) ?? NO_OUTCOME, person))
      .map(({ user_id, email }) => ({ user_id, email }))
  const open = await restored
    .selectFrom('invitations')
    .select('email')
    .where('withdrawn_at', 'is', null)
    .orderBy('email')
    .execute()
  return {
    deleted: people.filter(isGone).map(({ user_id, email }) => ({ user_id, email })),
    unattributedDeletions: lost.hasPeople
      ? 0
      : countUnattributed(added, new Set(pseudonyms.values()), people),
    demoted: select(({ role }, { is_admin }) => is_admin && role === 'user'),
    reduced: staying.flatMap((person) => reduceAccess(person, outcomes.get(person.user_id)?.state ?? {})),
    passwords: select(({ hasNewPassword }, { has_password }) => has_password && hasNewPassword),
    steps: staying.flatMap((person) => listLostSteps(person, outcomes.get(person.user_id) ?? NO_OUTCOME)),
    microsoft: select(({ isUnlinked }, { has_microsoft }) => has_microsoft && isUnlinked),
    sessions: select(({ hasReusedToken }) => hasReusedToken),
    invitations: open.map(({ email }) => email).filter((email) => invitations.get(email)?.isOpen === false),
  }
}

const NOT_THE_LOST_ONE =
  'O banco de --lost não tem nenhum registro de auditoria em comum com a cópia: não é o deste portal. Nada foi retirado.'

interface TrailEntry {
  action: string
  target_id: string | null
  target_email: string | null
  before: Change | null
  after: Change | null
}
type Change = Partial<State> & { role?: string; email?: string; userId?: string; id?: string; ids?: string[] }

/** Compares entry by entry: a deletion replaces the ids and e-mails of a person in older entries. */
async function compareTrails(restored: Db, lost: Db) {
  const known = new Map((await readTrailHeads(restored)).map((head) => [head.key, head]))
  const pseudonyms = new Map<string, string>()
  const erasedEmails = new Set<string>()
  const addedIds: number[] = []
  let sharedUntil: Date | undefined
  for (const head of await readTrailHeads(lost)) {
    const same = known.get(head.key)
    if (!same) addedIds.push(head.id)
    else if (!sharedUntil || same.at > sharedUntil) sharedUntil = same.at
    for (const name of ['actor_id', 'target_id'] as const)
      if (same?.[name] && head[name] && same[name] !== head[name]) pseudonyms.set(same[name], head[name])
    if (same?.email && same.email !== head.email) erasedEmails.add(same.email)
  }
  const { rows: added } = await sql<TrailEntry>`
    select action, target_id, target_email, before, after from audit_entries
    where id = any(${addedIds}::bigint[]) order by id`.execute(lost)
  return { added, pseudonyms, erasedEmails, sharedUntil }
}

/** The key also tells apart entries that a restored portal wrote under the same id. */
async function readTrailHeads(db: Db) {
  const { rows } = await sql<{
    id: number
    at: Date
    key: string
    actor_id: string | null
    target_id: string | null
    email: string | null
  }>`select id, at, concat_ws(' ', id, action, extract(epoch from at)) as key, actor_id, target_id,
      coalesce(before ->> 'email', after ->> 'email') as email from audit_entries`.execute(db)
  return rows
}

interface Outcome {
  /** The last value of each field that was changed. */
  state: Partial<State>
  role: string | undefined
  hasNewPassword: boolean
  hasReusedToken: boolean
  /** Ids of removed factors. */
  removed: readonly string[]
  isReset: boolean
  hasOtherCodes: boolean
  isUnlinked: boolean
}
const NO_OUTCOME: Outcome = {
  state: {},
  role: undefined,
  hasNewPassword: false,
  hasReusedToken: false,
  removed: [],
  isReset: false,
  hasOtherCodes: false,
  isUnlinked: false,
}
const STATE_FIELDS = ['approved', 'valid_until', ...LISTS] as const

function updateOutcome(outcome = NO_OUTCOME, { action, before, after }: TrailEntry): Outcome {
  // Requests name areas too, but grant nothing.
  const changesState = !/^(access-requested|invitation-(re)?sent)$/.test(action)
  const changed = STATE_FIELDS.filter((name) => changesState && after?.[name] !== undefined)
  return {
    state: { ...outcome.state, ...Object.fromEntries(changed.map((name) => [name, after?.[name]])) },
    role: action === 'role-changed' ? after?.role : outcome.role,
    hasNewPassword: outcome.hasNewPassword || PASSWORD_ACTIONS.includes(action),
    hasReusedToken: outcome.hasReusedToken || action === 'session-reuse',
    removed: /^factor-(removed|disowned)$/.test(action)
      ? [...outcome.removed, ...(before?.ids ?? []), before?.id ?? '']
      : outcome.removed,
    isReset: outcome.isReset || action === 'factor-reset',
    hasOtherCodes: outcome.hasOtherCodes || CODE_ACTIONS.includes(action),
    isUnlinked: outcome.isUnlinked || MICROSOFT_ACTIONS.includes(action),
  }
}

interface RestoredPerson extends Person, State {
  created_at: Date
  is_admin: boolean
  has_password: boolean
  has_codes: boolean
  has_microsoft: boolean
  factors: Factor[]
}

async function readPeople(db: Db): Promise<RestoredPerson[]> {
  const { rows } = await sql<RestoredPerson>`
    select p.user_id, p.email, p.created_at, p.approved, p.valid_until, p.types, p.marcas, p.estados,
      exists (select from user_roles r where r.user_id = p.user_id and r.role = 'admin') as is_admin,
      exists (select from passwords w where w.user_id = p.user_id) as has_password,
      exists (select from recovery_codes c where c.user_id = p.user_id) as has_codes,
      exists (select from identities i where i.user_id = p.user_id) as has_microsoft,
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', friendly_name, 'type', factor_type)), '[]')
        from factors f where f.user_id = p.user_id and verified_at is not null) as factors
    from profiles p order by p.email`.execute(db)
  return rows
}

async function readIds(db: Db): Promise<Set<string>> {
  return new Set((await db.selectFrom('profiles').select('user_id').execute()).map(({ user_id }) => user_id))
}

function countUnattributed(
  added: readonly TrailEntry[],
  attributed: ReadonlySet<string>,
  people: readonly Person[],
): number {
  const created = added.filter(({ action }) => action === 'account-created').map(({ target_id }) => target_id)
  const known = new Set([...attributed, ...created, ...people.map(({ user_id }) => user_id)])
  return added.filter(({ action, target_id }) => action === 'user-deleted' && !known.has(target_id ?? ''))
    .length
}

/** Computes what of a restored access is too much. @returns one change, or none */
function reduceAccess(person: RestoredPerson, state: Partial<State>): ReducedPerson[] {
  const before: Partial<State> = {}
  const after: Partial<State> = {}
  if (person.approved && state.approved === false) {
    before.approved = true
    after.approved = false
  }
  for (const name of LISTS) {
    const kept = person[name].filter((item) => state[name]?.includes(item) ?? true)
    if (kept.length === person[name].length) continue
    before[name] = person[name]
    after[name] = kept
  }
  const end = state.valid_until
  if (end && (person.valid_until === null || end < person.valid_until)) {
    before.valid_until = person.valid_until
    after.valid_until = end
  }
  const { user_id, email } = person
  return Object.keys(after).length > 0 ? [{ user_id, email, before, after }] : []
}

/** Lists restored factors and codes that must not open the account. @returns one person, or none */
function listLostSteps(person: RestoredPerson, { removed, isReset, hasOtherCodes }: Outcome): LostSteps[] {
  const { user_id, email, has_codes } = person
  const factors = person.factors.filter(({ id }) => isReset || removed.includes(id))
  // Codes go with the last factor.
  const losesCodes = has_codes && (hasOtherCodes || factors.length === person.factors.length)
  return factors.length > 0 || losesCodes ? [{ user_id, email, factors, losesCodes }] : []
}

/**
 * Revokes it all again, in one transaction, and mails a link to people without a password.
 * @returns whether an administrator is left
 */
export function applyRevocations(context: PublicContext, revocations: Revocations): Promise<boolean> {
  const { deleted, demoted, reduced, passwords, steps, microsoft, invitations } = revocations
  const unapproved = reduced.filter(({ after }) => after.approved === false)
  return context.db.transaction().execute(async (db) => {
    const txContext = { ...context, db }
    await lockAdministrators(db)
    // Before the demotions, which withdraw the open ones of their senders.
    for (const person of unapproved) await dropInvitations(txContext, [person])
    if (invitations.length > 0) await db.deleteFrom('invitations').where('email', 'in', invitations).execute()
    await recordAudit(
      txContext,
      ...invitations.map((email) => ({ action: 'invitation-withdrawn' as const, before: { email } })),
    )
    await eraseNames(
      db,
      invitations.map((email) => ({ user_id: null, email, pseudonym: randomUUID() })),
    )
    if (deleted.length > 0) await removePeople(txContext, deleted)
    for (const person of demoted) await setRole(txContext, { person, role: 'user' })
    const changes = reduced.map(({ user_id, before, after }) => ({ ids: [user_id], before, after }))
    await writeChanges(txContext, { action: 'access-revoked', batchId: null, changes })
    for (const { user_id } of unapproved)
      await db.deleteFrom('access_requests').where('user_id', '=', user_id).execute()
    for (const person of microsoft) {
      await db.deleteFrom('identities').where('user_id', '=', person.user_id).execute()
      await recordAudit(txContext, { action: 'microsoft-unlinked', target: person })
    }
    for (const person of passwords) await revokePassword(txContext, person, 'password-revoked')
    for (const lost of steps) await removeSteps(txContext, lost)
    return (await lockAdministrators(db)).length > 0
  })
}

/** Its entries have the form of the owner's own, so that another restore finds them. */
async function removeSteps(context: PublicContext, { factors, losesCodes, ...target }: LostSteps) {
  const { db } = context
  const { user_id } = target
  const ids = factors.map(({ id }) => id)
  if (ids.length > 0) await db.deleteFrom('factors').where('id', 'in', ids).execute()
  if (losesCodes) await db.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute()
  await requireLinkNext(db, user_id)
  await recordAudit(
    context,
    ...factors.map((before) => ({ action: 'factor-removed' as const, target, before })),
    ...(losesCodes ? [{ action: 'recovery-codes-removed' as const, target }] : []),
  )
}

export const hasRevocations = ({ unattributedDeletions: _, sessions: __, ...lists }: Revocations): boolean =>
  Object.values(lists).some((list) => list.length > 0)

/** Formats the lists for the terminal, one line per person. */
export function formatRevocations(revocations: Revocations): string[] {
  const { deleted, unattributedDeletions, demoted, reduced, passwords, steps, microsoft } = revocations
  const { sessions, invitations } = revocations
  const toEmails = (people: readonly Person[]) => people.map(({ email }) => email)
  const sections: [heading: string, lines: string[]][] = [
    ['Contas excluídas', toEmails(deleted)],
    ['Administração retirada', toEmails(demoted)],
    ['Aprovação ou acessos retirados', reduced.map(formatReduction)],
    ['Senhas trocadas ou anuladas (a antiga deixa de valer, um e-mail leva ao link)', toEmails(passwords)],
    ['Segundas etapas retiradas (a próxima pede o link por e-mail)', steps.map(formatSteps)],
    ['Contas Microsoft desligadas', toEmails(microsoft)],
    ['Convites retirados', invitations],
    ['Sessões encerradas por suspeita (a restauração já encerra todas)', toEmails(sessions)],
  ]
  const listed = sections.filter(([, lines]) => lines.length > 0)
  const unattributed = `Exclusões que este histórico não diz de quem são, talvez de contas criadas depois da cópia: ${unattributedDeletions}. Confira em /admin.`
  return [
    listed.length > 0 ? 'Retirado depois da cópia, e de volta agora:' : 'Nada foi retirado depois da cópia.',
    ...listed.flatMap(([heading, lines]) => [`  ${heading}:`, ...lines.map((line) => `    ${line}`)]),
    ...(unattributedDeletions > 0 ? [unattributed] : []),
  ]
}

function formatReduction({ email, before, after }: ReducedPerson): string {
  const taken = LISTS.flatMap((name) => before[name]?.filter((item) => !after[name]?.includes(item)) ?? [])
  const parts = [
    after.approved === false ? 'sem aprovação' : '',
    taken.length > 0 ? `sem ${taken.join(', ')}` : '',
    after.valid_until ? `válido até ${after.valid_until.split('-').reverse().join('/')}` : '',
  ]
  return `${email}: ${parts.filter(Boolean).join('; ')}`
}

function formatSteps({ email, factors, losesCodes }: LostSteps): string {
  const codes = losesCodes ? ['códigos de recuperação'] : []
  return `${email}: sem ${[...factors.map(({ name }) => `“${name}”`), ...codes].join(', ')}`
}
