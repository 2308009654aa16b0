import { beforeEach, expect, test } from 'vitest'
import { ADMIN_COMMANDS, createCliRequest } from '#server/operations/admin-commands.ts'
import { NEW_PASSWORD, previewLink, receiveMail, signUp, useLink } from '#server/testing/account-calls.ts'
import { type Admin, openAdmin, readTrail, removeAllPeople } from '#server/testing/admin-calls.ts'
import { send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const GIVEN = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
const at = (name: string) => `${name}@grupopatio.com.br`

describeOnEachDatabase('invitations of a former administrator', (kind) => {
  const portal = setUpPortal({ kind })
  let sender: Admin
  let other: Admin
  beforeEach(async () => {
    for (const table of ['invitations', 'rate_limits', 'email_links'] as const)
      await portal.database.db.deleteFrom(table).execute()
    await removeAllPeople(portal)
    sender = await openAdmin(portal)
    other = await openAdmin(portal)
  })

  const call = (by: Admin, method: string, path = '', body?: object) =>
    send(portal, method, `/api/invitations${path}`, { token: by.token, body })
  const invite = (by: Admin, ...names: string[]) =>
    call(by, 'POST', '', { addresses: names.map(at).join(), defaults: GIVEN })
  const list = async () => (await call(other, 'GET')).body.items
  const findLink = async (name: string) => (await receiveMail(portal, at(name), 'invitation'))?.link

  const leave = {
    demotion: () => {
      const { database, clock } = portal
      const request = createCliRequest()
      const urls = { publicUrl: 'https://portal.example', companyEmailDomain: 'grupopatio.com.br' }
      return ADMIN_COMMANDS.revoke?.({ db: database.db, clock, request, ...urls }, sender.email)
    },
    deletion: () =>
      send(portal, 'POST', '/api/functions/delete-users', {
        token: other.token,
        body: { userIds: [sender.user_id] },
      }),
  }
  const losses = Object.keys(leave) as (keyof typeof leave)[]

  test.each(losses)('are withdrawn at their %s, and open again for who sends them again', async (loss) => {
    await invite(sender, 'ana', 'bia')
    await invite(other, 'caio')
    const links = { ana: await findLink('ana'), caio: await findLink('caio') }
    const queued = await portal.database.db
      .updateTable('mail_outbox')
      .set({ sent_at: null, attempts: 0 })
      .where('recipient', '=', at('bia'))
      .executeTakeFirst()
    expect(Number(queued.numUpdatedRows)).toBe(1)
    portal.mails.length = 0
    await leave[loss]()

    expect(await list()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ email: at('ana'), withdrawn_at: expect.any(String) }),
        expect.objectContaining({ email: at('bia'), withdrawn_at: expect.any(String) }),
        expect.objectContaining({ email: at('caio'), withdrawn_at: null }),
      ]),
    )
    expect((await previewLink(portal, 'invite', links.ana)).status).toBe(400)
    expect((await useLink(portal, 'invite', links.ana, { password: NEW_PASSWORD })).status).toBe(400)
    expect((await previewLink(portal, 'invite', links.caio)).status).toBe(200)
    expect(await receiveMail(portal, at('bia'), 'invitation')).toBeUndefined()
    const withdrawn = (await readTrail(portal)).filter(({ action }) => action === 'invitation-withdrawn')
    expect(withdrawn.map(({ before }) => (before as { email: string }).email).toSorted()).toEqual(
      [at('ana'), at('bia')].toSorted(),
    )
    const { user_id } = other
    expect(withdrawn[0]).toMatchObject({
      actor_id: loss === 'deletion' ? user_id : null,
      before: GIVEN,
    })

    const ana = (await list()).find(({ email }: { email: string }) => email === at('ana'))
    expect((await call(other, 'POST', `/${ana.id}/resend`)).body).toMatchObject({
      invited_by: other.email,
      withdrawn_at: null,
    })
    expect((await useLink(portal, 'invite', links.ana, { password: NEW_PASSWORD })).status).toBe(400)
    const { status } = await useLink(portal, 'invite', await findLink('ana'), { password: NEW_PASSWORD })
    expect(status).toBe(200)
    const accepted = (await readTrail(portal)).find(({ action }) => action === 'invitation-accepted')
    expect(accepted?.after).toMatchObject({ ...GIVEN, invited_by: other.email })
  })

  test.each(losses)('stay open after their %s if another one has sent them again', async (loss) => {
    await invite(sender, 'ana')
    const [{ id }] = await list()
    await call(other, 'POST', `/${id}/resend`)
    await leave[loss]()
    expect(await list()).toMatchObject([{ invited_by: other.email, withdrawn_at: null }])
    expect((await previewLink(portal, 'invite', await findLink('ana'))).status).toBe(200)
  })

  test.each(['demotion', 'deletion'])('open nothing after a %s by a replica of 0.2', async (loss) => {
    const { db } = portal.database
    await invite(sender, 'ana', 'bia')
    const link = await findLink('ana')
    await db
      .updateTable('mail_outbox')
      .set({ sent_at: null, attempts: 0 })
      .where('recipient', '=', at('bia'))
      .execute()
    portal.mails.length = 0
    // 0.2 knows no invitations: it changes only these tables.
    if (loss === 'deletion') await db.deleteFrom('profiles').where('user_id', '=', sender.user_id).execute()
    else
      await db.updateTable('user_roles').set({ role: 'user' }).where('user_id', '=', sender.user_id).execute()

    expect((await previewLink(portal, 'invite', link)).status).toBe(400)
    expect((await useLink(portal, 'invite', link, { password: NEW_PASSWORD })).status).toBe(400)
    expect(await receiveMail(portal, at('bia'), 'invitation')).toBeUndefined()
    expect(await list()).toMatchObject([
      { withdrawn_at: expect.any(String) },
      { withdrawn_at: expect.any(String) },
    ])
    await signUp(portal, at('ana'))
    const { link: own } = (await receiveMail(portal, at('ana'), 'verification')) ?? {}
    expect((await useLink(portal, 'signup', own, { password: NEW_PASSWORD })).status).toBe(200)
    const lost = (await readTrail(portal)).find(({ action }) => action === 'invitation-lost')
    expect(lost).toMatchObject({ target_email: at('ana'), after: { reason: 'withdrawn' } })
  })

  test('are withdrawn, accepted or never sent when all happens at once', async () => {
    await invite(sender, 'ana')
    const link = await findLink('ana')
    const [accepted, invited] = await Promise.all([
      useLink(portal, 'invite', link, { password: NEW_PASSWORD }),
      invite(sender, 'bia'),
      leave.deletion(),
    ])
    const rest = await list()
    const isKept = (name: string) => rest.some(({ email }: { email: string }) => email === at(name))
    expect(isKept('ana')).toBe(accepted.status !== 200)
    expect(isKept('bia')).toBe(invited.status === 200)
    for (const { withdrawn_at } of rest) expect(withdrawn_at).not.toBeNull()
  })
})
