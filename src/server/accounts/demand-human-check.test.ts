import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addPerson, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { answerChallenge, encodeAnswer, givePass } from '#server/testing/human-passes.ts'
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
  // Past every window of the limits.
  beforeEach(() => portal.clock.advance(5 * 60_000))

  const signIn = async (extra: object, address = email) => {
    const body = { email: address, password: TEST_PASSWORD, ...extra }
    const reply = await send(portal, 'POST', '/api/auth/token?grant_type=password', { body })
    return reply.status === 200 ? 'signed in' : `${reply.status} ${reply.body.code}`
  }
  const trade = async (token: string) =>
    (await send(portal, 'POST', '/api/functions/verify-recaptcha', { body: { token } })).body
  const rightAnswer = async () => encodeAnswer(await answerChallenge(portal))

  test('is demanded: without an answer, nobody signs in', async () => {
    expect(await signIn({})).toBe('400 human-check-required')
    expect(await signIn({ captcha: '' })).toBe('400 human-check-required')
    expect(await signIn({ gotrue_meta_security: {} })).toBe('400 human-check-required')
  })

  test('refuses a wrong password without a pass before looking at it', async () => {
    expect(await signIn({ password: 'errada' })).toBe('400 human-check-required')
    expect(await portal.database.db.selectFrom('sign_in_attempts').selectAll().execute()).toEqual([])
  })

  test('refuses what is no answer', async () => {
    const forged = encodeAnswer({ challenge: { parameters: {}, signature: 'x' }, solution: {} })
    for (const captcha of ['x', 'null', encodeAnswer({}), encodeAnswer([null]), forged]) {
      expect(await signIn({ captcha }), captcha).toBe('400 human-check-failed')
      expect(await trade(captcha), captcha).toEqual({ success: false })
    }
  })

  describe('takes a pass', () => {
    test('that a right answer was traded for, once', async () => {
      const { success, pass } = await trade(await rightAnswer())
      expect(success).toBe(true)
      expect(await signIn({ captcha: pass })).toBe('signed in')
      expect(await signIn({ captcha: pass })).toBe('400 human-check-failed')
    })

    test('once also when used five times at once', async () => {
      const captcha = await givePass(portal)
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => signIn({ captcha })))
      expect(outcomes.filter((outcome) => outcome === 'signed in')).toHaveLength(1)
    })

    test('for two minutes and no longer', async () => {
      const [used, late] = [await givePass(portal), await givePass(portal)]
      portal.clock.advance(118_000)
      expect(await signIn({ captcha: used })).toBe('signed in')
      portal.clock.advance(2_000)
      expect(await signIn({ captcha: late })).toBe('400 human-check-failed')
    })

    test('of another portal never', async () => {
      const other = await startTestPortal({ kind, database: portal.database, secrets: ['of another portal'] })
      expect(await signIn({ captcha: await givePass(other) })).toBe('400 human-check-failed')
      await other.stop()
    })
  })

  describe('takes a raw answer', () => {
    test('once, in the field of ours or of auth-js', async () => {
      const [ours, theirs] = [await rightAnswer(), await rightAnswer()]
      expect(await signIn({ captcha: ours })).toBe('signed in')
      expect(await signIn({ captcha: ours })).toBe('400 human-check-failed')
      expect(await signIn({ gotrue_meta_security: { captcha_token: theirs } })).toBe('signed in')
      expect(await signIn({ gotrue_meta_security: { captcha_token: theirs } })).toBe('400 human-check-failed')
    })

    test('once however it is written', async () => {
      const { challenge, solution } = await answerChallenge(portal)
      const first = encodeAnswer({ challenge, solution })
      expect((await trade(first)).success).toBe(true)
      const parameters = Object.fromEntries(Object.entries(challenge.parameters).reverse())
      const again = [
        first,
        `${first}\n`,
        first.replaceAll('=', ''),
        encodeAnswer({ solution, challenge, extra: 1 }),
        encodeAnswer({ solution: { ...solution, time: 1 }, challenge: { ...challenge, parameters } }),
        encodeAnswer({ solution, challenge: { ...challenge, signature: challenge.signature.toUpperCase() } }),
        encodeAnswer({ solution, challenge: { ...challenge, signature: [...challenge.signature] } }),
      ]
      for (const answer of again) {
        expect(await trade(answer), answer).toEqual({ success: false })
        expect(await signIn({ captcha: answer }), answer).toBe('400 human-check-failed')
      }
    })

    test('never with another solution or other parameters', async () => {
      const { challenge, solution } = await answerChallenge(portal)
      const wrong = [
        { challenge, solution: { ...solution, counter: (solution?.counter ?? 0) + 1 } },
        { challenge, solution: { ...solution, derivedKey: '00'.repeat(32) } },
        { challenge: { ...challenge, parameters: { ...challenge.parameters, cost: 2 } }, solution },
        { challenge: { ...challenge, parameters: { ...challenge.parameters, keyPrefix: '' } }, solution },
      ]
      for (const answer of wrong) expect(await trade(encodeAnswer(answer))).toEqual({ success: false })
      expect((await trade(encodeAnswer({ challenge, solution }))).success).toBe(true)
    })

    test('for twenty minutes and no longer', async () => {
      const [soon, late] = [await rightAnswer(), await rightAnswer()]
      portal.clock.advance(19 * 60_000)
      expect((await trade(soon)).success).toBe(true)
      portal.clock.advance(60_000)
      expect(await trade(late)).toEqual({ success: false })
    })
  })

  test('is skipped for the built-in administrator, in any letter case', async () => {
    expect(await signIn({}, BUILTIN)).toBe('signed in')
    expect(await signIn({}, ' Admin@GrupoPatio.com.br ')).toBe('signed in')
    expect(await signIn({}, `x${BUILTIN}`)).toBe('400 human-check-required')
  })

  test('wrong and used answers are worked on sixty times in five minutes from one address', async () => {
    const { challenge, solution } = await answerChallenge(portal)
    const wrong = encodeAnswer({ challenge, solution: { ...solution, derivedKey: '00'.repeat(32) } })
    const answer = (token: string) =>
      send(portal, 'POST', '/api/functions/verify-recaptcha', { body: { token } })
    const statuses = async (count: number, token: string) => {
      const found = []
      for (let asked = 0; asked < count; asked++) found.push((await answer(token)).status)
      return found
    }
    // What is no answer to a challenge costs nothing, and right answers are given back what they took.
    expect(await statuses(61, 'x')).toEqual(Array(61).fill(200))
    for (let count = 0; count < 61; count++) expect((await trade(await rightAnswer())).success).toBe(true)
    expect(await statuses(30, wrong)).toEqual(Array(30).fill(200))
    const used = encodeAnswer({ challenge, solution })
    expect(await statuses(32, used)).toEqual([...Array(31).fill(200), 429])
    expect((await answer(await rightAnswer())).headers.get('retry-after')).toBe('300')
    expect(await signIn({ captcha: wrong })).toBe('429 rate-limited')
  })
})
