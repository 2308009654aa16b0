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
  const formatted = formatNumber(text)
  if (formatted === undefined || formatted === text) return { text, caret }
  if (caret >= text.length) return { text: formatted, caret: formatted.length }
  return { text: formatted, caret: findCaret(formatted, extractDigits(text.slice(0, caret)).length) }
}

/** Returns the formatted number, undefined where it stays as typed. */
function formatNumber(text: string): string | undefined {
  const trimmed = text.trimStart()
  if (!/^\+?[\d\s().-]*$/.test(trimmed)) return undefined
  if (!trimmed.startsWith('+')) return formatWithoutPlus(trimmed)
  return trimmed.startsWith('+55') ? formatWithCountry(trimmed.slice(3)) : undefined
}

function formatWithoutPlus(text: string): string | undefined {
  const digits = extractDigits(text)
  // Too long for area code 55: it is the country code without its plus.
  if (/^55\d{10,11}$/.test(digits)) return formatWithCountry(digits.slice(2))
  if (isTypedOtherwise(text)) return digits + text.slice(-1)
  return formatNational(text) ?? removeFormatting(text)
}

function formatWithCountry(text: string): string | undefined {
  const formatted = formatNational(text)
  return formatted && `+55 ${formatted}`
}

function formatNational(text: string): string | undefined {
  const digits = extractDigits(text)
  const formatted = isGroupedOtherwise(text) ? undefined : formatDigits(digits)
  // A space after a complete number begins something else, such as an extension.
  return formatted && formatted + (digits.length >= 10 && /\s$/.test(text) ? ' ' : '')
}

/** Formats 3 to 11 digits; a separator is added only together with the next digit. */
function formatDigits(digits: string): string | undefined {
  const rest = digits.slice(2)
  if (!AREA.test(digits) || !FIRST_DIGIT.test(rest)) return undefined
  const isMobile = rest.startsWith('9')
  if (rest.length > (isMobile ? 9 : 8)) return undefined
  const firstPart = isMobile ? 5 : 4
  const last = rest.slice(firstPart)
  return `(${digits.slice(0, 2)}) ${rest.slice(0, firstPart)}${last && `-${last}`}`
}

/** Whether the leading digits are grouped unlike an area code: 1 555…, (555)…, 4004-…, 98765-…. */
function isGroupedOtherwise(text: string): boolean {
  return /^\D*(?:\d|\d{3,5})\D/.test(text) || /^\(\d{3}$/.test(text)
}

/** Whether the last separator shows that the leading digits were no area code: (55) 5-, (33) 33-. */
function isTypedOtherwise(text: string): boolean {
  return /^\(\d\d\) [2-5](?:[-. ]|\d-)$/.test(text)
}

/** Removes the formatting when a further digit shows that the number is not Brazilian. */
function removeFormatting(text: string): string | undefined {
  return /^\(\d\d\) \d{4,5}-\d{5,}$/.test(text) ? extractDigits(text) : undefined
}

function extractDigits(text: string): string {
  return text.replace(/\D/g, '')
}

function findCaret(text: string, count: number): number {
  let seen = 0
  let place = 0
  while (seen < count && place < text.length) {
    if (/\d/.test(text.charAt(place))) seen += 1
    place += 1
  }
  return place
}
