import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import {
  atMost,
  defineFault,
  exactly,
  type FaultRun,
  killHard,
  startFaultPortal,
  type Verdict,
} from '#proof/shared/fault.ts'
import { timeUntil } from '#proof/shared/load.ts'
import { earnPasses } from '#proof/shared/people.ts'
import type { StartedPortal } from '#proof/shared/processes.ts'
import { newSecret } from '#proof/shared/processes.ts'
import { type Answer, ask } from '#proof/shared/requests.ts'
import type { CleanUp } from '#proof/shared/run-task.ts'
import { temporaryFolder } from '#proof/shared/run-task.ts'
import { clockAhead } from '#server/testing/portal-process.ts'
import { type ReceivedMail, startSmtpInbox } from '#server/testing/smtp-inbox.ts'

const PEOPLE = 5
const PASSWORD = 'Travessia-Lunar-88!'
/** How long the outbox leaves a taken mail alone. */
const CLAIM_SECONDS = 60

/** The mail server takes connections and says nothing; later it falls silent in the middle of a mail. */
export const mailServerSilent = defineFault({
  name: 'mail server silent, kill in mid-send',
  async run(run) {
    const port = run.port + 5
    const env = realPortal(run, port)
    const silence = await listenInSilence(port, run.cleanUp)
    const portal = await startFaultPortal(run, run.port, env)
    const people = Array.from({ length: PEOPLE }, (_, index) => `pessoa${index}@exemplo.com.br`)
    const answers: Answer[] = []
    for (const email of people) answers.push(await signUp(portal, email))
    await silence.stop()
    const inbox = await startSmtpInbox({ port })
    const arrivedMs = await timeUntil(async () => missing(people, inbox.mails) === 0, 90_000)
    const left = missing(people, inbox.mails)
    await inbox.stop()
    return [
      exactly('sign-ups that failed', answers.filter(({ status }) => status !== 200).length, 0),
      atMost('slowest sign-up', Math.max(...answers.map(({ ms }) => ms)), 1_000, 'ms'),
      exactly(
        `of ${PEOPLE} mails missing ${Math.round(arrivedMs / 1000)} s after the server came back`,
        left,
        0,
      ),
      ...(await killInMidSend(run, portal, env, port)),
    ]
  },
})

/** A portal as for real people, but for its limits: it has a mail server and no demo. */
function realPortal(run: FaultRun, smtpPort: number): Record<string, string> {
  return {
    PATIO_DEMO: 'false',
    DATA_DIR: temporaryFolder(run.cleanUp),
    PUBLIC_URL: `http://localhost:${run.port}`,
    SESSION_SECRET: newSecret(),
    COMPANY_EMAIL_DOMAIN: 'exemplo.com.br',
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    MAIL_FROM: 'portal@exemplo.com.br',
    POWERBI_TENANT_ID: 'exemplo.com.br',
    POWERBI_CLIENT_ID: '00000000-0000-0000-0000-000000000000',
    POWERBI_CLIENT_SECRET: 'nenhum',
    ALTCHA_COST: '50',
  }
}

async function signUp(portal: StartedPortal, email: string): Promise<Answer> {
  const [captcha] = await earnPasses(portal.url, 1)
  return ask(portal.url, {
    method: 'POST',
    path: '/api/auth/signup',
    body: { email, password: PASSWORD, captcha },
  })
}

const missing = (people: string[], mails: ReceivedMail[]) =>
  people.filter((email) => !mails.some(({ to }) => to.includes(email))).length

async function listenInSilence(port: number, cleanUp: CleanUp) {
  const server = createServer(() => {})
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  cleanUp(stop)
  return { stop }
}

/** The mail has arrived, the word that it was taken has not: after a kill it is sent again, and either copy is good. */
async function killInMidSend(
  run: FaultRun,
  portal: StartedPortal,
  env: Record<string, string>,
  port: number,
): Promise<Verdict[]> {
  const email = 'meio.caminho@exemplo.com.br'
  const slow = await startSmtpInbox({ port, answerAfterMs: 60_000 })
  await signUp(portal, email)
  await timeUntil(async () => slow.mails.some(({ to }) => to.includes(email)), 30_000)
  await killHard(portal)
  const first = slow.mails.find(({ to }) => to.includes(email))
  await Promise.race([slow.stop(), wait(1_000)])
  const inbox = await startSmtpInbox({ port })
  // In the shortened form nobody waits until the claim of the killed process has run out.
  const later = run.isShort ? clockAhead(CLAIM_SECONDS) : {}
  const again = await startFaultPortal(run, run.port, { ...env, ...later })
  await timeUntil(async () => inbox.mails.some(({ to }) => to.includes(email)), 90_000)
  const second = inbox.mails.find(({ to }) => to.includes(email))
  const used = await ask(again.url, {
    method: 'POST',
    path: '/api/auth/verify',
    body: { type: 'signup', token_hash: tokenIn(first) },
  })
  await inbox.stop()
  return [
    {
      promise: 'the mail cut off by a kill is sent again, under the same Message-ID',
      held: first?.messageId !== undefined && first.messageId === second?.messageId,
      seen: second ? 'sent again' : 'never came',
    },
    { promise: "the first copy's link is good", held: used.status === 200, seen: String(used.status) },
  ]
}

/** The token of the confirmation link in a mail as it came over the wire (quoted-printable). */
function tokenIn(mail: ReceivedMail | undefined): string {
  const text = (mail?.raw ?? '').replace(/=\r\n/g, '').replaceAll('=3D', '=')
  return /auth\/callback#token_hash=([\w-]{43})/.exec(text)?.[1] ?? ''
}
