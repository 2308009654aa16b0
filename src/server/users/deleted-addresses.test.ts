import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { emailSchema } from '#contract/account-forms.ts'
import { createRateLimits } from '#server/http/rate-limits.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { openAdmin, removeAllPeople } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { readEveryTable } from '#server/testing/canaries.ts'
import { countQueries } from '#server/testing/count-queries.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { eraseNames } from './erase-names.ts'

const DOMAIN = 'grupopatio.com.br'

/** The characters that an address may have between letters; accounts have no '+'. */
const SEPARATORS = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
  .filter((character) => !/[a-z0-9+]/i.test(character))
  .filter((character) => emailSchema.safeParse(`a${character}b@${DOMAIN}`).success)

const word = fc.stringMatching(/^[a-z0-9]{1,5}$/)
const separator = fc.constantFrom('', ...SEPARATORS)

/** Addresses that are prefixes and suffixes of one another; the first one is deleted. */
const addresses = fc
  .tuple(word, separator, word, separator, word)
  .map(([a, s, b, t, c]) => [b, a, c, a + s + b, b + t + c, a + s + b + t + c, a + c])
  .chain((names) => fc.shuffledSubarray([...new Set(names)], { minLength: 2 }))
  .map((names) => names.map((name) => `${name}@${DOMAIN}`))

describeOnEachDatabase('deleting one of similar addresses', (kind) => {
  const portal = setUpPortal({ kind })

  async function addPeople(emails: string[]) {
    const { db, clock } = { ...portal.database, ...portal }
    const { consumeRateLimit } = createRateLimits(portal.database, true, clock)
    const people = await Promise.all(emails.map((email) => addPerson(portal, { email })))
    const request = { requestId: 'x', ip: '203.0.113.7', forwarded: 'none' as const, userAgent: 'Navegador' }
    for (const { email, user_id } of people) {
      const before = { email, all: emails, nested: [{ by: email, id: user_id, text: "'", none: null }] }
      await recordAudit({ db, clock, request }, { action: 'invitation-sent', before, after: { email } })
      await recordAudit({ db, clock, request }, { action: 'invitation-resent', after: { email } })
      await consumeRateLimit(`sign-up-hour ${email}`, { max: 1, windowSeconds: 60 })
      await db.insertInto('mail_outbox').values({ kind: 'invitation', recipient: email }).execute()
      const lists = { types: [], marcas: [], estados: [] }
      await db
        .insertInto('invitations')
        .values({ email, full_name: null, ...lists, invited_by: null, invited_at: new Date(clock()) })
        .execute()
      await db
        .insertInto('support_messages')
        .values({ name: 'Ana', email: email.toUpperCase(), phone: '21 99999-0000', message: 'Olá' })
        .execute()
    }
    return people
  }

  /** Counts the whole values and words of all tables that are one of the names. */
  async function countMentions(names: string[]): Promise<number[]> {
    const counts = new Map<string, number>()
    const count = (value: unknown): void => {
      if (value !== null && typeof value === 'object') for (const part of Object.values(value)) count(part)
      else
        for (const name of String(value).toLowerCase().split(/\s/))
          counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    for (const row of Object.values(await readEveryTable(portal.database.db)).flat()) count(JSON.parse(row))
    return names.map((name) => counts.get(name) ?? 0)
  }

  test('leaves it nowhere, and every other one where it was', async () => {
    expect(SEPARATORS).toContain("'")
    await fc.assert(
      fc.asyncProperty(addresses, async (emails) => {
        await removeAllPeople(portal)
        for (const table of ['invitations', 'rate_limits'] as const)
          await portal.database.db.deleteFrom(table).execute()
        const { token } = await openAdmin(portal)
        const [leaver, ...neighbors] = await addPeople(emails)
        const names = (people: typeof neighbors) => people.flatMap(({ email, user_id }) => [email, user_id])
        const before = await countMentions(names(neighbors))
        await send(portal, 'POST', '/api/functions/delete-users', {
          token,
          body: { userIds: [leaver?.user_id] },
        })
        const after = await countMentions([leaver?.email ?? '', leaver?.user_id ?? '', ...names(neighbors)])
        expect(after).toEqual([0, 0, ...before])
      }),
      {
        numRuns: 20,
        examples: [[[`sant'anna@${DOMAIN}`, `anna@${DOMAIN}`]], [[`avila@${DOMAIN}`, `d'avila@${DOMAIN}`]]],
      },
    )
  })

  test('loads only the audit entries that hold it', async () => {
    const { db } = portal.database
    const [leaver, other] = [await addPerson(portal), await addPerson(portal)]
    const addEntries = (action: string, after: object, count: number) =>
      sql`insert into audit_entries (action, after)
        select ${action}::text, ${JSON.stringify(after)}::jsonb from generate_series(1, ${count}::int)`.execute(
        db,
      )
    await addEntries('export-downloaded', { type: 'Vendas', report_id: randomUUID() }, 100)
    await addEntries('invitation-sent', { email: other.email, invited_by: other.user_id }, 100)
    await addEntries('invitation-sent', { email: leaver.email.toUpperCase() }, 3)
    const { seen, database } = countQueries(portal.database)
    await db.deleteFrom('profiles').where('user_id', '=', leaver.user_id).execute()
    await eraseNames(database.db, [{ ...leaver, pseudonym: randomUUID() }])
    expect(await countMentions([leaver.email])).toEqual([0])
    expect(seen.rows).toBeLessThan(10)
  })
})
