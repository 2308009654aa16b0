import { withHost } from '#server/log.ts'

export interface Mail {
  /** With angle brackets, the same at each attempt (RFC 5322, 3.6.4). */
  messageId: string
  to: string
  kind: string
  subject: string
  text: string
  html: string
  /** Main link of the mail. */
  link: string | null
  attachment?: { filename: string; contentType: string; content: Buffer } | undefined
  /** Ends what the mail belongs to when it is posted to (RFC 8058). */
  unsubscribeUrl?: string
}

/** Interface for sending mails. */
export interface Mailer {
  /** Sends a mail. @returns the server's words, once it has taken the mail; rejects if that is uncertain */
  // biome-ignore lint/suspicious/noConfusingVoidType: others than SMTP say nothing
  deliver(mail: Mail): Promise<string | void>
}

const CONNECT_TIMEOUT_MS = 10_000
/** For all before the mail's content, so that a mute server does not hold others. */
const COMMANDS_TIMEOUT_MS = 20_000
/**
 * For the answer to the final dot (RFC 5321, 4.5.3.2.6): scanners may take that long, and a client
 * that gives up before sends copies.
 */
export const ANSWER_TIMEOUT_MS = 600_000

/**
 * Creates a mailer for SMTP. Its errors have `isUnanswered` when the server may have taken the mail.
 * @param options.url smtp:// (STARTTLS if offered; `?requireTLS=true` requires it) or smtps://
 * @param options.from sender, 'Pátio <portal@…>'
 */
export function createSmtpMailer(options: {
  url: string
  from: string
  commandsTimeoutMs?: number
  answerTimeoutMs?: number
}): Mailer {
  const { url, from, commandsTimeoutMs = COMMANDS_TIMEOUT_MS, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options
  return {
    async deliver({ messageId, to, subject, text, html, attachment, unsubscribeUrl }) {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(new Error('Timeout')), commandsTimeoutMs)
      let hasContentLeft = false
      const transport = await openTransport(url, answerTimeoutMs, ({ tnx }, line) => {
        if (tnx !== 'message' && !(tnx === 'server' && line.startsWith('354'))) return
        hasContentLeft = true
        clearTimeout(timer)
      })
      const message = {
        from,
        // An object, so that an address cannot contain a second one.
        to: { name: '', address: to },
        messageId,
        subject,
        text,
        html,
        // RFC 3834: prevents out-of-office replies.
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribeUrl && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
        ...(attachment && { attachments: [attachment] }),
        signal: late.signal,
      }
      try {
        const { response } = await withHost(new URL(url).host, () => transport.sendMail(message))
        return response
      } catch (error) {
        const isUnanswered = hasContentLeft && !(error as { responseCode?: number }).responseCode
        throw Object.assign(error as Error, { isUnanswered })
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Checks whether mails may be sent unencrypted: only a required STARTTLS cannot be stripped. */
export function canSendUnencrypted(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'smtp:' && !isLocal && searchParams.get('requireTLS') !== 'true'
}

/**
 * Connects, encrypts if configured and signs in, without sending.
 * @throws the library's error
 */
export async function verifySmtpServer(url: string, ms: number): Promise<void> {
  const transport = await openTransport(url, ms)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

type FollowConversation = (entry: { tnx?: string }, line: string) => void

/** @param follow is told of replies ('server') and of the end of the content ('message') */
async function openTransport(url: string, socketTimeout: number, follow: FollowConversation = () => {}) {
  // Loaded with the first mail: the demo never sends one.
  const { createTransport } = await import('nodemailer')
  const ignore = () => {}
  const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, socketTimeout)
  return createTransport({
    url,
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout,
    disableFileAccess: true,
    disableUrlAccess: true,
    // The library's only public sign of how far it is.
    logger: { trace: ignore, debug: follow, info: follow, warn: ignore, error: ignore, fatal: ignore },
    transactionLog: true,
  })
}
