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
  /** Sends a mail; resolves once the server has accepted it, rejects if that is uncertain. */
  deliver(mail: Mail): Promise<void>
}

/** Shorter than the outbox's claim, and than the shutdown time-out. */
const SEND_TIMEOUT_MS = 20_000
/**
 * Mails with attachments are sent by jobs, whose lease is extended meanwhile. Scanners of attachments
 * may take ten minutes to reply (RFC 5321, 4.5.3.2.6).
 */
const ATTACHMENT_TIMEOUT_MS = 600_000
const SOCKET_TIMEOUT_MS = 10_000

/**
 * Creates a mailer for SMTP.
 * @param options.url smtp:// (STARTTLS if offered; `?requireTLS=true` requires it) or smtps://
 * @param options.from sender, 'Pátio <portal@…>'
 * @param options.sendTimeoutMs time-out of a mail in total; after it the mail counts as not sent
 */
export function createSmtpMailer(options: { url: string; from: string; sendTimeoutMs?: number }): Mailer {
  const { url, from, sendTimeoutMs = SEND_TIMEOUT_MS } = options
  const transports: Record<number, ReturnType<typeof openTransport>> = {}
  return {
    async deliver({ messageId, to, subject, text, html, attachment, unsubscribeUrl }) {
      const socketTimeoutMs = attachment ? ATTACHMENT_TIMEOUT_MS : SOCKET_TIMEOUT_MS
      transports[socketTimeoutMs] ??= openTransport(url, SOCKET_TIMEOUT_MS, socketTimeoutMs)
      const transport = await transports[socketTimeoutMs]
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
        signal: AbortSignal.timeout(attachment ? ATTACHMENT_TIMEOUT_MS : sendTimeoutMs),
      }
      await withHost(new URL(url).host, () => transport.sendMail(message))
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

async function openTransport(url: string, timeoutMs: number, socketTimeout = timeoutMs) {
  // Loaded with the first mail: the demo never sends one.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
