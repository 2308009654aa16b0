import { type RawBuilder, sql } from 'kysely'
import type { AuditAction, HistoryEntry } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import type { MailKind, Mails } from '#server/mail/mails.ts'
import { findByEmail, IS_WAITING } from './user-queries.ts'

const MINUTES_BETWEEN = 10
const MAX_NAMED = 10
const MAX_LISTED = 5

/**
 * Queues a digest to every administrator, at most one per kind every ten minutes over all replicas.
 * Call it in the event's transaction, which locks a queued digest: it cannot leave without the event.
 * @param isOwed SQL condition; when false, nothing is queued
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
 * Queues the digest of people waiting for approval; call it in the transaction of the sign-up.
 * @param waitingId the waiting user; queues nothing for null or for an approved user
 */
export function queueWaitingDigest(context: Pick<Context, 'db'>, waitingId: string | null): Promise<void> {
  const isOwed = sql<boolean>`exists (
    select 1 from profiles w where w.user_id = ${waitingId}::uuid and not w.approved)`
  return queueDigest(context, 'waiting-digest', isOwed)
}

/**
 * Queues mails about an approval, in its transaction.
 * @param delaySeconds how long the approval can be undone
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
    from unnest(${emails}::text[]) as recipients(email)`.execute(db)
}

/** Deletes the queued approval mails of these people that have not been sent. */
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
 * Queues a mail to every administrator, in the transaction of the event. Debounced: a queued mail of
 * the same kind covers the event too.
 * @param wanted.restSeconds the debounce delay
 * @param wanted.exceptId the id of an administrator to leave out
 */
export async function queueAdministratorMail(
  { db }: Pick<Context, 'db'>,
  wanted: { kind: MailKind; restSeconds?: number; exceptId?: string },
): Promise<void> {
  const { kind, restSeconds = 0, exceptId = null } = wanted
  // A mail due within 5 s may already be composed.
  await sql`
    insert into mail_outbox (kind, recipient, due_at)
    select ${kind}::text, p.email, now() + ${restSeconds}::int * interval '1 second'
    from profiles p join user_roles r on r.user_id = p.user_id
    where r.role = 'admin' and p.user_id is distinct from ${exceptId}::uuid and not exists (
      select from mail_outbox m where m.kind = ${kind}::text and m.recipient = p.email and m.attempts = 0
        and m.sent_at is null and m.due_at > now() + interval '5 seconds')
    order by p.email`.execute(db)
}

/** Describes the newest audit entries of these actions, for a mail to administrators. */
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
    return `${formatInstant(entry.at)}: ${describeEntry({ action: entry.action, before, after, target })}, ${by}`
  })
}

/** Checks whether an email is an administrator's; the role may have changed since a mail was queued. */
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
  /** Sent to administrators when the role is granted or removed. */
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

  /** Sent to approved people, unless the approval was withdrawn meanwhile. */
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

  /** Sent to administrators while people wait for approval; names the newest. */
  async 'waiting-digest'({ db, groupName, publicUrl }, { recipient }) {
    const waiting = await db
      .selectFrom('profiles as p')
      .select(({ fn }) => ['email', 'email_verified_at', fn.countAll().over().as('total')])
      .where(IS_WAITING)
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
