import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { type Admin, listAll, openAdmin } from '#server/testing/admin-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const COUNT = 1_500
/** Without typographic quotes, whose order depends on the ICU version (changed since ICU 72). */
const LETTERS = [..."aáàâãäAÁÂÃbBcçCÇdeéêEÉÊfghiíIÍnñNoóôõöOÓÔsStuúüUÚvzZ '-.()0129ºª&"]
const MAILBOX_LETTERS = [...'abcdezst0129._+-']

/** Returns the same sample on each run and each database. */
function sampleTexts(letters: string[], seed: number): string[] {
  const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 9 })
  return fc.sample(text, { seed, numRuns: COUNT })
}

describeOnEachDatabase('Portuguese order', (kind) => {
  const portal = setUpPortal({ kind })
  let admin: Admin
  beforeAll(async () => {
    admin = await openAdmin(portal, { email: 'admin@grupopatio.com.br' })
    const mailboxes = sampleTexts(MAILBOX_LETTERS, 2)
    const people = sampleTexts(LETTERS, 1).map((full_name, index) => ({
      // Random mailboxes, because emails break ties of equal names.
      full_name,
      email: `${mailboxes[index]}.${index}@grupopatio.com.br`,
    }))
    await sql`insert into profiles (email, full_name)
      select email, full_name from jsonb_to_recordset(${JSON.stringify(people)}::jsonb)
        as p(email text, full_name text)`.execute(portal.database.db)
  })

  const { compare } = new Intl.Collator('pt-BR')
  test.each(['asc', 'desc'])("equals that of the browser's Collator, %s", async (order) => {
    const sign = order === 'asc' ? 1 : -1
    const byName = await listAll(portal, admin, { sort: 'full_name', order, limit: 1000 })
    const names = byName.flatMap(({ full_name }) => (full_name === null ? [] : [full_name]))
    expect(names).toHaveLength(COUNT)
    expect(names).toEqual(names.toSorted((a, b) => sign * compare(a, b)))
    const byEmail = await listAll(portal, admin, { sort: 'email', order, limit: 1000 })
    const emails = byEmail.map(({ email }) => email)
    expect(emails).toEqual(emails.toSorted((a, b) => sign * compare(a, b)))
    for (const [index, { full_name, email }] of byName.entries()) {
      const next = byName[index + 1]
      if (next && full_name !== null && next.full_name === full_name)
        expect(compare(email, next.email), `${email} before ${next.email}`).toBeLessThan(0)
    }
  })
})
