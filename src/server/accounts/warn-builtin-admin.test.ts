import { beforeAll, expect, test } from 'vitest'
import { signIn } from '#server/testing/account-calls.ts'
import { readTrail } from '#server/testing/admin-calls.ts'
import { addPerson, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const BUILTIN = 'admin@grupopatio.com.br'

describeOnEachDatabase('failed sign-ins of the built-in administrator', (kind) => {
  const portal = setUpPortal({ kind })
  beforeAll(async () => {
    await addPerson(portal, { email: BUILTIN, password: TEST_PASSWORD, role: 'admin' })
  })

  test('are mailed from the third on, once, and recorded', async () => {
    const fail = () => signIn(portal, BUILTIN, 'errada')
    await fail()
    await fail()
    await portal.outbox.deliverDue()
    expect(portal.mails).toEqual([])
    for (let count = 0; count < 4; count++) {
      await fail()
      portal.clock.advance(5 * 60_000)
    }
    await portal.outbox.deliverDue()
    expect(portal.mails.map(({ kind, to, link }) => [kind, to, link])).toEqual([
      ['builtin-failures', BUILTIN, 'http://localhost/forgot-password'],
    ])
    const rows = await readTrail(portal)
    expect(rows).toMatchObject([
      { action: 'builtin-admin-failures', after: { failures: 3 }, ip: '127.0.0.1' },
    ])
  })

  test('are not mailed for other accounts', async () => {
    portal.mails.length = 0
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    for (let count = 0; count < 4; count++) await signIn(portal, email, 'errada')
    await portal.outbox.deliverDue()
    expect(portal.mails).toEqual([])
  })
})
