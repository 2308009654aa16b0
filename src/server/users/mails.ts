import { type RawBuilder, sql } from 'kysely'
import type { AuditAction, HistoryEntry } from '#contract/audit-actions.ts'
import { LISTS, type ListName, mapLists, sortItems, toKey } from '#contract/entitlement-lists.ts'
import { hasPassed } from '#contract/user-rules.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import type { MailContext, MailKind, Mails } from '#server/mail/mails.ts'
import { readVisibleReports } from '#server/reports/own-reports.ts'
import { findByEmail, IS_REQUESTING, IS_WAITING, readRefusedRequest } from './user-queries.ts'

const MINUTES_BETWEEN = 10
const MAX_NAMED = 10
const MAX_LISTED = 5
/** Condition on `mail_outbox m`: one due within 5 s may be composed, and a restore holds its mail. */
const IS_NOT_BEING_SENT = sql`(m.due_at > now() + interval '5 seconds'
  and m.due_at < now() + interval '10 minutes')`

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
      select max(coalesce(m.sent_at, nullif(m.due_at, 'infinity'))) from mail_outbox m
      where m.kind = ${literal} and m.recipient = p.email))
    from profiles p join user_roles r on r.user_id = p.user_id
    where r.role = 'admin' and ${isOwed}
    order by p.email
    on conflict (recipient) where kind = ${literal} and attempts = 0 and sent_at is null
    do update set due_at = mail_outbox.due_at`.execute(db)
}

/**
 * Queues the digest of people who wait for approval or ask for more; call it in that transaction.
 * @param waitingId the person; queues nothing for null or for an approved person without a request
 */
export function queueWaitingDigest(context: Pick<Context, 'db'>, waitingId: string | null): Promise<void> {
  const isOwed = sql<boolean>`exists (
    select 1 from profiles p where p.user_id = ${waitingId}::uuid and (not p.approved or ${IS_REQUESTING}))`
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

/** People who are mailed in the same minute: more would hold up everybody's mails. */
const MAILED_AT_ONCE = 1_000
/** Queued for longer than an undo takes, so that several changes are told in one mail. */
const ACCESS_MAIL_DELAY = sql`interval '60 seconds'`

/**
 * Queues mails to approved people about their new access, in the transaction of the change, a thousand
 * a minute. Debounced: a queued one covers this change too, and waits for its undo.
 */
export async function queueAccessMails(db: Db, userIds: readonly string[]): Promise<void> {
  for (let start = 0; start < userIds.length; start += MAILED_AT_ONCE)
    await queueAccessMailsAt(db, userIds.slice(start, start + MAILED_AT_ONCE), start / MAILED_AT_ONCE)
}

/** @param minute how much later than the first ones */
async function queueAccessMailsAt(db: Db, userIds: readonly string[], minute: number): Promise<void> {
  const kind: MailKind = 'access-changed'
  // As if the change were made then: withdrawMails knows the mails of one change by their delay.
  const madeAt = sql`now() + ${minute}::int * interval '1 minute'`
  await sql`
    with covered as (
      update mail_outbox m set due_at = greatest(m.due_at + interval '1 millisecond', now() + ${ACCESS_MAIL_DELAY}) from profiles p
      where p.user_id = any(${userIds}::uuid[]) and p.approved and m.recipient = p.email
        and m.kind in (${kind}, 'account-approved')
        and m.attempts = 0 and m.sent_at is null and ${IS_NOT_BEING_SENT}
      returning m.recipient
    )
    insert into mail_outbox (kind, recipient, created_at, due_at)
    select ${kind}, p.email, ${madeAt}, ${madeAt} + ${ACCESS_MAIL_DELAY}
    from profiles p where p.user_id = any(${userIds}::uuid[]) and p.approved
      and p.email not in (select recipient from covered)`.execute(db)
}

/**
 * Deletes the queued mails of a kind to these people that have not been sent. One about access stays
 * if it covers another change, which has put it off.
 */
export async function withdrawMails(db: Db, kind: MailKind, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await sql`
    delete from mail_outbox m using profiles p
    where m.kind = ${kind} and m.recipient = p.email and m.attempts = 0
      and (m.kind <> 'access-changed' or m.due_at = m.created_at + ${ACCESS_MAIL_DELAY})
      and p.user_id = any(${userIds}::uuid[])`.execute(db)
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
  await sql`
    insert into mail_outbox (kind, recipient, due_at, after_entry)
    select ${kind}::text, p.email, now() + ${restSeconds}::int * interval '1 second',
      (select coalesce(max(id), 0) from audit_entries)
    from profiles p join user_roles r on r.user_id = p.user_id
    where r.role = 'admin' and p.user_id is distinct from ${exceptId}::uuid and not exists (
      select from mail_outbox m where m.kind = ${kind}::text and m.recipient = p.email and m.attempts = 0
        and m.sent_at is null and ${IS_NOT_BEING_SENT})
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

const ACCESS_TITLES = { types: 'Áreas', marcas: 'Marcas', estados: 'Estados' } as const

