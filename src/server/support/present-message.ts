import type { Selectable } from 'kysely'
import type { SupportMessage } from '#contract/support.ts'
import type { Tables } from '#server/database/schema.ts'

export const MESSAGE_COLUMNS = ['id', 'name', 'email', 'phone', 'message', 'is_read', 'created_at'] as const

/** A row of support_messages as it goes over the wire. */
export function presentMessage(
  row: Pick<Selectable<Tables['support_messages']>, (typeof MESSAGE_COLUMNS)[number]>,
): SupportMessage {
  return { ...row, created_at: row.created_at.toISOString() }
}
