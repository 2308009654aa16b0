import { sql } from 'kysely'
import type { Usage } from '#contract/usage.ts'
import { formatCount, MIN_GROUP } from '#contract/usage-rules.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import type { Db } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { MailContent } from '#server/mail/compose-mail.ts'
import type { MailContext, MailKind } from '#server/mail/mails.ts'
import { sumOpenUsage } from './count-usage.ts'
import { readUsage } from './read-usage.ts'

const MAX_LISTED = 5

/** Adds or removes the caller's monthly mail about the use. */
export async function setUsageMail(context: Context, wanted: boolean): Promise<{ wanted: boolean }> {
  const { user_id } = context.actor.profile
  await runAdminTransaction(context, async (db) => {
    if (wanted)
      await db
        .insertInto('usage_mails')
        .values({ user_id, created_at: new Date(context.clock()) })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    else await db.deleteFrom('usage_mails').where('user_id', '=', user_id).execute()
  })
  return { wanted }
}

export const findUsageMail = (db: Db, userId: string) =>
  db.selectFrom('usage_mails').select('id').where('user_id', '=', userId).executeTakeFirst()

/**
 * Removes the monthly mail of a link, unless it is a dry run. @throws ProblemError invalid-link if
 * wanted again since
 * @returns whether it was wanted
 */
export async function removeUsageMail(
  db: Db,
  { id, at, isDry }: { id: string; at: Date; isDry: boolean },
): Promise<boolean> {
  const found = await db
    .selectFrom('usage_mails')
    .select('created_at')
    .where('id', '=', id)
    .executeTakeFirst()
  if (found && found.created_at > at) throw new ProblemError('invalid-link')
  if (!isDry) await db.deleteFrom('usage_mails').where('id', '=', id).execute()
  return found !== undefined
}

/** Queues the mail to the administrators who want it, in the transaction that closes a month. */
export async function queueUsageMails(db: Db): Promise<void> {
  const kind: MailKind = 'usage-summary'
  await sql`
    insert into mail_outbox (kind, recipient)
    select ${kind}::text, p.email from usage_mails m
    join profiles p on p.user_id = m.user_id
    join user_roles r on r.user_id = p.user_id and r.role = 'admin'
    order by p.email`.execute(db)
}

/** Composes the use of the last month, unless the recipient no longer wants it or administrates. */
export async function composeUsageMail(
  context: MailContext,
  { recipient }: { recipient: string },
): Promise<MailContent | undefined> {
  const { db, clock, groupName, publicUrl, signUnsubscribe } = context
  const wanted = await db
    .selectFrom('usage_mails as m')
    .innerJoin('profiles as p', 'p.user_id', 'm.user_id')
    .innerJoin('user_roles as r', 'r.user_id', 'p.user_id')
    .select('m.id')
    .where('p.email', '=', recipient)
    .where('r.role', '=', 'admin')
    .executeTakeFirst()
  if (!wanted) return undefined
  const firstOfMonth = `${toSaoPauloDay(clock()).slice(0, 7)}-01`
  const to = new Date(Date.parse(firstOfMonth) - 1).toISOString().slice(0, 10)
  const usage = await readUsage(
    { db, clock, sumOpen: sumOpenUsage },
    { from: `${to.slice(0, 7)}-01`, to, by: 'month' },
  )
  const month = new Intl.DateTimeFormat('pt-BR', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const name = month.format(new Date(to))
  const token = signUnsubscribe(wanted.id)
  return {
    subject: `O uso do portal ${groupName} em ${name}`,
    heading: `O uso do portal em ${name}`,
    paragraphs: [describeMonth(usage)],
    list: listAnswers(usage),
    button: {
      label: 'Ver o uso',
      link: `${publicUrl}/admin/uso?from=${usage.from}&to=${usage.to}&by=day`,
    },
    notes: [`Grupos com menos de ${MIN_GROUP} pessoas não são contados.`],
    aside: {
      text: 'Não quer mais receber este resumo?',
      label: 'Parar de receber',
      link: `${publicUrl}/parar-envio#token=${token}`,
    },
    unsubscribeUrl: `${publicUrl}/api/report-subscriptions/unsubscribe?token=${token}`,
  }
}

function describeMonth({ periods: [period] }: Omit<Usage, 'is_mailed'>): string {
  if (!period || period.people === 0) return 'Ninguém entrou no portal neste mês.'
  const openings =
    period.openings === null || period.openings === 0
      ? ''
      : ` e abriram relatórios ${formatCount(period.openings)} ${period.openings === 1 ? 'vez' : 'vezes'}`
  return `${period.people === null ? `Menos de ${MIN_GROUP}` : formatCount(period.people)} pessoas entraram no portal${openings}.`
}

/** The answers that the screen gives: the most read, what nobody opened, who stays away. */
function listAnswers({ reports, never_came, stopped_coming }: Omit<Usage, 'is_mailed'>): string[] {
  const names = (list: typeof reports) =>
    list
      .slice(0, MAX_LISTED)
      .map(({ title }) => title ?? 'relatório removido')
      .join(', ') + (list.length > MAX_LISTED ? ` e mais ${list.length - MAX_LISTED}` : '')
  const read = reports.filter(({ openings }) => (openings ?? 0) > 0)
  const unread = reports.filter(({ openings, exists }) => openings === 0 && exists)
  const failing = reports.filter(({ failures }) => failures)
  return [
    read.length > 0 && `Mais lidos: ${names(read)}`,
    unread.length > 0 && `Ninguém abriu: ${names(unread)}`,
    failing.length > 0 && `Falharam ao abrir: ${names(failing)}`,
    never_came.total > 0 && `Têm acesso e nunca vieram: ${formatCount(never_came.total)}`,
    stopped_coming.total > 0 && `Deixaram de vir: ${formatCount(stopped_coming.total)}`,
  ].filter((line) => line !== false)
}
