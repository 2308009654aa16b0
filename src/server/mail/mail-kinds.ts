/** What mails there are. */
export type MailKind = 'verification'
