import type { SupportMessage } from '#contract/support.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { MESSAGE_COLUMNS, presentMessage } from './present-message.ts'

/** Which message, who changes it, and when. */
export interface MessageChangeOrder {
  id: string
  actor: Actor
  request: RequestInfo
  at: Date
}

/**
 * Marks a message as read; one that is stays as it is, without a second audit row.
 * @throws ProblemError not-found when it has been deleted
 */
export function markMessageRead(db: Db, { id, actor, ...when }: MessageChangeOrder): Promise<SupportMessage> {
  return db.transaction().execute(async (transaction) => {
    const marked = await transaction
      .updateTable('support_messages')
      .set({ is_read: true })
      .where('id', '=', id)
      .where('is_read', '=', false)
      .returning(MESSAGE_COLUMNS)
      .executeTakeFirst()
    if (marked) {
      const [before, after] = [
        { id, is_read: false },
        { id, is_read: true },
      ]
      await recordAudit(transaction, { action: 'message-read', actor: actor.profile, before, after, ...when })
      return presentMessage(marked)
    }
    const found = await transaction
      .selectFrom('support_messages')
      .select(MESSAGE_COLUMNS)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!found) throw noSuchMessage()
    return presentMessage(found)
  })
}

/** @throws ProblemError not-found when it has been deleted already */
export function deleteMessage(db: Db, { id, actor, ...when }: MessageChangeOrder): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .deleteFrom('support_messages')
      .where('id', '=', id)
      .returning('is_read')
      .executeTakeFirst()
    if (!deleted) throw noSuchMessage()
    const before = { id, is_read: deleted.is_read }
    await recordAudit(transaction, { action: 'message-deleted', actor: actor.profile, before, ...when })
  })
}

function noSuchMessage(): ProblemError {
  return new ProblemError('not-found', { detail: 'Esta mensagem não existe mais.' })
}
