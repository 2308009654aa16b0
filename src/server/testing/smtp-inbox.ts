import type { AddressInfo, Socket } from 'node:net'
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
  /** Cuts all connections without a word. */
  cut(): void
  stop(): Promise<void>
}

/** Steps of a conversation; END follows the final dot. */
export type SmtpStep = 'CONN' | 'AUTH' | 'MAIL' | 'RCPT' | 'END'

/**
 * Starts a real mail server on loopback.
 * @param options.port to restart on after an outage; a free one by default
 * @param options.answerAfterMs delay of the reply after the data
 * @param options.rejects SMTP code for every mail, after its data
 * @param options.rejectsRecipient SMTP code for every recipient
 * @param options.reason text after either code
 * @param options.answers refusals by step, such as '550 5.1.1 User unknown'
 * @param options.isMute whether nothing follows the final dot
 * @param options.refusesFrom a sender that is refused after the data, as by Exchange Online
 */
export async function startSmtpInbox({
  port = 0,
  rejects = 0,
  rejectsRecipient = 0,
  reason = 'refused',
  answerAfterMs = 0,
  answers = {} as Partial<Record<SmtpStep, string>>,
  isMute = false,
  refusesFrom = '',
} = {}): Promise<SmtpInbox> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    // The portal rejects its self-signed certificate.
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    allowInsecureAuth: answers.AUTH !== undefined,
    onConnect: (_, done) => done(toRefusal(answers.CONN)),
    onAuth: (_, __, done) => done(toRefusal(answers.AUTH)),
    onMailFrom: (_, __, done) => done(toRefusal(answers.MAIL)),
    onRcptTo: (_, __, done) =>
      done(rejectsRecipient ? createRefusal(rejectsRecipient, reason) : toRefusal(answers.RCPT)),
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope
      text(stream).then((raw) => {
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          messageId: /^Message-ID:\s*(\S+)/im.exec(raw)?.[1],
        })
        if (isMute) return
        const isDenied = mailFrom && mailFrom.address === refusesFrom
        const end = isDenied ? '554 5.2.252 SendAsDenied; not allowed to send as this sender' : answers.END
        const answer = rejects ? createRefusal(rejects, reason) : toRefusal(end)
        setTimeout(() => done(answer), answerAfterMs).unref()
      }, done)
    },
  })
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.server.address() as AddressInfo
  return {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function toRefusal(answer: string | undefined): Error | null {
  return answer ? createRefusal(Number(answer.slice(0, 3)), answer.slice(4)) : null
}

function createRefusal(responseCode: number, reason: string): Error {
  return Object.assign(new Error(reason), { responseCode })
}
