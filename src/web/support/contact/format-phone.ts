/** A text field's value and where the caret stands in it. */
export interface TypedText {
  text: string
  caret: number
}

/**
 * Writes a Brazilian number the way it is read, as it is typed: (21) 98765-4321, (21) 3456-7890, with +55 in
 * front where it was typed. Numbers of other countries, 0800 and what holds letters are left alone. The caret
 * stays behind the digit that it stood behind.
 */
export function formatPhone({ text, caret }: TypedText): TypedText {
  const formatted = formattedPhone(text)
  if (formatted === undefined || formatted === text) return { text, caret }
  if (caret >= text.length) return { text: formatted, caret: formatted.length }
  return { text: formatted, caret: placeBehindDigit(formatted, digitsIn(text.slice(0, caret)).length) }
}

/** The number as it is read; undefined where it is none that this function knows. */
function formattedPhone(text: string): string | undefined {
  if (!/^[\d\s().+-]*$/.test(text)) return undefined
  const trimmed = text.trimStart()
  const digits = digitsIn(trimmed)
  if (!trimmed.startsWith('+')) return trimmed.includes('+') ? undefined : nationalPhone(digits)
  if (!digits.startsWith('55')) return undefined
  const national = nationalPhone(digits.slice(2))
  return national === undefined ? undefined : `+55 ${national}`.trimEnd()
}

/** Up to 11 digits with the area code first; a separator comes only together with the digit behind it. */
function nationalPhone(digits: string): string | undefined {
  if (digits.startsWith('0') || digits.length > 11) return undefined
  if (digits.length === 0) return ''
  const area = digits.slice(0, 2)
  const rest = digits.slice(2)
  if (rest === '') return `(${area}`
  // A mobile number has nine digits and begins with a 9.
  const firstPart = rest.startsWith('9') || rest.length > 8 ? 5 : 4
  const last = rest.slice(firstPart)
  return `(${area}) ${rest.slice(0, firstPart)}${last && `-${last}`}`
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
