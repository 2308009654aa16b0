import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { CALLBACK_PATH } from '#server/accounts/microsoft-directory.ts'
import {
  previewLink,
  receiveMail,
  refreshSession,
  requestRecovery,
  signIn,
  signUp,
} from '#server/testing/account-calls.ts'
import { clearTrail, readTrail } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { comeBack, enterWithMicrosoft, goToMicrosoft } from '#server/testing/directory-calls.ts'
import { registerPasskey, signInByPasskey } from '#server/testing/factor-calls.ts'
import { answerChallenge, encodeAnswer } from '#server/testing/human-passes.ts'
import { sendContactForm } from '#server/testing/inbox-calls.ts'
import { EXAMPLES, EXAMPLES_WITHOUT_BODY, getRouteName, ROUTES } from '#server/testing/route-callers.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'
import { createAuthenticator } from '#server/testing/software-authenticator.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const ORIGIN = 'http://localhost'
/** What a form or no-cors fetch sends. */
const FORM_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
const START = 'GET /auth/microsoft'
const CALLBACK = `GET ${CALLBACK_PATH}`

/** The table of docs/security.md: the limits of an address, their routes, and what they close there. */
const DOCUMENTED = new Map(
  readFileSync('docs/security.md', 'utf8')
    .split('\n### Limits of an address')[1]
    ?.split('\n### ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [limit = '', routes = '', , closes = ''] = line.split('|').slice(1, -1)
      const list = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
      return [list(limit)[0] ?? '', { routes: list(routes), closes: list(closes) }] as const
    }),
)

