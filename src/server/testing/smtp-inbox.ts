import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A mail received by the server. */
export interface ReceivedMail {
  from: string
  to: string[]
  /** Raw headers and body. */
  raw: string
  messageId: string | undefined
}

export interface SmtpInbox {
  port: number
  url: string
  mails: ReceivedMail[]
  stop(): Promise<void>
}

/**
 * Starts a real mail server on loopback.
 * @param options.port to restart on after an outage; a free one by default
 * @param options.answerAfterMs delay of the reply after the data
 * @param options.rejects SMTP code for every mail, after its data
 * @param options.rejectsRecipient SMTP code for every recipient
 * @param options.reason text after either code
 */
export async function startSmtpInbox({
  port = 0,
  rejects = 0,
  rejectsRecipient = 0,
  reason = 'refused',
  answerAfterMs = 0,
} = {}): Promise<SmtpInbox> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    // The portal rejects its self-signed certificate.
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onRcptTo: (_, __, done) => done(rejectsRecipient ? createRefusal(rejectsRecipient, reason) : null),
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope
      text(stream).then((raw) => {
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          messageId: /^Message-ID:\s*(\S+)/im.exec(raw)?.[1],
        })
        const answer = rejects ? createRefusal(rejects, reason) : null
        setTimeout(() => done(answer), answerAfterMs).unref()
      }, done)
    },
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.server.address() as AddressInfo
  return {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function createRefusal(responseCode: number, reason: string): Error {
  return Object.assign(new Error(reason), { responseCode })
}
