import type { Insertable } from 'kysely'
import type { Tables } from '#server/database/schema.ts'
import { send } from './builders.ts'
import type { TestPortal } from './test-portal.ts'

export const CONTACT_FORM = {
  name: 'Rita Prado',
  email: 'rita.prado@exemplo.com.br',
  phone: '(21) 98765-4321',
  message: 'O relatório de Vendas podia mostrar também o mês anterior.',
}

/** POST /support-messages */
export function sendContactForm(
  portal: TestPortal,
  changes: object = {},
  headers: Record<string, string> = {},
) {
  return send(portal, 'POST', '/api/support-messages', { body: { ...CONTACT_FORM, ...changes }, headers })
}

/** Inserts messages. @returns their ids, in order */
export async function addMessages(
  portal: TestPortal,
  ...messages: Partial<Insertable<Tables['support_messages']>>[]
): Promise<string[]> {
  const rows = await portal.database.db
    .insertInto('support_messages')
    .values(messages.map((message) => ({ ...CONTACT_FORM, ...message })))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
