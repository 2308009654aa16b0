import { quoteForeignWords } from '#contract/foreign-words.ts'

/** Whom a refusal concerns: what the doctor says of it, and what to do. */
export const BLAMES = {
  recipient: {
    says: 'o servidor não aceitou o destinatário',
    todo: 'Confira o endereço da pessoa; o servidor dela também pode estar cheio.',
  },
  message: {
    says: 'o servidor não aceitou o tamanho ou o conteúdo',
    todo: 'Peça a quem cuida do servidor de e-mail que aceite os e-mails do portal.',
  },
  sender: {
    says: 'o servidor não aceitou o remetente ou a conta do portal',
    todo: 'Confira MAIL_FROM, e o usuário, a senha e o TLS de SMTP_URL; a conta precisa poder enviar como esse remetente.',
  },
  limit: {
    says: 'a conta do portal chegou a um limite de envio ou de espaço',
    todo: 'Espere, esvazie a caixa da conta ou peça um limite maior.',
  },
  server: {
    says: 'o servidor não respondeu, ou pediu para esperar',
    todo: 'Veja a verificação do servidor de e-mail, e o log dele.',
  },
} as const
export type Blame = keyof typeof BLAMES

export interface SmtpOutcome {
  blame: Blame
  /** Whether it ends at once: it would be refused again, whatever an operator does here. */
  isFinal: boolean
  /** Whether the server may have taken the mail: its answer to the last byte is missing. */
  mayHaveArrived: boolean
  /** The server's words, else the network's; fit to show. */
  words: string
}

/** Bounds the work on what a server says. */
const MAX_READ = 2_000
const isOver = true
/**
 * Outcomes by 'STEP code status text', the first that matches; END is the answer to the final dot.
 * Status codes: RFC 3463, and IANA's registry of RFC 5248. What nothing final matches is tried again.
 */
const OUTCOMES: readonly [pattern: RegExp, blame: Blame, isFinal?: true][] = [
  // Exchange Online's submission, all with 5.2.x: a mailbox, but the sender's.
  [/STOREDRV\.(Submission|ClientSubmit).{0,40}(Quota|limit)/, 'limit'],
  [/STOREDRV\.Submission|SendAsDenied|send (as|on behalf)/i, 'sender'],
  [/ 5\.1\.[78] |sender (address )?(rejected|denied|blocked|verify)/i, 'sender'],
  // X.2.3 and X.3.4, also to MAIL FROM, by its SIZE; 552 without a status is RFC 1870's.
  [/^(MAIL|RCPT|DATA|END) 5\d\d 5\.(2\.3|3\.4) /, 'message', isOver],
  [/^(MAIL|DATA|END) 552 - .*(size|too (large|big|long))/i, 'message', isOver],
  [
    / 5\.4\.5 |(sending|submission|relay|rate|connections?|messages?) (limit|quota)|too many|throttl/i,
    'limit',
  ],
  // A 5xx that names a time is none (nodemailer/nodemailer/issues/1555).
  [/^RCPT 5.*\b(temporar|(try|retry|again|resend)\b.{0,60}\b(later|minutes?|hours?)\b)/i, 'recipient'],
  [/\b(temporar|(try|retry|again|resend)\b.{0,60}\b(later|minutes?|hours?)\b)/i, 'server'],
  // X.1.1 to X.1.3, X.1.6, and X.1.10 of RFC 7505; Exchange Online's edge says 5.4.1.
  [/^(RCPT|DATA|END) 5\d\d 5\.1\.([1236]|10) /, 'recipient', isOver],
  [/^RCPT 5\d\d 5\.4\.1 .*recipient address rejected/i, 'recipient', isOver],
  [/^(RCPT|END) 55\d .*(unknown|no such|invalid) (user|recipient|mailbox)/i, 'recipient', isOver],
  [
    /^(RCPT|END) 55\d .*(user|recipient|mailbox|account|address|usu[aá]rio|destinat[aá]rio|caixa)\b.{0,60}\b(unknown|not found|not exist|n't exist|desconhecid[oa]|inexistente)\b/i,
    'recipient',
    isOver,
  ],
  // RFC 6531: the address needs SMTPUTF8, which the server lacks.
  [/^RCPT 5\d\d 5\.6\.[789] /, 'recipient', isOver],
  // X.6.Z, and content that a scanner names; 5.7.1 alone is policy, and 'unsolicited' a reputation.
  [/^(DATA|END) 5\d\d 5\.6\.\d+ /, 'message', isOver],
  [/^END 5.*\b(content|virus|malware|infected|attachments?)\b/i, 'message', isOver],
  // Relaying, authentication and TLS that the server demands.
  [/^(TLS|AUTH|MAIL|RCPT) 5\d\d 5\.7\.|^\w+ 530 |^RCPT 5.*\brelay/i, 'sender'],
  [/^END 5\d\d 5\.2\.|^RCPT (?!421|\d+ 4\.3\.)/, 'recipient'],
  [/^\w+ 5/, 'sender'],
]

type SmtpError = Record<string, unknown> & { cause?: { message?: unknown } }

/** Classifies an error of a mailer: nodemailer's, with our `isUnanswered`. */
export function classifyFailure(error: unknown): SmtpOutcome {
  const { code, command, response, message, cause, isUnanswered } = error as SmtpError
  const mayHaveArrived = isUnanswered === true
  if (typeof response !== 'string') {
    const words = quoteForeignWords(String(cause?.message ?? message ?? code))
    // The library refuses a sign-in without a password, and an address that would be a command.
    const blame = code === 'EAUTH' ? 'sender' : command === 'API' ? 'recipient' : 'server'
    return { blame, isFinal: blame === 'recipient', mayHaveArrived, words }
  }
  const said = response.slice(0, MAX_READ).replace(/\s+/g, ' ')
  const status = /(?:^\d{3}[ -]#?|\(#)([245]\.\d{1,3}\.\d{1,3})\b/.exec(said)?.[1] ?? '-'
  const key = `${toStep(String(command), code)} ${said.slice(0, 3)} ${status} ${said}`
  const [, blame = 'server', isFinal = false] = OUTCOMES.find(([pattern]) => pattern.test(key)) ?? []
  const words = quoteForeignWords(response)
  return { blame, isFinal: isFinal && said.startsWith('5'), mayHaveArrived, words }
}

/** Returns the step of the conversation that a command of nodemailer's errors belongs to. */
function toStep(command: string, code: unknown): string {
  if (command === 'DATA' && code === 'EMESSAGE') return 'END'
  return command === 'STARTTLS' ? 'TLS' : (/^(AUTH|MAIL|RCPT|DATA|EHLO|HELO)/.exec(command)?.[0] ?? 'CONN')
}
