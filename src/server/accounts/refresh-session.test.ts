import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { WantedSessionKind } from '#contract/access.ts'
import { isSignedIn, refreshSession } from '#server/testing/account-calls.ts'
import { readTrail } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { createTokens } from './tokens.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

describeOnEachDatabase('refreshing a session', (kind) => {
  const portal = setUpPortal({ kind })
  beforeEach(() => portal.clock.advance(MINUTE))

  const open = async (sessionKind: WantedSessionKind = 'full') =>
    openTestSession(portal, await addPerson(portal), sessionKind)
  /** Refreshes and expects success. */
  const renew = async (token: string, at = portal, device?: string) => {
    const { status, body } = await refreshSession(at, token, device)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as Awaited<ReturnType<typeof open>>
  }
  const isDead = async (token: string, at = portal, device?: string) => {
    const { status, body } = await refreshSession(at, token, device)
    if (status === 200) return false
    expect([status, body.code, body.error_code]).toEqual([
      400,
      'invalid-refresh-token',
      'invalid_refresh_token',
    ])
    return true
  }
  /** Returns the device token of a new browser of a session's owner. */
  const createDevice = ({ user }: { user: { email: string } }) =>
    createTokens(portal.keyring, portal.clock).devices.sign(randomUUID(), user.email)
  /** Makes it a session that 0.2 opened. */
  const unbind = async ({ user }: { user: { id: string } }) => {
    const { db } = portal.database
    await db.updateTable('sessions').set({ device_bound: false }).where('user_id', '=', user.id).execute()
  }
  const audited = async () => (await readTrail(portal)).filter(({ action }) => action === 'session-reuse')

  test('returns new tokens each time, for the same person', async () => {
    const first = await open()
    const second = await renew(first.refresh_token)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.access_token).not.toBe(first.access_token)
    expect(second.user.id).toBe(first.user.id)
    expect(await isSignedIn(portal, second.access_token)).toBe(true)
  })

  test('stores nothing in the database that could be replayed', async () => {
    const { refresh_token } = await open()
    const rows = await portal.database.db.selectFrom('sessions').selectAll().execute()
    const stored = rows.map((row) => Buffer.from(row.refresh_key).toString('hex')).join()
    expect(stored).not.toContain(Buffer.from(refresh_token, 'base64url').subarray(20).toString('hex'))
    expect(JSON.stringify(rows)).not.toContain(refresh_token)
  })

  describe('with the parent of the current token', () => {
    test('returns the same successor within ten seconds, even once that is in use', async () => {
      const parent = await open()
      const child = await renew(parent.refresh_token)
      await isSignedIn(portal, child.access_token)
      portal.clock.advance(10_000)
      expect((await renew(parent.refresh_token)).refresh_token).toBe(child.refresh_token)
    })

    test('returns the same successor to the same browser for two minutes while it is unused', async () => {
      const parent = await open()
      const device = createDevice(parent)
      const child = await renew(parent.refresh_token, portal, device)
      portal.clock.advance(2 * MINUTE)
      const again = await renew(parent.refresh_token, portal, device)
      expect(again.refresh_token).toBe(child.refresh_token)
      expect(await isSignedIn(portal, again.access_token)).toBe(true)
    })

    describe('more than two minutes later', () => {
      /** A refresh whose reply never arrived, since the lid was closed. */
      const closeLid = async (bound = true) => {
        const parent = await open()
        const device = createDevice(parent)
        if (!bound) await unbind(parent)
        return { parent, device, child: await renew(parent.refresh_token, portal, device) }
      }
      const readMails = async ({ user }: { user: { email: string } }) => {
        await portal.outbox.deliverDue()
        return portal.mails.filter(({ to }) => to === user.email).map(({ kind: sent }) => sent)
      }
      const expectAlarm = async ({ parent, device, child }: Awaited<ReturnType<typeof closeLid>>) => {
        const before = (await audited()).length
        expect(await isDead(parent.refresh_token, portal, device)).toBe(true)
        expect(await isDead(child.refresh_token, portal, device)).toBe(true)
        expect((await audited()).length).toBe(before + 1)
        expect(await readMails(parent)).toEqual(['session-reuse'])
      }

      test.each([2 * MINUTE + 1, 40 * MINUTE - 1])(
        'returns the unseen successor once to the same browser, after %i ms, and no mail',
        async (asleep) => {
          const { parent, device, child } = await closeLid()
          portal.clock.advance(asleep)
          const again = await renew(parent.refresh_token, portal, device)
          expect(again.refresh_token).toBe(child.refresh_token)
          // The lifetime counts from here: a refresh is not due before.
          portal.clock.advance(9 * MINUTE)
          expect(await isSignedIn(portal, again.access_token)).toBe(true)
          await renew(again.refresh_token, portal, device)
          expect(await readMails(parent)).toEqual([])
        },
      )

      test('ends the session the second time, but for tabs that wake together', async () => {
        const lid = await closeLid()
        portal.clock.advance(30 * MINUTE)
        const tabs = await Promise.all(
          Array.from({ length: 5 }, () => renew(lid.parent.refresh_token, portal, lid.device)),
        )
        expect(new Set(tabs.map((tab) => tab.refresh_token))).toEqual(new Set([lid.child.refresh_token]))
        portal.clock.advance(10_001)
        await expectAlarm(lid)
      })

      test('ends the session when its access token was seen', async () => {
        const lid = await closeLid()
        await isSignedIn(portal, lid.child.access_token)
        portal.clock.advance(2 * MINUTE + 1)
        await expectAlarm(lid)
      })

      test('ends the session when its refresh token was seen', async () => {
        const lid = await closeLid()
        await renew(lid.child.refresh_token, portal, lid.device)
        portal.clock.advance(2 * MINUTE + 1)
        await expectAlarm(lid)
      })

      test.each(['another browser', 'none'])('ends the session when it comes from %s', async (where) => {
        const lid = await closeLid()
        portal.clock.advance(2 * MINUTE + 1)
        await expectAlarm({ ...lid, device: where === 'none' ? '' : createDevice(lid.parent) })
      })

      test('ends a session that 0.2 opened, which knows no browser', async () => {
        const lid = await closeLid(false)
        portal.clock.advance(2 * MINUTE + 1)
        await expectAlarm(lid)
      })

      test('has expired after forty minutes, without an alarm', async () => {
        const { parent, device } = await closeLid()
        portal.clock.advance(40 * MINUTE)
        expect(await isDead(parent.refresh_token, portal, device)).toBe(true)
        expect(await readMails(parent)).toEqual([])
      })
    })

    test.each([
      ['the owner refreshed first', ['own', undefined]],
      ['the owner refreshed first, another browser later', ['own', 'other']],
      ['the thief refreshed first', [undefined, 'own']],
      ['the thief refreshed first, with a device token of their own', ['other', 'own']],
      ['both present none', [undefined, undefined]],
      ['both present a forged one', ['forged', 'forged']],
    ] as const)(
      'serves it elsewhere for ten seconds, then ends the session: %s',
      async (_, [first, second]) => {
        const parent = await open()
        const devices = {
          own: createDevice(parent),
          other: createDevice(parent),
          forged: createDevice(await open()),
        }
        const [one, two] = [first, second].map((name) => name && devices[name])
        const child = await renew(parent.refresh_token, portal, one)
        portal.clock.advance(10_000)
        expect((await renew(parent.refresh_token, portal, two)).refresh_token).toBe(child.refresh_token)
        portal.clock.advance(1)
        expect(await isDead(parent.refresh_token, portal, two)).toBe(true)
        expect(await isDead(child.refresh_token, portal, one)).toBe(true)
      },
    )

    test('returns the same successor anywhere for two minutes in a session opened by 0.2', async () => {
      const parent = await open()
      await unbind(parent)
      const child = await renew(parent.refresh_token, portal, createDevice(parent))
      portal.clock.advance(2 * MINUTE)
      expect((await renew(parent.refresh_token)).refresh_token).toBe(child.refresh_token)
    })

    test('signs no one out when sent five times at once', async () => {
      const parent = await open()
      const children = await Promise.all(Array.from({ length: 5 }, () => renew(parent.refresh_token)))
      expect(new Set(children.map((child) => child.refresh_token)).size).toBe(1)
      for (const child of children) expect(await isSignedIn(portal, child.access_token)).toBe(true)
      await renew(children[0]?.refresh_token as string)
    })

    test('ends the session once the successor is in use and ten seconds have passed', async () => {
      const parent = await open()
      const child = await renew(parent.refresh_token)
      await isSignedIn(portal, child.access_token)
      portal.clock.advance(10_001)
      expect(await isDead(parent.refresh_token)).toBe(true)
      expect(await isDead(child.refresh_token)).toBe(true)
      expect(await isSignedIn(portal, child.access_token)).toBe(false)
    })
  })

  describe('with a token older than the parent', () => {
    const steal = async () => {
      const stolen = await open()
      const parent = await renew(stolen.refresh_token)
      return { stolen, parent, current: await renew(parent.refresh_token) }
    }

    test('ends the session permanently, on every replica and after a restart', async () => {
      const { stolen, parent, current } = await steal()
      expect(await isDead(stolen.refresh_token)).toBe(true)
      const { database, clock } = portal
      const restarted = await startTestPortal({ kind, database, clock })
      for (const { refresh_token } of [stolen, parent, current])
        for (const at of [portal, restarted]) expect(await isDead(refresh_token, at)).toBe(true)
      expect(await isSignedIn(restarted, current.access_token)).toBe(false)
      await restarted.stop()
    })

    test('is recorded in the audit trail once', async () => {
      const before = (await audited()).length
      const { stolen } = await steal()
      await isDead(stolen.refresh_token)
      await isDead(stolen.refresh_token)
      const entries = (await audited()).slice(before)
      expect(entries).toHaveLength(1)
      expect(entries[0]).toMatchObject({
        target_id: stolen.user.id,
        ip: '127.0.0.1',
        at: new Date(portal.clock()),
      })
      expect(entries[0]?.after).toEqual({ presented: 0, current: 2 })
    })

    test('mails the owner once', async () => {
      const { stolen } = await steal()
      await isDead(stolen.refresh_token)
      await isDead(stolen.refresh_token)
      await portal.outbox.deliverDue()
      const mails = portal.mails.filter(({ to }) => to === stolen.user.email)
      expect(mails.map(({ kind }) => kind)).toEqual(['session-reuse'])
    })

    test('leaves the person’s other sessions open', async () => {
      const person = await addPerson(portal)
      const [mine, other] = [await openTestSession(portal, person), await openTestSession(portal, person)]
      await renew((await renew(mine.refresh_token)).refresh_token)
      expect(await isDead(mine.refresh_token)).toBe(true)
      await renew(other.refresh_token)
    })
  })

  describe('with a forged token', () => {
    const forgeries = (token: string) =>
      [0, 15, 19, 20, 35].map((at) => {
        const bytes = Buffer.from(token, 'base64url')
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
        return bytes.toString('base64url')
      })

    test('is refused without side effects', async () => {
      const { refresh_token } = await open()
      const malformed = ['x', refresh_token.slice(1), `${refresh_token}A`, `${refresh_token.slice(0, -1)}+`]
      for (const forged of [...forgeries(refresh_token), ...malformed])
        expect(await isDead(forged), forged).toBe(true)
      await renew(refresh_token)
    })

    test('does not consume the owner’s twelve per minute', async () => {
      const { refresh_token } = await open()
      for (let round = 0; round < 4; round++)
        for (const forged of forgeries(refresh_token)) expect(await isDead(forged)).toBe(true)
      await renew(refresh_token)
    })

    test('stores no rate limit rows', async () => {
      await portal.database.db.deleteFrom('rate_limits').execute()
      for (const forged of forgeries((await open()).refresh_token)) await isDead(forged)
      const rows = await portal.database.db.selectFrom('rate_limits').select('key').execute()
      expect(rows.filter(({ key }) => key.startsWith('refresh '))).toEqual([])
    })
  })

  test('works twelve times per minute', async () => {
    let { refresh_token } = await open()
    for (let count = 0; count < 12; count++) refresh_token = (await renew(refresh_token)).refresh_token
    const refused = await refreshSession(portal, refresh_token)
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 60])
    portal.clock.advance(MINUTE)
    await renew(refresh_token)
  })

  test('is refused for a session from a reset link', async () => {
    const { refresh_token, access_token } = await open('recovery')
    expect(await isDead(refresh_token)).toBe(true)
    expect((await isSignedIn(portal, access_token)) || 'limited').toBe('limited')
  })

  test('works up to forty minutes after the last refresh', async () => {
    const { refresh_token } = await open()
    portal.clock.advance(40 * MINUTE - 1)
    const child = await renew(refresh_token)
    portal.clock.advance(40 * MINUTE)
    expect(await isDead(child.refresh_token)).toBe(true)
  })

  test('works for SESSION_MAX_DAYS in total, as do the tokens it returns', async () => {
    const { database, clock } = portal
    const strict = await startTestPortal({ kind, database, clock, sessionMaxDays: 1 })
    let session = await open()
    for (let passed = 0; passed < DAY - 30 * MINUTE; passed += 30 * MINUTE) {
      clock.advance(30 * MINUTE)
      session = await renew(session.refresh_token, strict)
    }
    clock.advance(30 * MINUTE - 1)
    session = await renew(session.refresh_token, strict)
    expect(await isSignedIn(strict, session.access_token)).toBe(true)
    clock.advance(1)
    expect(await isSignedIn(strict, session.access_token)).toBe(false)
    expect(await isDead(session.refresh_token, strict)).toBe(true)
    await renew(session.refresh_token)
    await strict.stop()
  })

  test('fails after the person is deleted', async () => {
    const { refresh_token, user } = await open()
    await portal.database.db.deleteFrom('profiles').where('user_id', '=', user.id).execute()
    expect(await isDead(refresh_token)).toBe(true)
  })

  test('explains why the session ended, given an access token of it, expired or not', async () => {
    const { db } = portal.database
    const readReason = async ({ refresh_token, access_token }: Awaited<ReturnType<typeof open>>) => {
      const body = { refresh_token, access_token }
      const reply = await send(portal, 'POST', '/api/auth/token?grant_type=refresh_token', { body })
      expect(reply.status).toBe(400)
      return reply.body.detail
    }
    const endAll = (session: { user: { id: string } }) =>
      db.deleteFrom('sessions').where('user_id', '=', session.user.id).execute()

    const late = await open()
    portal.clock.advance(41 * MINUTE)
    expect(await readReason(late)).toMatch(/^Sua sessão expirou/)

    const ended = await open()
    await endAll(ended)
    expect(await readReason(ended)).toBe('Sua sessão terminou. Entre novamente.')
    const changed_at = new Date(portal.clock())
    await db
      .insertInto('passwords')
      .values({ user_id: ended.user.id, hash: '-', changed_at })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ changed_at }))
      .execute()
    portal.clock.advance(11 * MINUTE)
    expect(await readReason(ended)).toMatch(/^A senha desta conta foi trocada/)
    // An invalid access token gets no explanation.
    expect(await readReason({ ...ended, access_token: `${ended.access_token.slice(0, -6)}AAAAAA` })).toMatch(
      /^Sua sessão terminou/,
    )

    await db.deleteFrom('profiles').where('user_id', '=', ended.user.id).execute()
    expect(await readReason(ended)).toMatch(/^Sua conta foi removida/)
  })

  test('ends a session of a password once the portal is closed to them, but for the built-in address', async () => {
    const builtin = 'admin@grupopatio.com.br'
    const { database, clock } = portal
    const closed = { kind, database, clock, onlyMicrosoft: true, builtinAdminEmail: builtin }
    const replica = await startTestPortal(closed)
    const [mine, fromMicrosoft] = [await open(), await open()]
    const end = database.db.updateTable('sessions').set({ ends_at: new Date(portal.clock() + 60 * MINUTE) })
    await end.where('user_id', '=', fromMicrosoft.user.id).execute()
    const refused = await refreshSession(replica, mine.refresh_token)
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid-refresh-token'])
    await renew(fromMicrosoft.refresh_token, replica)
    const ofBuiltin = await openTestSession(portal, await addPerson(portal, { email: builtin }))
    await renew(ofBuiltin.refresh_token, replica)
    const body = { refresh_token: mine.refresh_token, access_token: mine.access_token }
    const told = await send(replica, 'POST', '/api/auth/token?grant_type=refresh_token', { body })
    expect(told.body.detail).toBe('Neste portal se entra com a conta Microsoft do grupo.')
    await replica.stop()
  })
})
