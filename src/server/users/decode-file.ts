/** Bytes 128 to 255, which TextDecoder lacks (unicode.org/Public/MAPPINGS/VENDORS/MICSFT/PC/CP850.TXT). */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

const decodeCp850 = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : CP850[byte - 128])).join('')

/** What Excel saves by 'CSV', 'CSV (MS-DOS)' and 'CSV (Macintosh)' in Brazil. */
const ONE_BYTE = {
  'Windows-1252': (bytes: Uint8Array) => new TextDecoder('windows-1252').decode(bytes),
  'CP850, do MS-DOS': decodeCp850,
  'Mac Roman': (bytes: Uint8Array) => new TextDecoder('macintosh').decode(bytes),
}

export interface DecodedFile {
  text: string
  encoding: keyof typeof ONE_BYTE | 'UTF-8' | 'UTF-16'
}

/** Words with letters beyond ASCII. */
const SPELT = /[\p{L}\p{M}-]*[^\p{ASCII}\s][^\s;,|"<>()@/]*/gu
const LETTERS = /^[\p{ASCII}áàâãäéêëíóôõöúüçñÁÀÂÃÄÉÊËÍÓÔÕÖÚÜÇÑªº°–’“”]*$/u
/** No word has these: a sign between letters, mixed capitals, or ç, ã and õ where Portuguese has none. */
const MISSPELT = [
  /\p{L}[^\p{L}\p{ASCII}’–]\p{L}/u,
  /\p{Ll}[À-Þ]|\p{Lu}[À-Þ]\p{Ll}|[à-þ]\p{Lu}|\p{Lu}{2}[à-þ]/u,
  /ç(?![aouáâãàóôõúü])|(?<!\p{L})ç|ã(?!o|e|(?!\p{L}))|õ(?!e)/iu,
]

function countMisspelt(text: string): number {
  const words = new Set(text.match(SPELT))
  return [...words].filter((word) => !LETTERS.test(word) || MISSPELT.some((fault) => fault.test(word))).length
}

/**
 * Decodes a text file whose encoding nothing names: the one in which its words are spelt as Portuguese
 * is, if there is exactly one; a few mistakes among many words do not count.
 * @returns undefined for a binary file; the line of the first doubtful letter if encodings compete
 */
export function decodeFile(bytes: Uint8Array): DecodedFile | { doubtfulLine: number } | undefined {
  const utf16 = detectUtf16(bytes)
  if (utf16) return tryDecode(utf16, bytes, 'UTF-16')
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  // With a mark, what is broken becomes U+FFFD, which its line is refused for.
  if (hasMark) return { text: new TextDecoder().decode(bytes), encoding: 'UTF-8' }
  const utf8 = tryDecode('utf-8', bytes, 'UTF-8')
  if (utf8 && countMisspelt(utf8.text) === 0) return utf8
  const read = Object.entries(ONE_BYTE).map(([encoding, decode]) => {
    const text = decode(bytes)
    return { encoding: encoding as keyof typeof ONE_BYTE, text, misspelt: countMisspelt(text) }
  })
  const [best, next] = read.toSorted((one, other) => one.misspelt - other.misspelt)
  // Names of other languages; two letters of another encoding may look like one of UTF-8.
  if (utf8 && best?.misspelt !== 0) return utf8
  if (!utf8 && best && next && best.misspelt * 4 < next.misspelt) return best
  const before = bytes.subarray(
    0,
    bytes.findIndex((byte) => byte > 127),
  )
  return { doubtfulLine: decodeCp850(before).split(/\r\n|\r|\n/).length }
}

/** Detects UTF-16 by its mark, or by the zero bytes of its Latin letters. */
function detectUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0] as [number, number]
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[(at % 2) as 0 | 1]++
  if (Math.max(...zeros) * 4 < bytes.length) return undefined
  return zeros[1] > zeros[0] ? 'utf-16le' : 'utf-16be'
}

function tryDecode(
  name: string,
  bytes: Uint8Array,
  encoding: DecodedFile['encoding'],
): DecodedFile | undefined {
  try {
    return { text: new TextDecoder(name, { fatal: true }).decode(bytes), encoding }
  } catch {
    return undefined
  }
}
