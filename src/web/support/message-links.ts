import type { SupportMessage } from '#contract/support.ts'
import { formatInstant } from '#web/ui/format-instant.ts'

/** A longer mailto URL is cut or refused by some mail programs. */
const QUOTED_CHARACTERS = 300

/** A mailto URL that begins an answer: the subject, and what was written, quoted (RFC 6068). */
export function replyLink({ email, message, created_at }: SupportMessage, groupName: string): string {
  const [local = '', domain = ''] = splitEmail(email)
  const characters = [...plainText(message)]
  const cut = characters.length > QUOTED_CHARACTERS ? '…' : ''
  const quoted = (characters.slice(0, QUOTED_CHARACTERS).join('') + cut)
    .split('\n')
    .map((line) => `> ${line}`)
  const body = ['', '', `Em ${formatInstant(created_at)}, você escreveu:`, ...quoted].join('\r\n')
  const subject = `Sua mensagem para ${groupName}`
  return `mailto:${encode(local)}@${encode(domain)}?subject=${encode(subject)}&body=${encode(body)}`
}

/** A tel URL of the number that a text begins with; undefined when it begins with none. */
export function phoneLink(phone: string): string | undefined {
  const number = /^[\d\s().+-]+/.exec(phone)?.[0] ?? ''
  const digits = number.replace(/\D/g, '')
  if (digits.length < 3) return undefined
  return `tel:${number.trimStart().startsWith('+') ? '+' : ''}${digits}`
}

/** Whether there is a phone to show at all: problem reports have a dash. */
export function hasPhone(phone: string): boolean {
  return /[\p{L}\p{N}]/u.test(phone)
}

function splitEmail(email: string): [local: string, domain: string] {
  const at = email.lastIndexOf('@')
  return [email.slice(0, at), email.slice(at + 1)]
}

/** Half of a pair of code units cannot be encoded, and must not break the page. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** What makes the text behind it run the other way, whatever it says (Unicode TR9): 'fdp.exe' reads 'exe.pdf'. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** Text of anybody's without what would show it other than it is; languages written from the right need none of it. */
export function plainText(text: string): string {
  return text.replace(DIRECTION_CONTROLS, '')
}

/** Plain text of which no more than two blank lines stand together, which would push the rest out of sight. */
export function compactText(text: string): string {
  return plainText(text).replace(/\n(?:[^\S\n]*\n){3,}/g, '\n\n\n')
}
