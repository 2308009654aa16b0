/** A text field's value and the position of its caret. */
interface TypedText {
  text: string
  caret: number
}

/** The area codes of the Brazilian numbering plan (Anatel); numbers such as 4004 and 3003 have none. */
const AREA = /^(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])/
/** After the area code, landlines begin with 2 to 5, mobile numbers with 9. */
const FIRST_DIGIT = /^[2-59]/

/**
 * Formats a Brazilian number while it is typed: (21) 98765-4321, (21)
 * 3456-7890, with +55 if the country code was typed. Other numbers,
 * 0800 and text stay as typed. The caret stays after the same digit.
 */
export function formatPhone({ text, caret }: TypedText): TypedText {
  const formatted = formattedPhone(text)
  if (formatted === undefined || formatted === text) return { text, caret }
  if (caret >= text.length) return { text: formatted, caret: formatted.length }
  return { text: formatted, caret: placeBehindDigit(formatted, digitsIn(text.slice(0, caret)).length) }
}

/** Returns the formatted number, undefined where it stays as typed. */
function formattedPhone(text: string): string | undefined {
  const trimmed = text.trimStart()
  if (!/^\+?[\d\s().-]*$/.test(trimmed)) return undefined
  if (!trimmed.startsWith('+')) return formattedWithoutPlus(trimmed)
  return trimmed.startsWith('+55') ? withCountry(trimmed.slice(3)) : undefined
}

function formattedWithoutPlus(text: string): string | undefined {
  const digits = digitsIn(text)
  // Too long for area code 55: it is the country code without its plus.
  if (/^55\d{10,11}$/.test(digits)) return withCountry(digits.slice(2))
  if (isTypedOtherwise(text)) return digits + text.slice(-1)
  return formattedNational(text) ?? withoutOwnMarks(text)
}

function withCountry(text: string): string | undefined {
  const written = formattedNational(text)
  return written && `+55 ${written}`
}

function formattedNational(text: string): string | undefined {
  const digits = digitsIn(text)
  const written = isSplitOtherwise(text) ? undefined : nationalPhone(digits)
  // A space after a complete number begins something else, such as an extension.
  return written && written + (digits.length >= 10 && /\s$/.test(text) ? ' ' : '')
}

/** Formats 3 to 11 digits; a separator is added only together with the next digit. */
function nationalPhone(digits: string): string | undefined {
  const rest = digits.slice(2)
  if (!AREA.test(digits) || !FIRST_DIGIT.test(rest)) return undefined
  const isMobile = rest.startsWith('9')
  if (rest.length > (isMobile ? 9 : 8)) return undefined
  const firstPart = isMobile ? 5 : 4
  const last = rest.slice(firstPart)
  return `(${digits.slice(0, 2)}) ${rest.slice(0, firstPart)}${last && `-${last}`}`
}

/** Whether the leading digits are grouped unlike an area code: 1 555…, (555)…, 4004-…, 98765-…. */
function isSplitOtherwise(text: string): boolean {
  return /^\D*(?:\d|\d{3,5})\D/.test(text) || /^\(\d{3}$/.test(text)
}

/** Whether the last separator shows that the leading digits were no area code: (55) 5-, (33) 33-. */
function isTypedOtherwise(text: string): boolean {
  return /^\(\d\d\) [2-5](?:[-. ]|\d-)$/.test(text)
}

/** Removes the formatting when a further digit shows that the number is not Brazilian. */
function withoutOwnMarks(text: string): string | undefined {
  return /^\(\d\d\) \d{4,5}-\d{5,}$/.test(text) ? digitsIn(text) : undefined
}

function digitsIn(text: string): string {
  return text.replace(/\D/g, '')
}

function placeBehindDigit(text: string, count: number): number {
  let seen = 0
  let place = 0
  while (seen < count && place < text.length) {
    if (/\d/.test(text.charAt(place))) seen += 1
    place += 1
  }
  return place
}
