import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_IMPORT_BYTES, MAX_INVITED } from '#contract/user-rules.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { parseAddresses, parseImportFile } from './read-import.ts'

const ANA = { email: 'ana@x.br', name: 'Ana Conceição', types: 'Vendas, CRM', marcas: 'FIAT', estados: 'RJ' }
const HEAD = 'E-mail;Nome;Áreas;Marcas;Estados'
const ROW = 'ana@x.br;Ana Conceição;Vendas, CRM;FIAT;RJ'

const encodeUtf16 = (text: string, bigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le')
  return bigEndian ? bytes.swap16() : bytes
}

/** The bytes of Windows-1252 text: what other encodings look like in it. */
const encodeByte = (text: string) => {
  const table = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  return Uint8Array.from(text, (sign) => table.indexOf(sign))
}

test.each([
  ['UTF-8', Buffer.from(`${HEAD}\n${ROW}\n`)],
  ['UTF-8 with a BOM', Buffer.from(`\ufeff${HEAD}\r\n${ROW}\r\n`)],
  ['UTF-16', encodeUtf16(`\ufeff${HEAD}\r\n${ROW}\r\n`)],
  ['UTF-16 big-endian', encodeUtf16(`\ufeff${HEAD}\r\n${ROW}`, true)],
  ['UTF-16 without a BOM', encodeUtf16(`${HEAD}\r\n${ROW}`)],
  ['Windows-1252, as Excel saves it', Buffer.from(`${HEAD}\r\n${ROW}\r\n`, 'latin1')],
  ['commas', Buffer.from(`e-mail,NOME,areas,marcas,UF\nana@x.br,Ana Conceição,"Vendas, CRM",FIAT,RJ\n`)],
  ['tabs', Buffer.from(`${HEAD}\n${ROW}`.replaceAll(';', '\t'))],
  ['tabs in UTF-16, as “Texto Unicode”', encodeUtf16(`\ufeff${HEAD}\r\n${ROW}\r\n`.replaceAll(';', '\t'))],
  [
    'CP850, as “CSV (MS-DOS)” saves it',
    encodeByte(
      'E-mail;Nome;µreas;Marcas;Estados\nana@x.br;Ana ConceiçÆo;Vendas, CRM;FIAT;RJ'.replaceAll(
        'ç',
        '\u2021',
      ),
    ),
  ],
  [
    'Mac Roman, as “CSV (Macintosh)” saves it',
    encodeByte('E-mail;Nome;çreas;Marcas;Estados\rana@x.br;Ana Concei\u008d\u2039o;Vendas, CRM;FIAT;RJ\r'),
  ],
  ['a first line “sep=;”', Buffer.from(`sep=;\r\n${HEAD}\r\n${ROW}\r\n`)],
  [
    'a first line “sep=,” after a BOM',
    Buffer.from(`\ufeffsep=,\r\ne-mail,nome,áreas,marcas,uf\r\nana@x.br,Ana Conceição,"Vendas, CRM",FIAT,RJ`),
  ],
  ['a first line "sep=;" that was saved again', Buffer.from(`"sep=;";;;;\r\n${HEAD}\r\n${ROW}\r\n`)],
  [
    'columns and rows that are empty',
    Buffer.from(`;;;;;;;;\n;${HEAD};;\n;\u00a0;;;;\u200b;;\n;${ROW};;\n;;;;;;;;\n`),
  ],
  [
    'an empty column between others',
    Buffer.from(`E-mail;;Nome;Áreas;Marcas;Estados\nana@x.br;;Ana Conceição;Vendas, CRM;FIAT;RJ`),
  ],
  ['invisible signs in its cells', Buffer.from(`${HEAD}\n\u200e${ROW.replaceAll(';', '\u200b;\ufeff')}`)],
  [
    'columns in another order',
    Buffer.from(`UF;Tipos;E-mail;Marca;Nome\nRJ;Vendas, CRM;ana@x.br;FIAT;Ana Conceição`),
  ],
])('a file is parsed: %s', async (_, bytes) => {
  const { lines } = await parseImportFile(bytes)
  expect(lines.map(({ line: _, ...person }) => person)).toEqual([{ ...ANA, hasMore: false }])
})

