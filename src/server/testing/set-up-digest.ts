import { beforeEach } from 'vitest'
import type { portalMails } from '#server/app.ts'
import { removeAllPeople } from './admin-calls.ts'
import { addPerson } from './builders.ts'
import type { TestPortal } from './test-portal.ts'

/**
 * Resets to two administrators and a user, before each test.
 * @returns the administrators' addresses, sorted, and access to the queued digests
 */
export function setUpDigest(portal: TestPortal, kind: keyof typeof portalMails) {
  const admins: string[] = []
  beforeEach(async () => {
    await removeAllPeople(portal)
    const people = [await addPerson(portal, { role: 'admin' }), await addPerson(portal, { role: 'admin' })]
    admins.splice(0, admins.length, ...people.map(({ email }) => email).toSorted())
    await addPerson(portal, { role: 'user' })
  })
  return {
    admins,
    /** Lists queued digests by recipient, with the minutes until they are due. */
    listQueued: async () => {
      const rows = await portal.database.db
        .selectFrom('mail_outbox')
        .select(({ fn }) => ['recipient', 'due_at', fn<Date>('now', []).as('now')])
        .where('kind', '=', kind)
        .where('sent_at', 'is', null)
        .orderBy('recipient')
        .execute()
      return rows.map(({ recipient, due_at, now }) => ({
        recipient,
        minutesLeft: (due_at.getTime() - now.getTime()) / 60_000,
      }))
    },
    /** Makes all unsent mails due. */
    makeDue: () =>
      portal.database.db
        .updateTable('mail_outbox')
        .set({ due_at: new Date(0) })
        .where('sent_at', 'is', null)
        .execute(),
  }
}
