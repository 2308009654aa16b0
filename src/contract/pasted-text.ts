/** Blanks and signs that nobody sees, which come along when an address, id or link is pasted. */
const AROUND = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]+|[\s\p{Cf}\p{Default_Ignorable_Code_Point}]+$/gu

/** Removes what surrounds a pasted link, name or search term, and nobody sees. */
export const trimPasted = (text: string): string => text.replace(AROUND, '')

/** Cleans an address or id: digits of full width become plain. Letters stay: look-alikes are refused. */
export const normalizeTyped = (text: string): string =>
  trimPasted(text).replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0))
