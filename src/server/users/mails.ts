import { type RawBuilder, sql } from 'kysely'
import type { AuditAction, HistoryEntry } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { writeInstant } from '#server/mail/compose-mail.ts'
import type { MailKind, Mails } from '#server/mail/mails.ts'
import { findByEmail } from './user-queries.ts'

const MINUTES_BETWEEN = 10
const MAX_NAMED = 10
const MAX_LISTED = 5

/**
 * Has every administrator mailed, in at most one digest of a kind every ten minutes over all replicas; call it in
 * the transaction of what the digest tells of. A digest that is queued already is locked until then, so that it
 * cannot leave without that. Each kind has a unique index of its own, which keeps a second one from waiting.
 * @param isOwed SQL condition without which nothing is queued
 */
export async function queueDigest(
  { db }: Pick<Context, 'db'>,
  kind: MailKind,
  isOwed: RawBuilder<boolean> = sql`true`,
): Promise<void> {
  const literal = sql.lit(kind)
  await sql`
    insert into mail_outbox (kind, recipient, due_at)
    select ${literal}, p.email, greatest(now(), ${sql.lit(MINUTES_BETWEEN)} * interval '1 minute' + (
      select max(coalesce(m.sent_at, m.due_at)) from mail_outbox m
      where m.kind = ${literal} and m.recipient = p.email))
    from profiles p join user_roles r on r.user_id = p.user_id
    where r.role = 'admin' and ${isOwed}
    order by p.email
    on conflict (recipient) where kind = ${literal} and attempts = 0 and sent_at is null
    do update set due_at = mail_outbox.due_at`.execute(db)
}

/**
 * Has every administrator mailed that somebody waits for approval; call it in the transaction that makes them wait.
 * @param waitingId who waits; nothing is queued for null or for somebody who is approved
 */
export function queueWaitingDigest(context: Pick<Context, 'db'>, waitingId: string | null): Promise<void> {
  const isOwed = sql<boolean>`exists (
    select 1 from profiles w where w.user_id = ${waitingId}::uuid and not w.approved)`
  return queueDigest(context, 'waiting-digest', isOwed)
}

/**
 * Has people told that they were approved, once the approval can no longer be undone; call it in its transaction.
 * @param delaySeconds until then
 */
export async function queueApprovalMails(
  db: Db,
  emails: readonly string[],
  delaySeconds: number,
): Promise<void> {
  const kind: MailKind = 'account-approved'
  await sql`
    insert into mail_outbox (kind, recipient, due_at)
    select ${kind}, email, now() + ${sql.lit(delaySeconds)} * interval '1 second'
    from unnest(${emails}::text[]) as told(email)`.execute(db)
}

/** Takes back what queueApprovalMails has queued for these people, as far as it has not left. */
export async function withdrawApprovalMails(db: Db, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  const emails = db.selectFrom('profiles').select('email').where('user_id', 'in', userIds)
  await db
    .deleteFrom('mail_outbox')
    .where('kind', '=', 'account-approved' satisfies MailKind)
    .where('recipient', 'in', emails)
    .where('attempts', '=', 0)
    .execute()
}

/**
 * Has every administrator mailed; call it in the transaction of what the mail tells of. A mail of the kind that still
 * rests for a while tells of that too.
 * @param wanted.restSeconds how long it waits for more to tell
 * @param wanted.exceptId whom it need not be told to
 */
export async function queueAdministratorMail(
  { db }: Pick<Context, 'db'>,
  wanted: { kind: MailKind; restSeconds?: number; exceptId?: string },
): Promise<void> {
  const { kind, restSeconds = 0, exceptId = null } = wanted
  // One that is about to leave may have been written already.
  await sql`
    insert into mail_outbox (kind, recipient, due_at)
    select ${kind}::text, p.email, now() + ${restSeconds}::int * interval '1 second'
    from profiles p join user_roles r on r.user_id = p.user_id
    where r.role = 'admin' and p.user_id is distinct from ${exceptId}::uuid and not exists (
      select from mail_outbox m where m.kind = ${kind}::text and m.recipient = p.email and m.attempts = 0
        and m.sent_at is null and m.due_at > now() + interval '5 seconds')
    order by p.email`.execute(db)
}

/**
 * The newest entries of the trail in words, for a mail to administrators.
 * @param actions of which entries
 */