describeOnEachDatabase('a limit of an address', (kind) => {
  const { directory, portal } = setUpDirectory(kind)
  let someone = 0
  beforeEach(async () => {
    portal.clock.advance(48 * 60 * 60_000)
    await clearTrail(portal.database.db)
  })

  const address = () => `pessoa.${++someone}@grupopatio.com.br`
  const token = () => randomBytes(32).toString('base64url')
  const isDone = async (reply: Promise<{ status: number }>) => (await reply).status < 300
  /** As the widget does, which asks the portal for a pass. */
  const getPass = async () => {
    const body = { token: encodeAnswer(await answerChallenge(portal)) }
    const reply = await send(portal, 'POST', '/api/functions/verify-recaptcha', { body })
    return (reply.body.pass as string | undefined) ?? ''
  }

  /** What somebody at the same address may still do. */
  async function prepareWays(): Promise<Record<string, () => Promise<boolean>>> {
    const person = await addPerson(portal, { email: address(), password: TEST_PASSWORD })
    const key = createAuthenticator(ORIGIN)
    const session = await openTestSession(portal, person)
    await registerPasskey(portal, { token: session.access_token, email: person.email, key })
    const keyless = await addPerson(portal, { email: address(), password: TEST_PASSWORD })
    const { device_token } = (await signIn(portal, keyless.email, TEST_PASSWORD)).body
    await requestRecovery(portal, keyless.email)
    const mail = await receiveMail(portal, keyless.email, 'recovery')
    const enter = async (body: object) =>
      isDone(
        send(portal, 'POST', '/api/auth/token?grant_type=password', {
          body: { email: keyless.email, password: TEST_PASSWORD, ...body },
        }),
      )
    return {
      'new browser': async () => enter({ captcha: await getPass() }),
      'known browser': async () =>
        enter({ captcha: encodeAnswer(await answerChallenge(portal)), device_token }),
      passkey: () => isDone(signInByPasskey(portal, (options) => key.sign(options))),
      Microsoft: async () => (await enterWithMicrosoft(portal, directory, 'novata')).status === 200,
      'mailed link': () => isDone(previewLink(portal, 'recovery', mail?.link)),
      'open session': () => isDone(refreshSession(portal, session.refresh_token)),
      'sign-up': async () => isDone(signUp(portal, address(), undefined, await getPass())),
      'asking for a reset': () => isDone(requestRecovery(portal, address())),
      'asking for a confirmation': () =>
        isDone(send(portal, 'POST', '/api/auth/resend', { body: { type: 'signup', email: address() } })),
      'contact form': () => isDone(sendContactForm(portal)),
    }
  }

  /** What a stranger does until a limit is full. @returns the code of the refusal */
  const strangers: Record<string, () => Promise<string | undefined>> = {
    'sign-in': async () =>
      (await signIn(portal, address(), TEST_PASSWORD, { captcha: await getPass() })).body.code,
    'human-check': async () => {
      const { challenge, solution } = await answerChallenge(portal)
      const wrong = encodeAnswer({ challenge, solution: { ...solution, derivedKey: 'ff'.repeat(32) } })
      const path = '/api/functions/verify-recaptcha'
      return (await send(portal, 'POST', path, { body: { token: wrong } })).body.code
    },
    'sign-up': async () => (await signUp(portal, address(), undefined, await getPass())).body.code,
    recover: async () => (await requestRecovery(portal, address())).body.code,
    resend: async () =>
      (await send(portal, 'POST', '/api/auth/resend', { body: { type: 'signup', email: address() } })).body
        .code,
    'email-link': async () =>
      (await send(portal, 'POST', '/api/auth/not-me', { body: { token_hash: token() } })).body.code,
    'refused-refresh': async () => (await refreshSession(portal, token())).body.code,
    passkey: async () => {
      const key = createAuthenticator(ORIGIN)
      return (await signInByPasskey(portal, (options) => key.sign(options))).body.code
    },
    microsoft: async () => {
      const trip = await goToMicrosoft(portal, directory, 'novata')
      const search = trip.search.replace(/code=[^&]*/, 'code=forged')
      return (await comeBack(portal, { ...trip, search })).refusal
    },
    contact: async () => (await sendContactForm(portal)).body.code,
    'contact-daily': async () => (await sendContactForm(portal)).body.code,
  }

  /** Names of the limits of this address that were used, without those of one passkey. */
  const readUsed = async () => {
    const { rows } = await sql<{ name: string }>`select split_part(key, ' ', 1) as name from rate_limits
      where key like '% 127.0.0.1' and key not like '% % %' order by name`.execute(portal.database.db)
    return rows.map(({ name }) => name)
  }

  test('stands in docs/security.md', () => {
    expect([...DOCUMENTED.keys()].toSorted()).toEqual(Object.keys(strangers).toSorted())
  })

  test.each([...DOCUMENTED])('closes what docs/security.md says: %s', async (limit, { closes }) => {
    const ways = await prepareWays()
    await sql`truncate rate_limits`.execute(portal.database.db)
    const ask = strangers[limit] as () => Promise<string | undefined>
    await ask()
    // As if it had gone on until the limit was full.
    await sql`update rate_limits set taken = 10000 where key = ${`${limit} 127.0.0.1`}`.execute(
      portal.database.db,
    )
    expect(['rate-limited', 'too-many']).toContain(await ask())
    const closed: string[] = []
    for (const [name, isOpen] of Object.entries(ways)) if (!(await isOpen())) closed.push(name)
    expect(closed).toEqual(closes)
  })

  const listExamples = (name: string, path: string) =>
    EXAMPLES[name as keyof typeof EXAMPLES] ?? [
      { path: EXAMPLES_WITHOUT_BODY[name as keyof typeof EXAMPLES_WITHOUT_BODY] ?? path, body: undefined },
    ]
  const open = ROUTES.filter(({ access }) => access === 'public').map((route) => ({
    name: getRouteName(route) as string,
    method: route.method as string,
    path: route.path as string,
  }))
  const addresses = [START, CALLBACK].map((name) => ({ name, method: 'GET', path: name.slice(4) }))
  const PUBLIC = [...open, ...addresses]

  test.each(PUBLIC)('is used by $name only as documented, and never by a page elsewhere', async (route) => {
    const { name, method, path } = route
    for (const example of listExamples(name, path)) {
      await sql`truncate rate_limits`.execute(portal.database.db)
      const { body } = example
      // Without CORS a page sends no JSON, and it learns no state.
      for (const type of FORM_TYPES)
        await fetch(`${portal.url}${example.path}?state=x&code=y`.replace(/\?(.*)\?/, '?$1&'), {
          method,
          redirect: 'manual',
          ...(method === 'POST' && { headers: { 'content-type': type }, body: JSON.stringify(body ?? '') }),
        }).then((reply) => reply.text())
      expect(await readUsed()).toEqual([])
      await fetch(portal.url + example.path, {
        method,
        redirect: 'manual',
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }).then((reply) => reply.text())
      const allowed = [...DOCUMENTED].filter(([, { routes }]) => routes.includes(name))
      for (const used of await readUsed()) expect(allowed.map(([limit]) => limit)).toContain(used)
      expect(await readTrail(portal)).toEqual([])
    }
  })
})
