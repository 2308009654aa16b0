import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeChange } from '#contract/describe-change.ts'
import { MICROSOFT_REFUSALS, type MicrosoftRefusal } from '#contract/microsoft.ts'
import type { Config } from '#server/config.ts'
import { listMicrosoftChecks } from '#server/doctor/check-microsoft.ts'
import { runChecks } from '#server/doctor/run-checks.ts'
import { createLog } from '#server/log.ts'
import { readTrail, removeAllPeople } from '#server/testing/admin-calls.ts'
import {
  ODD_ANSWERS,
  PAGE_CODES,
  REDIRECT_ANSWERS,
  TOKEN_ANSWERS,
} from '#server/testing/directory-answers.ts'
import { comeBack, goToMicrosoft } from '#server/testing/directory-calls.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const MASKED = 'novata@grupopatio.com.br'

describeOnEachDatabase('what Microsoft answers', (kind) => {
  const { directory, portal: empty } = setUpDirectory(kind, 1)
  const lines: string[] = []
  let portal: TestPortal
  beforeAll(async () => {
    portal = await startTestPortal({
      kind,
      database: empty.database,
      clock: empty.clock,
      microsoft: directory.createClient(),
      log: createLog('warn', { write: (line) => void lines.push(line) }),
    })
  })
  afterAll(() => portal.stop())
  beforeEach(async () => {
    await removeAllPeople(empty)
    for (const table of ['rate_limits', 'failed_sign_ins'] as const)
      await empty.database.db.deleteFrom(table).execute()
    lines.length = 0
  })
  afterEach(() => {
    directory.hooks.intercept = undefined
    delete directory.find('novata').refusal
  })

  /** What 'Saúde' says of the sign-ins of late. */
  async function readHealth(): Promise<string> {
    const config = { entra: directory.options, publicUrl: 'http://localhost' } as unknown as Config
    const checks = listMicrosoftChecks(config, empty.database.db)
    const found = await runChecks(checks.filter(({ name }) => name === 'microsoft-claims'))
    return found.map(({ says, todo }) => `${says} ${todo ?? ''}`).join('\n')
  }

  /** The description that Microsoft gives beside an error, with what no reader is to see. */
  const describeError = (code: number | undefined, error: string) =>
    `${code ? `AADSTS${code}: ` : ''}${error} of '${MASKED}'.\r\nTrace ID: 0000aaaa-11bb-cccc-dd22-eeeeee333333`

  async function check(
    search: string,
    cookies: Awaited<ReturnType<typeof goToMicrosoft>>['portalCookies'],
    wanted: { refusal: MicrosoftRefusal; code?: string | undefined; health?: RegExp | undefined },
  ) {
    const back = await comeBack(portal, { search, portalCookies: cookies })
    // The person reads a sentence, by its name.
    expect(back.location).toBe(`http://localhost/auth/callback#type=microsoft&erro=${wanted.refusal}`)
    // The administrator reads it in the trail, counted by the hour.
    const after = await waitFor(async () => {
      const rows = empty.database.db.selectFrom('failed_sign_ins').select(['outcome', 'attempts'])
      const [row, ...others] = await rows.execute()
      expect([row?.attempts, others]).toEqual([1, []])
      return row
    })
    const at = new Date().toISOString()
    const change = { action: 'sign-in-refused', after, at, before: null, actor_id: null, actor_email: null }
    expect(describeChange(change as never)).toContain(MICROSOFT_REFUSALS[wanted.refusal])
    expect(await readTrail(empty)).toEqual([])
    // And in the log, with Microsoft's code, without what it says of the person.
    const line = lines.find((text) => text.includes('sign-in with Microsoft refused')) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({
      refusal: wanted.refusal,
      requestId: expect.any(String),
      ...(wanted.code && { code: wanted.code }),
    })
    expect(lines.join()).not.toContain(MASKED)
    const health = await readHealth()
    if (wanted.health) expect(health).toMatch(wanted.health)
    else expect(health).toMatch(/nenhuma declaração faltou/)
  }

  describe('at its authorization endpoint', () => {
    test.each(REDIRECT_ANSWERS)('$error $code', async ({ error, code, refusal, health }) => {
      const error_description = describeError(code, error)
      directory.find('novata').refusal = { error, error_description }
      const { search, portalCookies } = await goToMicrosoft(portal, directory, 'novata')
      expect(Object.fromEntries(new URLSearchParams(search))).toMatchObject({ error, error_description })
      const word = error === 'something_new' ? undefined : error
      await check(search, portalCookies, { refusal, health, code: code ? `AADSTS${code}` : word })
    })
  })

  describe('at its token endpoint', () => {
    test.each(TOKEN_ANSWERS)('$status $error $code', async ({ status, error, code, refusal, health }) => {
      const { search, portalCookies } = await goToMicrosoft(portal, directory, 'novata')
      const reply = {
        error,
        error_description: describeError(code, error),
        ...(code && {
          error_codes: [code],
          error_uri: `https://login.microsoftonline.com/error?code=${code}`,
        }),
        timestamp: '2026-11-28 02:02:12Z',
        trace_id: '0000aaaa-11bb-cccc-dd22-eeeeee333333',
        correlation_id: 'aaaa0000-bb11-2222-33cc-444444dddddd',
      }
      directory.hooks.intercept = (path) =>
        path.includes('/token')
          ? { status, type: 'application/json', body: JSON.stringify(reply) }
          : undefined
      // The library reads no body of a server's failure.
      const known = code ? `AADSTS${code}` : error
      await check(search, portalCookies, { refusal, health, code: status < 500 ? known : undefined })
    })

    test.each(ODD_ANSWERS)('$name', async ({ status, type, body }) => {
      const { search, portalCookies } = await goToMicrosoft(portal, directory, 'novata')
      directory.hooks.intercept = (path) => (path.includes('/token') ? { status, type, body } : undefined)
      await check(search, portalCookies, { refusal: 'directory-unavailable' })
    })
  })

  test('on its own page is told of in docs/sign-in.md, as the portal hears nothing', () => {
    const text = readFileSync('docs/sign-in.md', 'utf8')
    for (const code of PAGE_CODES) expect(text).toContain(`AADSTS${code}`)
  })
})