export async function describeNewestEntries(
  db: Db,
  actions: readonly AuditAction[],
  describeEntry: (entry: Pick<HistoryEntry, 'action' | 'before' | 'after'> & { target: string }) => string,
): Promise<string[]> {
  const entries = await db
    .selectFrom('audit_entries')
    .select(['at', 'action', 'actor_email', 'target_email', 'ip', 'before', 'after'])
    .where('action', 'in', actions)
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute()
  return entries.map((entry) => {
    const { before, after } = entry as Pick<HistoryEntry, 'before' | 'after'>
    const target = entry.target_email ?? 'uma pessoa que foi excluída'
    const itself = entry.ip === 'terminal' ? 'pelo terminal do servidor' : 'pelo portal'
    const by = entry.actor_email ? `por ${entry.actor_email}` : itself
    return `${writeInstant(entry.at)}: ${describeEntry({ action: entry.action, before, after, target })}, ${by}`
  })
}

/** Whether an e-mail belongs to an administrator, which may have changed since a mail was queued. */
export async function isAdministrator(db: Db, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('profiles')
    .innerJoin('user_roles', 'user_roles.user_id', 'profiles.user_id')
    .select('profiles.user_id')
    .where('email', '=', email)
    .where('role', '=', 'admin')
    .executeTakeFirst()
  return found !== undefined
}

const formatPeopleCount = (total: number) =>
  total === 1 ? '1 pessoa aguarda aprovação' : `${total} pessoas aguardam aprovação`

export const userMails = {
  /** Owed to administrators when somebody became one, or is none any more. */
  async 'administrators-changed'({ db, groupName, publicUrl }, { recipient }) {
    if (!(await isAdministrator(db, recipient))) return undefined
    const rows = await db
      .selectFrom('profiles')
      .innerJoin('user_roles', 'user_roles.user_id', 'profiles.user_id')
      .select('email')
      .where('role', '=', 'admin')
      .orderBy('email')
      .execute()
    const changes = await describeNewestEntries(db, ['role-changed'], ({ after, target }) =>
      after?.role === 'admin' ? `${target} recebeu a administração` : `${target} perdeu a administração`,
    )
    return {
      subject: `Os administradores do portal ${groupName} mudaram`,
      heading: 'Os administradores mudaram',
      paragraphs: [
        `Agora administram o portal: ${rows.map(({ email }) => email).join(', ')}.`,
        'As mudanças mais recentes:',
      ],
      list: changes,
      button: { label: 'Abrir a administração', link: `${publicUrl}/admin` },
      notes: ['Se você não esperava por isso, fale agora com quem cuida do servidor do portal.'],
    }
  },

  /** Owed to people who are approved; an approval that was taken back in the meantime is not told. */
  async 'account-approved'({ db, groupName, publicUrl }, { recipient }) {
    if (!(await findByEmail(db, recipient))?.approved) return undefined
    return {
      subject: `Sua conta no portal ${groupName} foi aprovada`,
      heading: 'Sua conta foi aprovada',
      paragraphs: [
        'Um administrador aprovou sua conta: os relatórios liberados para você já estão no portal.',
      ],
      button: { label: 'Ver relatórios', link: `${publicUrl}/power-bi` },
      notes: ['Falta alguma área, marca ou estado? Fale com o administrador do portal.'],
    }
  },

  /** Owed to administrators while somebody waits for approval; names the newest. */
  async 'waiting-digest'({ db, groupName, publicUrl }, { recipient }) {
    const waiting = await db
      .selectFrom('profiles')
      .select(({ fn }) => ['email', 'email_verified_at', fn.countAll().over().as('total')])
      .where('approved', '=', false)
      .orderBy('created_at', 'desc')
      .limit(MAX_NAMED)
      .execute()
    if (waiting.length === 0 || !(await isAdministrator(db, recipient))) return undefined
    const total = Number(waiting[0]?.total)
    const lines = waiting.map(
      ({ email, email_verified_at }) => email + (email_verified_at ? '' : ' (e-mail ainda não verificado)'),
    )
    const others = total - waiting.length
    return {
      subject: `${formatPeopleCount(total)} no portal ${groupName}`,
      heading: formatPeopleCount(total),
      paragraphs: [
        total === 1
          ? 'Esta pessoa criou uma conta no portal de relatórios e espera que um administrador a aprove:'
          : 'Estas pessoas criaram contas no portal de relatórios e esperam que um administrador as aprove:',
      ],
      list: others > 0 ? [...lines, `e mais ${others}`] : lines,
      button: { label: 'Ver quem espera', link: `${publicUrl}/admin#fila` },
      notes: [
        'Aprove só quem você conhece: enquanto o e-mail não for verificado, ninguém provou que o endereço é seu.',
      ],
    }
  },
} satisfies Partial<Mails>
