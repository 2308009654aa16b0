import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFile } from './decode-file.ts'

const NAMES =
  `João José Antônio Conceição Gonçalves França Lourenço Simões Guimarães Magalhães Araújo Sérgio Cláudia Márcia
Patrícia Vinícius Júlia Lúcia Mônica Érica Átila Ângela Íris Óscar Úrsula Inês Moisés Esaú Luís Taís Zoé Zé André Tomé
Noé Sônia Fábio Flávio Cássio Caíque Iná Irmã Romã Sebastião Simão Estêvão Cristóvão Assunção Falcão Leão Brandão
Galvão Camões Açucena Goiás Paraná Amapá Maranhão Piauí Ceará Müller Günther Muñoz Peña Böhm Schröder Citroën Bragança
Graça Açores Itália Tânia Vânia Bárbara Débora Ênio Hélio Virgínia Sílvia Otávio Câmara Sá Melo Proença Abraão Damião
Ítalo Ísis Ágata Álvaro Élcio Édson Ômega Rômulo Jônatas Avó Avô Niterói Açaí Içara Iguaçu Muçum D’Ávila D'Ávila
Conceição-Araújo Hübner Fröhlich Kämpf Jäger Piñeiro Gómez López Núñez Benício Souza Lima Ana da Silva`.split(
    /\s+/,
  )

const ENCODINGS = ['Windows-1252', 'CP850, do MS-DOS', 'Mac Roman'] as const
type Encoding = (typeof ENCODINGS)[number]

const ALL = Uint8Array.from({ length: 128 }, (_, index) => index + 128)
const TABLES: Record<Encoding, string> = {
  'Windows-1252': new TextDecoder('windows-1252').decode(ALL),
  'Mac Roman': new TextDecoder('macintosh').decode(ALL),
  // From Python: bytes(range(128, 256)).decode('cp850').
  'CP850, do MS-DOS':
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
}
/** Returns undefined for text that the encoding cannot hold. */
function encode(text: string, encoding: Encoding): Uint8Array | undefined {
  const bytes = [...text].map((sign) =>
    sign <= '~' ? sign.charCodeAt(0) : TABLES[encoding].indexOf(sign) + 128,
  )
  return bytes.includes(127) ? undefined : Uint8Array.from(bytes)
}

const names = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 12 })
const spelling = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
)
const toRows = (list: readonly string[]) => list.map((name, row) => `p${row}@x.br;${name}\r\n`).join('')

describe('Portuguese names', () => {
  test('are read as they were written, or refused, but never become others', () => {
    fc.assert(
      fc.property(names, spelling, fc.constantFrom(...ENCODINGS), (list, spell, encoding) => {
        const text = spell(toRows(list))
        const bytes = encode(text, encoding)
        if (!bytes) return
        const read = decodeFile(bytes)
        if (read && 'text' in read) {
          expect(read.text).toBe(text)
          return
        }
        const first = list.findIndex((name) => /[^ -~]/.test(name))
        expect(read).toEqual({ doubtfulLine: first + 1 })
      }),
      { numRuns: 3_000, examples: [[['D’Ávila'], (text) => text.toLowerCase(), 'Mac Roman']] },
    )
  })

  test.each(ENCODINGS)('are told apart where a file has many of them: %s', (encoding) => {
    fc.assert(
      fc.property(fc.shuffledSubarray(NAMES, { minLength: 40, maxLength: 40 }), spelling, (list, spell) => {
        const text = spell(toRows(list.filter((name) => encode(name.toUpperCase(), encoding))))
        expect(decodeFile(encode(text, encoding) as Uint8Array)).toMatchObject({ text, encoding })
      }),
    )
  })

  test('are read in UTF-8 and UTF-16, with and without a mark', () => {
    fc.assert(
      fc.property(
        names,
        spelling,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (list, spell, hasMark, isWide, isBig) => {
          const text = spell(toRows(list))
          const bytes = Buffer.from(hasMark ? `\ufeff${text}` : text, isWide ? 'utf16le' : 'utf8')
          if (isWide && isBig) bytes.swap16()
          expect(decodeFile(bytes)).toEqual({ text, encoding: isWide ? 'UTF-16' : 'UTF-8' })
        },
      ),
    )
  })
})

test('one misspelt word among many does not cost the others their letters', () => {
  const text = toRows([...NAMES.slice(0, 40), 'Conçeição'])
  expect(decodeFile(encode(text, 'Windows-1252') as Uint8Array)).toMatchObject({ text })
})

test.each([
  ['LOURENÇO', 'Windows-1252'],
  ['João\r\nGonçalves', 'CP850, do MS-DOS'],
  ['Zé', 'Mac Roman'],
] as const)('names its line when another encoding fits as well: %s', (text, encoding) => {
  const read = decodeFile(encode(`Ana\r\n${text}`, encoding) as Uint8Array)
  if (read && 'text' in read) expect(read.text).toBe(`Ana\r\n${text}`)
  else expect(read).toEqual({ doubtfulLine: 2 })
})

test.each(['佐藤', 'Žižek', 'Łukasz', 'JOSé', 'Ивáн'])(
  'names of other languages stay in UTF-8: %s',
  (name) => {
    expect(decodeFile(Buffer.from(name))).toEqual({ text: name, encoding: 'UTF-8' })
  },
)

test('a mark of UTF-8 holds, even where bytes are broken', () => {
  const bytes = Buffer.concat([Buffer.from('\ufeffa@x.br;Jo'), Buffer.from([0xe3]), Buffer.from('o')])
  expect(decodeFile(bytes)).toEqual({ text: 'a@x.br;Jo\ufffdo', encoding: 'UTF-8' })
})
