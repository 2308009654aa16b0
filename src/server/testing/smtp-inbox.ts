import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** What a mail server was handed. */
export interface ReceivedMail {
  from: string
  to: string[]
  /** Headers and body as they came over the wire. */
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
 * A real mail server on loopback.
 * @param options.port to come back on after an outage; any free one when left out
 * @param options.answerAfterMs lets the sender wait for the word that a mail was taken
 * @param options.rejects code with which every mail's data is answered, after having received it
 * @param options.rejectsRecipient code with which every recipient is answered
 * @param options.reason what stands behind either code
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
    // Its certificate is self-signed, which the portal rightly refuses.
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
