import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { readProfile } from './user-queries.ts'

/**
 * Everything that the portal holds about a person (LGPD art. 18), but for what opens accounts: no hashes, keys
 * or link tokens. Of what the person did to others only the act is told, of what others did to the person not
 * from where.
 * @throws ProblemError not-found
 */
export async function exportProfile(
  { db, clock }: { db: Db; clock: () => number },
  actor: Actor,
  userId: string,
  request: RequestInfo,
): Promise<Record<string, unknown>> {
  return db.transaction().execute(async (transaction) => {
    const { version: _, ...profile } = await readProfile(transaction, userId)
    const at = new Date(clock())
    const exported = {
      exported_at: at,
      profile,
      sessions: await readSessions(transaction, userId),
      passwords: await readPasswordDates(transaction, userId),
      waiting_links: await readLinks(transaction, userId),
      access_records: await readAccess(transaction, userId),
      changes_to_the_person: await readChanges(transaction, userId),
      acts_of_the_person: await readActs(transaction, userId),
      mails: await readMails(transaction, profile.email),
      support_messages: await readMessages(transaction, profile.email),
    }
    await recordAudit(transaction, {
      action: 'data-exported',
      actor: actor.profile,
      target: profile,
      request,
      at,
    })
    return exported
  })
}

const readSessions = (db: Db, userId: string) =>
  db
    .selectFrom('sessions')
    .select(['id', 'kind', 'created_at', 'refreshed_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()

/** When each password that is remembered was set, the present one last. */
async function readPasswordDates(db: Db, userId: string) {
  const columns = ['changed_at'] as const
  const former = db.selectFrom('password_history').select(columns).where('user_id', '=', userId)
  const present = db.selectFrom('passwords').select(columns).where('user_id', '=', userId)
  return former.unionAll(present).orderBy('changed_at').execute()
}

const readLinks = (db: Db, userId: string) =>
  db
    .selectFrom('email_links')
    .select(['purpose', 'expires_at'])
    .where('user_id', '=', userId)
    .orderBy('expires_at')
    .execute()

const readAccess = (db: Db, userId: string) =>
  db
    .selectFrom('access_records')
    .select(['at', 'action', 'report_id', 'ip', 'user_agent'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()

const readChanges = (db: Db, userId: string) =>
  db
    .selectFrom('audit_entries')
    .select(['at', 'action', 'before', 'after'])
    .where('target_id', '=', userId)
    .orderBy('id')
    .execute()

const readActs = (db: Db, userId: string) =>
  db
    .selectFrom('audit_entries')
    .select(['at', 'action', 'ip', 'user_agent'])
    .where('actor_id', '=', userId)
    .orderBy('id')
    .execute()

const readMails = (db: Db, email: string) =>
  db
    .selectFrom('mail_outbox')
    .select(['kind', 'created_at', 'sent_at'])
    .where('recipient', '=', email)
    .orderBy('created_at')
    .execute()

const readMessages = (db: Db, email: string) =>
  db
    .selectFrom('support_messages')
    .select(['name', 'email', 'phone', 'message', 'is_read', 'created_at'])
    .where((query) => query(query.fn('lower', ['email']), '=', email))
    .orderBy('created_at')
    .execute()
