// What texts may hold: nothing that nobody sees, that moves other text or that ends a line.

/** What joins an emoji: zero-width joiners between pictures, and the choice of their form. */
const JOINS = String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[\d#*])\ufe0f(?=\u20e3)`
/** Controls, line separators, halves of signs, and what is invisible or changes the direction. */
const UNSEEN = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800]|(?!${JOINS})[\p{Cf}\p{Default_Ignorable_Code_Point}]`
const EVERY_UNSEEN = new RegExp(UNSEEN, 'gu')
const UNSEEN_BUT_LINES = new RegExp(String.raw`(?![\n\t])(?:${UNSEEN})`, 'gu')
const LINE_BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/** Refuses what nobody sees, and stacked combining characters. */
export const ONE_LINE = new RegExp(String.raw`^(?![^]*(?:${UNSEEN}|\p{M}{4}))`, 'u')
/** The same with tabs and lines, with at most two breaks in a row. */
export const MANY_LINES = new RegExp(
  String.raw`^(?![^]*(?:(?![\n\t])(?:${UNSEEN})|\p{M}{4}|(?:\n[^\S\n]*){3}))`,
  'u',
)

/** Texts of forms that refuse, where what is meant cannot be known. */
export const textMessages = {
  unseen: 'Há um caractere que não pode ser usado',
  unseenInName: 'O nome tem um caractere que não pode ser usado',
} as const

/** Turns every line break into '\n'. */
export const normalizeBreaks = (text: string): string => text.replace(LINE_BREAKS, '\n')

/** Cleans a typed or pasted line, where a refusal would help nobody: breaks become blanks. */
export const cleanLine = (text: string): string =>
  normalizeBreaks(text)
    .replace(/[\n\t]+/g, ' ')
    .replace(EVERY_UNSEEN, '')
    .trim()

/** Cleans a typed or pasted text of several lines. */
export const cleanLines = (text: string): string => normalizeBreaks(text).replace(UNSEEN_BUT_LINES, '').trim()

/** Shows what nobody would see in an output of several lines, whatever it was made of. */
export const toLines = (text: string): string => text.replace(UNSEEN_BUT_LINES, '�')

/** Makes one line of any text, for a terminal, a file or a header: shows what nobody would see. */
export const toOneLine = (text: string): string =>
  normalizeBreaks(text)
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ')
    .replace(EVERY_UNSEEN, '�')

/** Escapes the same in a line of JSON, which keeps its meaning; its last line break stays. */
export const escapeJsonLine = (json: string): string =>
  json.replace(UNSEEN_BUT_LINES, (sign) =>
    sign.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
