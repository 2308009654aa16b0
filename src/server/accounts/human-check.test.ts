import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addPerson, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { answerChallenge, encodeAnswer, issuePass } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const BUILTIN = 'admin@grupopatio.com.br'

describeOnEachDatabase('the human check at sign-in', (kind) => {
  const portal = setUpPortal({ kind })
  let email: string
  beforeAll(async () => {
    await addPerson(portal, { email: BUILTIN, password: TEST_PASSWORD })
    email = (await addPerson(portal, { password: TEST_PASSWORD })).email
  })
  // Longer than every rate limit window.
  beforeEach(() => portal.clock.advance(5 * 60_000))

  const signIn = async (extra: object, address = email) => {
    const body = { email: address, password: TEST_PASSWORD, ...extra }
    const reply = await send(portal, 'POST', '/api/auth/token?grant_type=password', { body })
    return reply.status === 200 ? 'signed in' : `${reply.status} ${reply.body.code}`
  }
  const exchange = async (token: string) =>
    (await send(portal, 'POST', '/api/functions/verify-recaptcha', { body: { token } })).body
  const rightAnswer = async () => encodeAnswer(await answerChallenge(portal))

  test('is required', async () => {
    expect(await signIn({})).toBe('400 human-check-required')
    expect(await signIn({ captcha: '' })).toBe('400 human-check-required')
    expect(await signIn({ gotrue_meta_security: {} })).toBe('400 human-check-required')
  })

  test('rejects a wrong password without a pass before comparing it', async () => {
    expect(await signIn({ password: 'errada' })).toBe('400 human-check-required')
    expect(await portal.database.db.selectFrom('sign_in_attempts').selectAll().execute()).toEqual([])
  })

  test('rejects malformed answers', async () => {
    const forged = encodeAnswer({ challenge: { parameters: {}, signature: 'x' }, solution: {} })
    const { challenge, solution } = await answerChallenge(portal)
    const notText = { toString: 1, valueOf: 1 }
    const twisted = [
      { challenge: { ...challenge, signature: notText }, solution },
      {
        challenge: { ...challenge, parameters: { ...challenge.parameters, expiresAt: notText } },
        solution,
      },
      { challenge, solution: { ...solution, derivedKey: notText } },
    ].map(encodeAnswer)
    for (const captcha of ['x', 'null', encodeAnswer({}), encodeAnswer([null]), forged, ...twisted]) {
      expect(await signIn({ captcha }), captcha).toBe('400 human-check-failed')
      expect(await exchange(captcha), captcha).toEqual({ success: false })
    }
  })

  describe('accepts a pass', () => {
    test('once, in exchange for a correct answer', async () => {
      const { success, pass } = await exchange(await rightAnswer())
      expect(success).toBe(true)
      expect(await signIn({ captcha: pass })).toBe('signed in')
      expect(await signIn({ captcha: pass })).toBe('400 human-check-failed')
    })

    test('once, of five concurrent uses', async () => {
      const captcha = await issuePass(portal)
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => signIn({ captcha })))
      expect(outcomes.filter((outcome) => outcome === 'signed in')).toHaveLength(1)
    })

    test('for two minutes', async () => {
      const [used, late] = [await issuePass(portal), await issuePass(portal)]
      portal.clock.advance(118_000)
      expect(await signIn({ captcha: used })).toBe('signed in')
      portal.clock.advance(2_000)
      expect(await signIn({ captcha: late })).toBe('400 human-check-failed')
    })

    test('only from its own portal', async () => {
      const other = await startTestPortal({ kind, database: portal.database, secrets: ['of another portal'] })
      expect(await signIn({ captcha: await issuePass(other) })).toBe('400 human-check-failed')
      await other.stop()
    })
  })

  describe('accepts a raw answer', () => {
    test('once, in our field or that of auth-js', async () => {
      const [ours, theirs] = [await rightAnswer(), await rightAnswer()]
      expect(await signIn({ captcha: ours })).toBe('signed in')
      expect(await signIn({ captcha: ours })).toBe('400 human-check-failed')
      expect(await signIn({ gotrue_meta_security: { captcha_token: theirs } })).toBe('signed in')
      expect(await signIn({ gotrue_meta_security: { captcha_token: theirs } })).toBe('400 human-check-failed')
    })

    test('once, however it is encoded', async () => {
      const { challenge, solution } = await answerChallenge(portal)
      const first = encodeAnswer({ challenge, solution })
      expect((await exchange(first)).success).toBe(true)
      const parameters = Object.fromEntries(Object.entries(challenge.parameters).reverse())
      const again = [
        first,
        `${first} `,
        first.replaceAll('=', ''),
        encodeAnswer({ solution, challenge, extra: 1 }),
        encodeAnswer({ solution: { ...solution, time: 1 }, challenge: { ...challenge, parameters } }),
        encodeAnswer({ solution, challenge: { ...challenge, signature: challenge.signature.toUpperCase() } }),
        ...[[...challenge.signature], [challenge.signature], [[challenge.signature]]].map((signature) =>
          encodeAnswer({ solution, challenge: { ...challenge, signature } }),
        ),
      ]
      for (const answer of again) {
        expect(await exchange(answer), answer).toEqual({ success: false })
        expect(await signIn({ captcha: answer }), answer).toBe('400 human-check-failed')
      }
    })

    test('only with the right solution and parameters; a wrong solution uses the challenge up', async () => {
      const { challenge, solution } = await answerChallenge(portal)
      for (const wrong of [{ counter: (solution?.counter ?? 0) + 1 }, { derivedKey: '00'.repeat(32) }]) {
        const { challenge, solution } = await answerChallenge(portal)
        const answers = [
          { challenge, solution: { ...solution, ...wrong } },
          { challenge, solution },
        ]
        for (const answer of answers) expect(await exchange(encodeAnswer(answer))).toEqual({ success: false })
      }
      const wrong = [
        { challenge: { ...challenge, parameters: { ...challenge.parameters, cost: 2 } }, solution },
        { challenge: { ...challenge, parameters: { ...challenge.parameters, keyPrefix: '' } }, solution },
      ]
      for (const answer of wrong) expect(await exchange(encodeAnswer(answer))).toEqual({ success: false })
      expect((await exchange(encodeAnswer({ challenge, solution }))).success).toBe(true)
    })

    test('for twenty minutes', async () => {
      const [soon, late] = [await rightAnswer(), await rightAnswer()]
      portal.clock.advance(19 * 60_000)
      expect((await exchange(soon)).success).toBe(true)
      portal.clock.advance(60_000)
      expect(await exchange(late)).toEqual({ success: false })
    })
  })

  test('is skipped for the built-in administrator, in any letter case', async () => {
    expect(await signIn({}, BUILTIN)).toBe('signed in')
    expect(await signIn({}, ' Admin@GrupoPatio.com.br ')).toBe('signed in')
    expect(await signIn({}, `x${BUILTIN}`)).toBe('400 human-check-required')
  })

  test('checks 600 wrong answers in five minutes from one address', async () => {
    const answer = (token: string) =>
      send(portal, 'POST', '/api/functions/verify-recaptcha', { body: { token } })
    const statuses = async (count: number, createAnswer: () => Promise<string>) => {
      const found = []
      for (let asked = 0; asked < count; asked++) found.push((await answer(await createAnswer())).status)
      return found
    }
    const wrongAnswer = async () => {
      const challenge = await (await fetch(`${portal.url}/api/auth/challenge`)).json()
      return encodeAnswer({ challenge, solution: { counter: 1, derivedKey: '00'.repeat(32) } })
    }
    const wrong = await wrongAnswer()
    const used = await rightAnswer()
    expect([await exchange(used), (await answer(wrong)).status]).toMatchObject([{ success: true }, 200])
    await portal.database.db
      .updateTable('rate_limits')
      .set({ taken: 598 })
      .where('key', 'like', 'human-check %')
      .where('taken', '=', 1)
      .execute()
    // Malformed answers cost nothing; correct ones are refunded.
    expect(await statuses(3, async () => 'x')).toEqual([200, 200, 200])
    expect(await statuses(3, rightAnswer)).toEqual([200, 200, 200])
    expect([...(await statuses(1, wrongAnswer)), (await answer(used)).status]).toEqual([200, 200])
    expect((await answer(wrong)).status).toBe(429)
    expect(await statuses(1, wrongAnswer)).toEqual([429])
    const late = await rightAnswer()
    expect((await answer(late)).headers.get('retry-after')).toBe('300')
    expect(await signIn({ captcha: late })).toBe('429 rate-limited')
    // An answer that was not checked may be sent again.
    portal.clock.advance(5 * 60_000)
    expect((await exchange(late)).success).toBe(true)
  })
})
