import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { readProfile } from './user-queries.ts'

/**
 * Everything that the portal holds about a person (LGPD art. 18), but for what opens accounts: no hashes, keys
 * or link tokens. Of what the person did to others only the act is told, of what others did to the person not
 * from where.
 * @throws ProblemError not-found
 */
export async function exportUser(context: Context, userId: string): Promise<Record<string, unknown>> {
  return context.db.transaction().execute(async (db) => {
    const { version: _, ...profile } = await readProfile(db, userId)
    const exported = {
      exported_at: new Date(context.clock()),
      profile,
      sessions: await readSessions(db, userId),
      passwords: await readPasswordDates(db, userId),
      waiting_links: await readLinks(db, userId),
      access_records: await readAccess(db, userId),
      changes_to_the_person: await readChanges(db, userId),
      acts_of_the_person: await readActs(db, userId),
      mails: await readMails(db, profile.email),
      support_messages: await readMessages(db, profile.email),
    }
    await recordAudit({ ...context, db }, { action: 'data-exported', target: profile })
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
