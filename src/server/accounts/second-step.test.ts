import { beforeEach, describe, expect, test } from 'vitest'
import {
  disown,
  findNotMeLink,
  isSignedIn,
  listSignIns,
  receiveMail,
  refreshSession,
  requestRecovery,
  signIn,
  useLink,
} from '#server/testing/account-calls.ts'
import { addFactor, addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { allowEnrolment, challenge, enrolTotp, showCode, verifyCode } from '#server/testing/factor-calls.ts'
import { issuePass } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const MINUTE = 60_000
const SECRET = 'a secret of 20 bytes'
/** As a Japanese or Chinese keyboard writes it. */
const toFullWidth = (ascii: string) =>
  ascii.replaceAll(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0))

describeOnEachDatabase('the second step', (kind) => {
  const portal = setUpPortal({ kind })
  let person: Awaited<ReturnType<typeof addPerson>>
  beforeEach(async () => {
    portal.clock.advance(61 * MINUTE)
    portal.mails.length = 0
    person = await addPerson(portal, { password: TEST_PASSWORD })
  })
  const enter = async (at = portal) => (await signIn(at, person.email, TEST_PASSWORD)).body
  const readOutcomes = async () =>
    (
      await portal.database.db
        .selectFrom('failed_sign_ins')
        .select(['outcome', 'attempts'])
        .where('user_id', '=', person.user_id)
        .orderBy('outcome')
        .execute()
    ).map(({ outcome, attempts }) => `${outcome} ${attempts}`)
  const readActions = async () =>
    (
      await portal.database.db
        .selectFrom('audit_entries')
        .select('action')
        .where('target_id', '=', person.user_id)
        .orderBy('id')
        .execute()
    ).map(({ action }) => action)
  const decode = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())

  test('follows the password, and opens what the password alone does not', async () => {
    const { id } = await addFactor(portal, person.user_id)
    const first = await enter()
    expect(first.user).toMatchObject({
      app_metadata: { second_factor: 'verify' },
      factors: [{ id, factor_type: 'totp', status: 'verified', friendly_name: 'Celular' }],
    })
    expect(decode(first.access_token)).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] })
    expect((await send(portal, 'GET', '/api/reports/me', { token: first.access_token })).body.code).toBe(
      'second-factor-required',
    )
    const { status, body } = await verifyCode(portal, first.access_token, id, showCode(portal, SECRET))
    expect(status).toBe(200)
    expect(body.user.app_metadata.second_factor).toBeNull()
    expect(decode(body.access_token)).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'password' }, { method: 'totp' }],
    })
    expect(await isSignedIn(portal, first.access_token)).toBe(true)
    expect(await listSignIns(portal, person.user_id)).toEqual([
      'first-step password',
      'sign-in password+totp',
    ])
    const refreshed = await refreshSession(portal, body.refresh_token)
    expect(decode(refreshed.body.access_token).aal).toBe('aal2')
  })

  test('reads a code as phones and keyboards of other scripts write it', async () => {
    const { id } = await addFactor(portal, person.user_id)
    const code = showCode(portal, SECRET).replace(/^.../, '\u202a$& - ')
    const { access_token } = await enter()
    expect((await verifyCode(portal, access_token, id, toFullWidth(code))).status).toBe(200)
  })

  test('comes before the change that a short password requires', async () => {
    person = await addPerson(portal, { password: 'curta123' })
    const { id } = await addFactor(portal, person.user_id)
    const { body: first } = await signIn(portal, person.email, 'curta123')
    expect(first.user.app_metadata).toMatchObject({ second_factor: 'verify', must_change_password: false })
    const change = (token: string) =>
      send(portal, 'POST', '/api/functions/change-password', {
        token,
        body: { newPassword: 'Travessia-Lunar-88!' },
      })
    expect((await change(first.access_token)).body.code).toBe('second-factor-required')
    const { body } = await verifyCode(portal, first.access_token, id, showCode(portal, SECRET))
    expect(body.user.app_metadata.must_change_password).toBe(true)
    expect((await change(body.access_token)).body).toMatchObject({ success: true })
  })

  test('takes each code once, in two tabs and on two replicas at once too', async () => {
    const { id } = await addFactor(portal, person.user_id)
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const tabs = [await enter(), await enter()]
    const code = showCode(portal, SECRET)
    const replies = await Promise.all(
      tabs.map(({ access_token }, tab) => verifyCode(tab ? replica : portal, access_token, id, code)),
    )
    await replica.stop()
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(replies.find(({ status }) => status === 400)?.body.detail).toBe(
      'Este código já foi usado. Espere o próximo, que aparece em até 30 segundos.',
    )
    expect(await readOutcomes()).toEqual(['code-used 1'])
    portal.clock.advance(MINUTE)
    const { access_token } = await enter()
    expect((await verifyCode(portal, access_token, id, showCode(portal, SECRET))).status).toBe(200)
  })

  test.each([
    ['atrasado', -2 * MINUTE],
    ['adiantado', 2 * MINUTE],
  ])('says that a clock is 2 minutes %s', async (way, offsetMs) => {
    const { id } = await addFactor(portal, person.user_id)
    const { access_token } = await enter()
    const code = showCode(portal, SECRET, offsetMs)
    const { status, body } = await verifyCode(portal, access_token, id, code)
    expect([status, body.code, body.detail]).toEqual([
      400,
      'factor-refused',
      `O relógio do aparelho que gera os códigos está 2 minutos ${way}. Ligue nele a hora automática, espere o próximo código e tente de novo.`,
    ])
    expect(await readOutcomes()).toEqual(['clock-off 1'])
  })

  test('takes no code of a clock that is ahead when its time comes, neither the last nor the one before', async () => {
    const { id } = await addFactor(portal, person.user_id)
    const { access_token } = await enter()
    const say = async (code: string) => (await verifyCode(portal, access_token, id, code)).body.detail
    const first = showCode(portal, SECRET, 2 * MINUTE)
    expect(await say(first)).toContain('adiantado')
    portal.clock.advance(30_000)
    const second = showCode(portal, SECRET, 2 * MINUTE)
    expect(await say(second)).toContain('adiantado')
    portal.clock.advance(MINUTE + 30_000)
    expect(await say(first)).toContain('já foi usado')
    portal.clock.advance(30_000)
    expect(await say(second)).toBeDefined()
  })

  test('locks after three wrong codes, also for a right password between them, and warns the owner', async () => {
    const { id } = await addFactor(portal, person.user_id)
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const statuses: number[] = []
    for (let guess = 0; guess < 12; guess++) {
      const at = guess % 2 ? replica : portal
      const { access_token } = await enter(at)
      statuses.push((await verifyCode(at, access_token, id, `00000${guess % 10}`)).status)
      portal.clock.advance(1_000)
    }
    expect(statuses.filter((status) => status === 400)).toHaveLength(3)
    const { access_token } = await enter()
    const locked = await verifyCode(portal, access_token, id, showCode(portal, SECRET))
    expect([locked.status, locked.body.detail]).toEqual([
      429,
      'Muitos códigos errados. Aguarde um pouco e tente de novo.',
    ])
    for (let guess = 0; guess < 3; guess++) {
      portal.clock.advance(16 * MINUTE)
      await verifyCode(portal, (await enter()).access_token, id, '000000')
    }
    await replica.stop()
    expect((await receiveMail(portal, person.email, 'factor-failures'))?.text).toContain(
      'alguém que sabe a sua senha errou várias vezes',
    )
  })

  describe('in many browsers that the account knows', () => {
    let id: string
    const devices: string[] = []
    const enterFrom = async (device_token: string | undefined) => {
      const captcha = await issuePass(portal)
      const body = { email: person.email, password: TEST_PASSWORD, captcha, device_token }
      return (await send(portal, 'POST', '/api/auth/token?grant_type=password', { body })).body
    }
    beforeEach(async () => {
      devices.length = 0
      for (let browser = 0; browser < 4; browser++) devices.push((await enter()).device_token)
      portal.clock.advance(25 * 60 * MINUTE)
      ;({ id } = await addFactor(portal, person.user_id))
    })
    const guess = async (device: string | undefined) =>
      (await verifyCode(portal, (await enterFrom(device)).access_token, id, '000000')).status

    test('has one count of wrong codes, whose lock grows to four hours', async () => {
      const statuses: number[] = []
      for (const device of devices) statuses.push(await guess(device), await guess(device))
      expect(statuses.filter((status) => status === 400)).toHaveLength(3)
      let guesses = 0
      for (let hour = 0; hour < 24; hour++) {
        portal.clock.advance(60 * MINUTE)
        if ((await guess(devices[hour % 4])) === 400) guesses++
      }
      expect(guesses).toBeLessThan(14)
    })

    test('keeps the owner out of no other way, and lifts the lock with a new password, for one guess', async () => {
      for (const device of devices) await guess(device)
      const { access_token: token } = await enterFrom(devices[0])
      expect((await verifyCode(portal, token, id, showCode(portal, SECRET))).status).toBe(429)
      const use = (code: string) =>
        send(portal, 'POST', '/api/auth/factors/recovery-codes/verify', { token, body: { code } })
      expect((await use('AAAA-BBBB-CCCC-DDDD')).body.code).toBe('factor-refused')
      await requestRecovery(portal, person.email)
      const link = (await receiveMail(portal, person.email, 'recovery'))?.link
      const password = 'Outra-Travessia-77!'
      expect((await useLink(portal, 'recovery', link, { password })).status).toBe(200)
      const reenter = async () => (await signIn(portal, person.email, password)).body.access_token
      expect((await verifyCode(portal, await reenter(), id, '000000')).status).toBe(400)
      expect((await verifyCode(portal, await reenter(), id, '000000')).status).toBe(429)
    })
  })

  test('is a challenge of the same person and factor, for five minutes', async () => {
    const { id } = await addFactor(portal, person.user_id)
    const other = await addPerson(portal, { password: TEST_PASSWORD })
    const { id: otherId } = await addFactor(portal, other.user_id)
    const { access_token } = await openTestSession(portal, other)
    const { access_token: token } = await enter()
    expect((await challenge(portal, access_token, id)).status).toBe(404)
    const foreign = (await challenge(portal, access_token, otherId)).body.id
    const own = (await challenge(portal, token, id)).body.id
    const answer = (challenge_id: string) =>
      send(portal, 'POST', `/api/auth/factors/${id}/verify`, {
        token,
        body: { challenge_id, code: showCode(portal, SECRET) },
      })
    expect((await answer(foreign)).body.detail).toBe('O pedido venceu ou já foi respondido. Tente de novo.')
    portal.clock.advance(5 * MINUTE + 1000)
    expect((await answer(own)).body.code).toBe('factor-refused')
  })

  describe('is set up', () => {
    const enrol = (token: string) =>
      send(portal, 'POST', '/api/auth/factors', { token, body: { factor_type: 'totp' } })

    test('with the mailed link in a browser that is new, and ends the other sessions', async () => {
      const other = await enter()
      const { access_token } = await enter()
      expect((await enrol(access_token)).body.code).toBe('factor-link-needed')
      expect((await allowEnrolment(portal, access_token, person.email)).status).toBe(204)
      expect((await enrol(other.access_token)).body.code).toBe('factor-link-needed')
      const { body } = await enrol(access_token)
      expect(body.totp.qr_code).toMatch(/^<svg /)
      expect(body.totp.uri).toContain(`secret=${body.totp.secret}`)
      // It protects nothing before its first code.
      expect((await enter()).user.app_metadata.second_factor).toBeNull()
      expect((await verifyCode(portal, access_token, body.id, '000000')).status).toBe(400)
      const verified = await verifyCode(portal, access_token, body.id, showCode(portal, body.totp.secret))
      expect(verified.status).toBe(200)
      expect(await isSignedIn(portal, other.access_token)).toBe(false)
      expect(await isSignedIn(portal, verified.body.access_token)).toBe(true)
      expect(await readActions()).toEqual(['factor-added'])
      expect(await receiveMail(portal, person.email, 'factor-added')).toBeDefined()
    })

    test('without it in a browser that signed in a day ago, but not in one of today', async () => {
      const { device_token } = await enter()
      const again = async () => {
        const captcha = await issuePass(portal)
        const body = { email: person.email, password: TEST_PASSWORD, captcha, device_token }
        const reply = await send(portal, 'POST', '/api/auth/token?grant_type=password', { body })
        return reply.body.access_token as string
      }
      expect((await enrol(await again())).body.code).toBe('factor-link-needed')
      portal.clock.advance(24 * 60 * MINUTE)
      expect((await enrol(await again())).status).toBe(200)
    })

    test('not by the password alone beside a factor, nor with an address that nobody proved to own', async () => {
      await addFactor(portal, person.user_id)
      const { access_token } = await enter()
      expect((await enrol(access_token)).body.code).toBe('second-factor-required')
      expect((await send(portal, 'POST', '/api/auth/factors/link', { token: access_token })).status).toBe(409)
      person = await addPerson(portal, { email_verified_at: null, password: TEST_PASSWORD })
      expect((await enrol((await enter()).access_token)).body.detail).toMatch(/^Confirme seu e-mail primeiro/)
    })

    test('not while 0.2 is at work, which would open the account without it', async () => {
      const { access_token } = await enter()
      await allowEnrolment(portal, access_token, person.email)
      const { db } = portal.database
      const old = await openTestSession(portal, await addPerson(portal))
      const { sid } = decode(old.access_token)
      await db.updateTable('sessions').set({ renewed_at: null }).where('id', '=', sid).execute()
      expect((await enrol(access_token)).body).toMatchObject({
        code: 'conflict',
        detail: expect.stringContaining('abre uma hora depois'),
      })
      await db.deleteFrom('sessions').where('id', '=', sid).execute()
      expect((await enrol(access_token)).status).toBe(200)
    })

    test('but not where the owner proved who they are long ago', async () => {
      const { access_token: token, refresh_token } = await openTestSession(portal, person)
      await allowEnrolment(portal, token, person.email)
      const body = { factor_type: 'totp' }
      const { body: begun } = await send(portal, 'POST', '/api/auth/factors', { token, body })
      portal.clock.advance(11 * MINUTE)
      const { body: renewed } = await refreshSession(portal, refresh_token)
      const code = showCode(portal, begun.totp.secret)
      const { status, body: refused } = await verifyCode(portal, renewed.access_token, begun.id, code)
      expect([status, refused.code]).toEqual([403, 'reauthentication-needed'])
    })

    test("and undone by 'não fui eu' in its mail, with the password and all sessions", async () => {
      const older = await addFactor(portal, person.user_id)
      await portal.database.db
        .updateTable('factors')
        .set({ verified_at: new Date(portal.clock() - 30 * 24 * 60 * MINUTE) })
        .execute()
      const { access_token } = await openTestSession(portal, person, 'full', 'passkey')
      await enrolTotp(portal, access_token, person.email)
      const mail = await receiveMail(portal, person.email, 'factor-added')
      expect((await disown(portal, findNotMeLink(mail))).body).toEqual({ outcome: 'sessions-ended' })
      expect(await isSignedIn(portal, access_token)).toBe(false)
      expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(400)
      const left = await portal.database.db
        .selectFrom('factors')
        .select('id')
        .where('user_id', '=', person.user_id)
        .execute()
      expect(left).toEqual([{ id: older.id }])
    })
  })

  test('of a session of 0.2 is asked for by the database', async () => {
    await addFactor(portal, person.user_id)
    const at = new Date(portal.clock())
    const opening = portal.database.db.insertInto('sessions').values({
      id: crypto.randomUUID(),
      user_id: person.user_id,
      kind: 'full',
      refresh_key: Buffer.alloc(0),
      created_at: at,
      refreshed_at: at,
    })
    await expect(opening.execute()).rejects.toThrow('this person has a second factor')
  })

  test('is removed with the recovery codes of the last, and the owner is mailed', async () => {
    const { access_token } = await enter()
    const { id, session } = await enrolTotp(portal, access_token, person.email)
    const token = session.access_token
    await send(portal, 'POST', '/api/auth/factors/recovery-codes', { token })
    expect((await send(portal, 'DELETE', `/api/auth/factors/${id}`, { token })).body).toEqual({ id })
    expect((await send(portal, 'GET', '/api/auth/factors/recovery-codes', { token })).status).toBe(404)
    expect((await enter()).user.app_metadata.second_factor).toBeNull()
    expect(await readActions()).toEqual(['factor-added', 'recovery-codes-created', 'factor-removed'])
    expect(await receiveMail(portal, person.email, 'factor-removed')).toBeDefined()
  })

  test('proves who one is within a session, as the password does', async () => {
    const { access_token } = await enter()
    const { id, secret, session } = await enrolTotp(portal, access_token, person.email)
    portal.clock.advance(11 * MINUTE)
    const { body: refreshed } = await refreshSession(portal, session.refresh_token)
    const remove = (token: string) => send(portal, 'DELETE', `/api/auth/factors/${id}`, { token })
    expect((await remove(refreshed.access_token)).body.code).toBe('reauthentication-needed')
    const prove = async (code: string) => {
      const { body } = await challenge(portal, refreshed.access_token, id)
      return send(portal, 'POST', '/api/auth/reauthenticate', {
        token: refreshed.access_token,
        body: { factor_id: id, challenge_id: body.id, code },
      })
    }
    expect((await prove('000000')).body.code).toBe('factor-refused')
    const { body } = await prove(showCode(portal, secret))
    expect(decode(body.access_token).aal).toBe('aal2')
    expect((await remove(body.access_token)).status).toBe(200)
  })

  describe('by a recovery code', () => {
    const enterWith = async (code: string) => {
      const { access_token } = await enter()
      return send(portal, 'POST', '/api/auth/factors/recovery-codes/verify', {
        token: access_token,
        body: { code },
      })
    }

    test('works once, ends the other sessions, tells the owner, and requires the link next', async () => {
      const { access_token } = await enter()
      const { session } = await enrolTotp(portal, access_token, person.email)
      const token = session.access_token
      const { body } = await send(portal, 'POST', '/api/auth/factors/recovery-codes', { token })
      expect(body.codes).toHaveLength(10)
      expect(body.codes[0]).toMatch(/^[A-Z2-9]{4}(-[A-Z2-9]{4}){3}$/)
      const used = await enterWith(`\u200e${toFullWidth(body.codes[3]).toLowerCase().replaceAll('－', ' ')}`)
      expect(used.status).toBe(200)
      expect(await isSignedIn(portal, token)).toBe(false)
      const own = used.body.access_token
      expect(
        (await send(portal, 'GET', '/api/auth/factors/recovery-codes', { token: own })).body,
      ).toMatchObject({
        total: 10,
        remaining: 9,
      })
      expect((await enterWith(body.codes[3])).body.detail).toBe(
        'Este código de recuperação não confere, ou já foi usado.',
      )
      expect(await readActions()).toContain('recovery-code-used')
      expect((await listSignIns(portal, person.user_id)).slice(0, 3)).toEqual([
        'sign-in password',
        'first-step password',
        'sign-in password+mfa/recovery_code',
      ])
      expect(await receiveMail(portal, person.email, 'recovery-code-used')).toBeDefined()
      await portal.database.db.updateTable('sessions').set({ known_device: crypto.randomUUID() }).execute()
      const more = await send(portal, 'POST', '/api/auth/factors', {
        token: own,
        body: { factor_type: 'totp' },
      })
      expect(more.body.code).toBe('factor-link-needed')
      const fresh = await send(portal, 'POST', '/api/auth/factors/recovery-codes/regenerate', { token: own })
      expect(fresh.body.codes).toHaveLength(10)
      expect((await enterWith(body.codes[4])).status).toBe(400)
      expect((await enterWith(fresh.body.codes[4])).status).toBe(200)
    })

    test('works once on two replicas at once', async () => {
      const { access_token } = await enter()
      const { session } = await enrolTotp(portal, access_token, person.email)
      const path = '/api/auth/factors/recovery-codes'
      const { body } = await send(portal, 'POST', path, { token: session.access_token })
      const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
      const tabs = [await enter(), await enter()]
      const replies = await Promise.all(
        tabs.map(({ access_token: token }, tab) =>
          send(tab ? replica : portal, 'POST', `${path}/verify`, { token, body: { code: body.codes[0] } }),
        ),
      )
      await replica.stop()
      const [won, ...more] = replies.filter(({ status }) => status === 200)
      expect(more).toEqual([])
      const left = await send(portal, 'GET', path, { token: won?.body.access_token })
      expect(left.body.remaining).toBe(9)
      const used = (await readActions()).filter((action) => action === 'recovery-code-used')
      expect(used).toHaveLength(1)
    })

    test('needs a factor beside it', async () => {
      const { access_token: token } = await enter()
      expect((await send(portal, 'POST', '/api/auth/factors/recovery-codes', { token })).body.code).toBe(
        'conflict',
      )
    })
  })
})
