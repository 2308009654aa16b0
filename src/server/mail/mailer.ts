/** A mail that is ready to go. */
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
