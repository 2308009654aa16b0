import pino from 'pino'
import { createLog } from '#server/log.ts'
import { createSmtpMailer, type Mail, type Mailer } from '#server/mail/smtp-mailer.ts'
import { tokenOf } from './account-calls.ts'
import type { Canaries } from './canaries.ts'
import { startSmtpInbox } from './smtp-inbox.ts'
import type { DatabaseKind } from './test-database.ts'
import { startTestPortal } from './test-portal.ts'

/** Drives a portal whose every secret is a canary, and keeps what it says. */
export async function startWatchedPortal(kind: DatabaseKind, canaries: Canaries) {
  const heard = { log: '', refusals: '', statuses: [] as number[] }
  const sink = {
    write(line: string) {
      heard.log += line
    },
  }
  const inbox = await startSmtpInbox()
  const mails: Mail[] = []
  // The server takes no password without TLS, so every mail fails after it was offered.
  const smtp = createSmtpMailer({
    url: `smtp://portal:${encodeURIComponent(canaries.plant('SMTP password'))}@127.0.0.1:${inbox.port}`,
    from: 'portal@grupopatio.com.br',
  })
  const mailer: Mailer = {
    deliver(mail) {
      mails.push(mail)
      if (mail.link) canaries.watch(`token of a ${mail.kind} mail`, tokenOf(mail.link))
      return smtp.deliver(mail)
    },
  }
  const metricsToken = canaries.plant('metrics token')
  const portal = await startTestPortal({
    kind,
    rateLimits: false,
    log: createLog('debug', sink),
    // As in production: without the net of names that are cut out.
    requestLog: pino({ level: 'debug' }, sink),
    secrets: [canaries.plant('session secret'), canaries.plant('older session secret')],
    clientSecret: canaries.plant('client secret'),
    metricsToken,
    mailer,
  })
  const call = async (method: string, path: string, body?: unknown, token?: string) => {
    const reply = await fetch(portal.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    heard.statuses.push(reply.status)
    if (reply.status >= 400) heard.refusals += `${JSON.stringify([...reply.headers])} ${text}\n`
    return {
      status: reply.status,
      text,
      body: reply.status < 400 && path !== '/api/metrics' ? JSON.parse(text || '{}') : {},
    }
  }
  return {
    portal,
    heard,
    mails,
    call,
    scrape: async () => (await call('GET', '/api/metrics', undefined, metricsToken)).text,
    async stop() {
      await portal.stop()
      await inbox.stop()
    },
  }
}

export type WatchedPortal = Awaited<ReturnType<typeof startWatchedPortal>>