/** Lists what a person may see, with links to their reports; undefined without access. */
async function describeAccess({ db, clock, publicUrl }: MailContext, email: string) {
  const person = await findByEmail(db, email)
  if (!person?.approved || hasPassed(person.valid_until ?? '', clock())) return undefined
  const { catalogue, visible } = await readVisibleReports(db, person)
  const names = mapLists((list) =>
    sortItems(catalogue, list, person[list]).map(
      (value) => catalogue[list].find((item) => toKey(list, item) === value)?.label ?? value,
    ),
  )
  const reports = new Set(visible.map(({ label }) => label))
  const toArea = (area: string) =>
    reports.has(area)
      ? { text: `Área ${area}`, link: `${publicUrl}/power-bi?area=${encodeURIComponent(area)}` }
      : `Área ${area}, ainda sem relatório`
  const toLine = (list: ListName) =>
    `${ACCESS_TITLES[list]}: ${names[list].join(', ') || 'nada por enquanto'}`
  return {
    /** Without areas, brands or states no report is seen. */
    isNothing: LISTS.some((list) => names[list].length === 0),
    list: [
      ...(names.types.length > 0 ? names.types.map(toArea) : [toLine('types')]),
      toLine('marcas'),
      toLine('estados'),
    ],
    button: { label: 'Ver relatórios', link: `${publicUrl}/power-bi` },
    notes: person.valid_until
      ? [`Este acesso vale até ${person.valid_until.split('-').reverse().join('/')}.`]
      : [],
    aside: {
      text: 'Falta alguma área, marca ou estado?',
      label: 'Pedir acesso',
      link: `${publicUrl}/pedir-acesso`,
    },
  }
}

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
  async 'account-approved'(context, { recipient }) {
    const access = await describeAccess(context, recipient)
    return (
      access && {
        subject: `Sua conta no portal ${context.groupName} foi aprovada`,
        heading: 'Sua conta foi aprovada',
        paragraphs: [
          access.isNothing
            ? 'Um administrador aprovou sua conta, mas ainda não há relatórios liberados para você. Este é o seu acesso por enquanto:'
            : 'Um administrador aprovou sua conta. Este é o seu acesso aos relatórios:',
        ],
        ...access,
      }
    )
  },

  /** Sent to people whose access was changed, unless it has ended meanwhile. */
  async 'access-changed'(context, { recipient }) {
    const access = await describeAccess(context, recipient)
    return (
      access && {
        subject: `Seu acesso no portal ${context.groupName} mudou`,
        heading: 'Seu acesso mudou',
        paragraphs: ['Um administrador mudou o seu acesso aos relatórios, que agora é este:'],
        ...access,
      }
    )
  },

  /** Sent when a request for more is refused, unless the person has asked again. */
  async 'access-refused'({ db, groupName, publicUrl }, { recipient }) {
    const person = await findByEmail(db, recipient)
    const request = person && (await readRefusedRequest(db, person.user_id))
    if (!request) return undefined
    return {
      subject: `Seu pedido de acesso no portal ${groupName} foi recusado`,
      heading: 'Seu pedido de acesso foi recusado',
      paragraphs: [
        `Você pediu ${LISTS.flatMap((list) => request[list]).join(', ')}. Um administrador recusou, e escreveu:`,
        request.refusal,
      ],
      button: { label: 'Ver o pedido', link: `${publicUrl}/pedir-acesso` },
      notes: ['O acesso que você já tinha continua igual.'],
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
    const { rows: asking } = await sql<{ email: string }>`
      select email from profiles p where ${IS_REQUESTING} order by email`.execute(db)
    if (waiting.length + asking.length === 0 || !(await isAdministrator(db, recipient))) return undefined
    const total = Number(waiting[0]?.total ?? 0)
    const lines = waiting.map(
      ({ email, email_verified_at }) => email + (email_verified_at ? '' : ' (e-mail ainda não verificado)'),
    )
    const others = total - waiting.length
    const requests = asking.length === 1 ? '1 pedido de acesso' : `${asking.length} pedidos de acesso`
    const subject = [total > 0 && formatPeopleCount(total), asking.length > 0 && requests]
      .filter(Boolean)
      .join(' e ')
    const named = asking.slice(0, MAX_NAMED).map(({ email }) => email)
    return {
      subject: `${subject} no portal ${groupName}`,
      heading: subject,
      paragraphs: [
        ...(total === 1
          ? ['Esta pessoa criou uma conta no portal de relatórios e espera que um administrador a aprove:']
          : total > 1
            ? [
                'Estas pessoas criaram contas no portal de relatórios e esperam que um administrador as aprove:',
              ]
            : ['Quem já tem acesso ao portal de relatórios pede mais:']),
      ],
      list: [
        ...lines,
        ...(others > 0 ? [`e mais ${others}`] : []),
        ...named.map((email) => (total > 0 ? `${email} (já tem acesso e pede mais)` : email)),
        ...(asking.length > named.length ? [`e mais ${asking.length - named.length} pedidos`] : []),
      ],
      button: {
        label: total > 0 ? 'Ver quem espera' : 'Ver os pedidos',
        link: `${publicUrl}/admin#${total > 0 ? 'fila' : 'pedidos'}`,
      },
      notes: [
        'Aprove só quem você conhece: enquanto o e-mail não for verificado, ninguém provou que o endereço é seu.',
      ].filter(() => total > 0),
    }
  },
} satisfies Partial<Mails>
