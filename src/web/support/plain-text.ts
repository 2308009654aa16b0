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
