import { expect, test } from 'vitest'
import { NEW_PASSWORD, signUp } from '#server/testing/account-calls.ts'
import { send } from '#server/testing/builders.ts'
import { issuePass } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

/** One character that folds to eighteen, repeated around the only letter. */
const WORST = `${'\uFDFA'.repeat(63)}a${'\uFDFA'.repeat(63)}`

describeOnEachDatabase('the costliest requests', (kind) => {
  const portal = setUpPortal({ kind })

  /** Returns the slowest response of /health/live while fifty sign-ups are sent. */
  const slowestPing = async (password: string, wanted: { captcha?: string } = {}) => {
    portal.clock.advance(2 * 3_600_000)
    const passes = await Promise.all(Array.from({ length: 50 }, () => wanted.captcha ?? issuePass(portal)))
    let isOver = false
    const codes = Promise.all(
      passes.map((pass) => signUp(portal, `p${crypto.randomUUID()}@grupopatio.com.br`, password, pass)),
    ).then((replies) => {
      isOver = true
      return [...new Set(replies.map(({ status, body }) => body.code ?? status))]
    })
    let slowest = 0
    while (!isOver) {
      const start = performance.now()
      expect((await send(portal, 'GET', '/api/health/live')).status).toBe(200)
      slowest = Math.max(slowest, performance.now() - start)
    }
    return { slowest, codes: await codes }
  }

  test('leave /health/live answering within 100 ms while fifty of them run', async () => {
    const ordinary = await slowestPing(NEW_PASSWORD)
    // On a busy machine, at most twice as slow as with fifty ordinary ones.
    const bound = Math.max(100, 2 * ordinary.slowest)
    const checked = await slowestPing(WORST)
    expect([checked.codes, checked.slowest < bound]).toEqual([[200], true])
    const refused = await slowestPing(WORST, { captcha: '' })
    expect([refused.codes, refused.slowest < bound]).toEqual([['human-check-required'], true])
  }, 60_000)
})