test('columns have a fixed order without a header; lines count from 1', async () => {
  expect((await parseImportFile(Buffer.from(ROW))).lines).toEqual([{ ...ANA, line: 1, hasMore: false }])
  const text = `${HEAD}\r\n\r\n"rui@x.br";"Rui ""Zé""\r\nLima"\r\n;;;;\r\nana@x.br;Ana;;;;sobra\r\n`
  expect((await parseImportFile(Buffer.from(text))).lines).toMatchObject([
    { line: 3, name: 'Rui "Zé"\nLima', types: '', hasMore: false },
    { line: 6, email: 'ana@x.br', hasMore: true },
  ])
})

test.each([
  ['', /está vazio/],
  [HEAD, /só tem o cabeçalho/],
  ['Matrícula;E-mail\n1;ana@x.br', /“Matrícula”.*não é conhecida/],
  ['E-mail;Nome;nome\nana@x.br;A;B', /“nome” está duas vezes/],
  ['Nome;UF\nAna;RJ', /Falta a coluna e-mail/],
  [`${HEAD}\nana@x.br;"Ana;Vendas\n`, /aspas.*linha/],
  [`E-mail;;Nome\nana@x.br;x;Ana`, /coluna sem nome no cabeçalho/],
  [`E-mail;Nome\nrui@x.br;Rui\nze@x.br;Z\u00e9\n`, /^Linha 3: não dá para saber que letras/],
  ['PK\u0003\u0004abc', /planilha/],
  ['\u00d0\u00cf\u0011\u00e0', /planilha/],
  ['a\u0000b', /não é um CSV/],
  ['\u00ff\u00fe\u0000\u00d8', /não é um CSV/],
  ['a@x.br\n'.repeat(MAX_INVITED + 1), /no máximo 1\.000 pessoas/],
  ['x'.repeat(MAX_IMPORT_BYTES + 1), /512 KB/],
])('an invalid file is rejected with its fault: %j', async (text, message) => {
  await expect(parseImportFile(Buffer.from(text, 'latin1'))).rejects.toThrow(message)
})

test('arbitrary bytes give lines or a ProblemError', async () => {
  const piece = fc.constantFrom(
    ...[';', ',', '"', '\n', '\r\n', '\ufeff', '@', 'e-mail', '\t', 'á', '\u0000'],
  )
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 40 })
      .map((all) => Buffer.from(all.join(''))),
    fc.array(piece, { maxLength: 60 }).map((all) => encodeUtf16(`\ufeff${all.join('')}`)),
  )
  await fc.assert(
    fc.asyncProperty(anything, async (bytes) => {
      try {
        const { lines } = await parseImportFile(bytes)
        for (const { line, email } of lines) {
          expect(line).toBeGreaterThan(0)
          expect(email).toBe(email.trim())
        }
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        expect(error.code).toBe('invalid-input')
        expect(error.message).toMatch(/[.!]$/)
      }
    }),
    { numRuns: 200 },
  )
})

test('addresses are parsed in the formats of lists and mail programs', () => {
  const text = 'Ana Souza <ana@x.br>; rui@x.br, a@b.br\n\n"Lima, Zé" <z@x.br>;q@x.br p@x.br\nnão é  e-mail;\n'
  expect(parseAddresses(text).map(({ line, email, name }) => [line, email, name])).toEqual([
    [1, 'ana@x.br', 'Ana Souza'],
    [1, 'rui@x.br', ''],
    [1, 'a@b.br', ''],
    [3, 'z@x.br', 'Lima, Zé'],
    [3, 'q@x.br', ''],
    [3, 'p@x.br', ''],
    [4, 'não é e-mail', ''],
  ])
  expect(() => parseAddresses(' \n;')).toThrow('pelo menos um e-mail')
  expect(() => parseAddresses('a@x.br '.repeat(MAX_INVITED + 1))).toThrow('no máximo 1.000')
})
