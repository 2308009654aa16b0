import { namingHost } from '#server/log.ts'

export interface Mail {
  /** With angle brackets, the same however often the mail is sent (RFC 5322, 3.6.4). */
  messageId: string
  to: string
  kind: string
  subject: string
  text: string
  html: string
  /** The one link that the mail is about. */
  link: string | null
}

/** The port behind which mails leave the portal. */
export interface Mailer {
  /** Hands a mail over; resolves once the other side has taken it, rejects when that is not certain. */
  deliver(mail: Mail): Promise<void>
}

/** Shorter than the outbox's claim on a row, and than the time that a stopping portal is given. */
const SEND_MS = 20_000
const SILENCE_MS = 10_000

/**
 * Sends mails over SMTP.
 * @param options.url smtp:// (STARTTLS where the server offers it; `?requireTLS=true` insists) or smtps://
 * @param options.from sender, 'Pátio <portal@…>'
 * @param options.sendMs however slow the server: a mail not taken by then counts as not sent
 */
export function createSmtpMailer(options: { url: string; from: string; sendMs?: number }): Mailer {
  const { url, from, sendMs = SEND_MS } = options
  let transport: ReturnType<typeof openTransport> | undefined
  return {
    async deliver({ messageId, to, subject, text, html }) {
      transport ??= openTransport(url)
      const open = await transport
      const message = {
        from,
        // As an object, so that nothing in an address is taken for a second one.
        to: { name: '', address: to },
        messageId,
        subject,
        text,
        html,
        // RFC 3834: no out-of-office answers to a machine.
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(sendMs),
      }
      await namingHost(new URL(url).host, () => open.sendMail(message))
    },
  }
}

/** Whether mails to this server may leave unencrypted: only STARTTLS that is insisted on cannot be stripped on the way. */
export function mayLeaveUnencrypted(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'smtp:' && !isLocal && searchParams.get('requireTLS') !== 'true'
}

/**
 * Connects, encrypts where that is wanted, signs in and leaves; sends nothing.
 * @throws what the library says of the server
 */
export async function greetMailServer(url: string, ms: number): Promise<void> {
  const transport = await openTransport(url, ms)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

async function openTransport(url: string, silenceMs = SILENCE_MS) {
  // Loaded when the first mail goes out: the demo never sends one.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    dnsTimeout: silenceMs,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
