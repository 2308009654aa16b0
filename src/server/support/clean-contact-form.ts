import { contactMessages } from '#contract/support.ts'
import { ProblemError } from '#server/http/problem-error.ts'

/** What somebody wrote, the way it is stored. */
export interface ContactForm {
  name: string
  email: string
  phone: string
  message: string
}

const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu
const CONTROLS_BUT_LINES = /(?![\n\t])\p{Cc}/gu
/** Something that leaves a mark on the screen. */
const VISIBLE = /[^\p{C}\p{Z}\p{M}]/u

/** A text of one line: every run of line breaks and other control characters becomes one space. */
export function cleanLine(text: string): string {
  return text.replace(CONTROLS, ' ').trim()
}

/** A text of many lines: line breaks, whatever their kind, and tabs stay; other control characters go. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(CONTROLS_BUT_LINES, '')
    .trim()
}

/**
 * Cleans what the contract has let through.
 * @throws ProblemError invalid-input naming each field of which nothing visible is left
 */
export function cleanContactForm({ name, email, phone, message }: ContactForm): ContactForm {
  const cleaned = { name: cleanLine(name), email, phone: cleanLine(phone), message: cleanText(message) }
  const fields = (['name', 'phone', 'message'] as const)
    .filter((path) => !VISIBLE.test(cleaned[path]))
    .map((path) => ({ path, message: contactMessages[`${path}Required`] }))
  if (fields[0]) throw new ProblemError('invalid-input', { detail: fields[0].message, fields })
  return cleaned
}
