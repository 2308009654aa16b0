/** What the portal hands over, as far as the mailbox keeps it. */
export interface DeliveredMail {
  to: string
  kind: string
  subject: string
  text: string
  /** The one link that the mail is about. */
  link: string | null
}

/** A mail as GET /demo/mailbox.json lists it. */
export interface CapturedMail extends DeliveredMail {
  id: string
  /** ISO 8601, UTC */
  sentAt: string
}
