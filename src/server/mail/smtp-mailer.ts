import type { Mail, Mailer } from './mailer.ts'

/** However slow the server: a mail not taken by then counts as not sent. Shorter than the outbox's claim. */
const SEND_MS = 20_000
const SILENCE_MS = 10_000

/**
 * Sends mails over SMTP.
 * @param options.url smtp:// (STARTTLS where the server offers it; `?requireTLS=true` insists) or smtps://
 * @param options.from sender, 'Pátio <portal@…>'
 */
export function createSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  let transport: ReturnType<typeof openTransport> | undefined
  return {
    async deliver({ messageId, to, subject, text, html }: Mail) {
      transport ??= openTransport(url)
      await (await transport).sendMail({
        from,
        // As an object, so that nothing in an address is taken for a second one.
        to: { name: '', address: to },
        messageId,
        subject,
        text,
        html,
        // RFC 3834: no out-of-office answers to a machine.
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(SEND_MS),
      })
    },
  }
}

async function openTransport(url: string) {
  // Loaded when the first mail goes out: the demo never sends one.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    dnsTimeout: SILENCE_MS,
    connectionTimeout: SILENCE_MS,
    greetingTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
