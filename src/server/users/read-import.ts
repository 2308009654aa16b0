import { foldText } from '#contract/entitlement-lists.ts'
import { invitationMessages } from '#contract/invitations.ts'
import { trimPasted } from '#contract/pasted-text.ts'
import { MAX_IMPORT_BYTES, MAX_INVITED } from '#contract/user-rules.ts'
import { toFieldError } from '#server/http/problem-error.ts'
import { type DecodedFile, decodeFile } from './decode-file.ts'

/** The raw cells of one line; '' for missing cells. */
export interface ImportedLine {
  /** Counted from 1. */
  line: number
  email: string
  name: string
  types: string
  marcas: string
  estados: string
  /** Whether the line has more cells than columns. */
  hasMore: boolean
}

type Column = Exclude<keyof ImportedLine, 'line' | 'hasMore'>

/** The column order of a file without a header. */
const COLUMNS: readonly Column[] = ['email', 'name', 'types', 'marcas', 'estados']
const HEADERS: Record<Column, readonly string[]> = {
  email: ['email', 'mail', 'enderecodeemail'],
  name: ['nome', 'nomecompleto'],
  types: ['areas', 'area', 'tipos', 'tipo', 'tiposdeacesso'],
  marcas: ['marcas', 'marca'],
  estados: ['estados', 'estado', 'ufs', 'uf'],
}
const KNOWN_HEADERS = 'e-mail, nome, áreas, marcas e estados'

/**
 * Parses 'Ana Souza <ana@…>; rui@…', the format of lists and mail programs.
 * @throws ProblemError invalid-input for none or too many
 */
export function parseAddresses(text: string): ImportedLine[] {
  const lines = text.split(/\r\n|\r|\n/).flatMap((typed, index) =>
    // Words without an address are one mistake, not one each.
    (typed.includes('@')
      ? typed.split('>').flatMap((part) => parseAddressees(part))
      : [{ email: typed.replace(/[\s,;]+/g, ' ').trim() }].filter(({ email }) => email)
    ).map((given) => toLine(index + 1, given)),
  )
  if (lines.length === 0) throw toFieldError('addresses', invitationMessages.nothing)
  if (lines.length > MAX_INVITED) throw toFieldError('addresses', invitationMessages.tooMany)
  return lines
}

/** Parses the part before a '>': 'rui@…; "Souza, Ana" <ana@…'. */
function parseAddressees(text: string): { email: string; name?: string }[] {
  const [before = '', email] = text.split('<')
  const parts = before.split(';')
  const name = email === undefined ? undefined : parts.pop()?.trim()
  const bare = parts.flatMap((part) => part.split(/[\s,]+/)).filter(Boolean)
  return [
    ...bare.map((each) => ({ email: each })),
    ...(name === undefined || email === undefined
      ? []
      : [{ email, name: name.replace(/^[,\s]+/, '').replace(/^"|"$/g, '') }]),
  ]
}

/**
 * Parses a CSV file: `;`, `,` or tabs, with or without a header, in any encoding of Excel. Rows and
 * columns that are empty do not count.
 * @throws ProblemError invalid-input with the fault of the file and its remedy
 */
export async function parseImportFile(
  bytes: Uint8Array,
): Promise<{ lines: ImportedLine[]; encoding: DecodedFile['encoding'] }> {
  if (bytes.length > MAX_IMPORT_BYTES) throw toFieldError('file', invitationMessages.tooLarge)
  const { text, encoding } = decode(bytes)
  const records = removeEmptyColumns(await parseCsv(text))
  const [first] = records
  if (!first) throw toFieldError('file', 'O arquivo está vazio. Escolha um com uma pessoa por linha.')
  const hasHeader = !first.cells.some((cell) => cell.includes('@'))
  const columns = hasHeader ? parseHeader(first.cells) : COLUMNS
  const people = hasHeader ? records.slice(1) : records
  if (people.length === 0)
    throw toFieldError('file', 'O arquivo só tem o cabeçalho. Escreva uma pessoa por linha abaixo dele.')
  if (people.length > MAX_INVITED) throw toFieldError('file', invitationMessages.tooMany)
  const lines = people.map(({ line, cells }) =>
    toLine(
      line,
      Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
      cells.slice(columns.length).some((cell) => cell !== ''),
    ),
  )
  return { lines, encoding }
}

interface CsvRecord {
  line: number
  cells: string[]
}

/** Removes the columns without a header and data, which Excel writes after cells that were cleared. */
function removeEmptyColumns(records: CsvRecord[]): CsvRecord[] {
  const width = records[0]?.cells.length ?? 0
  const isKept = Array.from({ length: width }, (_, column) => records.some(({ cells }) => cells[column]))
  return records.map(({ line, cells }) => ({
    line,
    cells: cells.filter((_, column) => isKept[column] ?? true),
  }))
}

const toLine = (line: number, given: Partial<Record<Column, string>>, hasMore = false): ImportedLine => {
  const text = (column: Column) => trimPasted(given[column] ?? '')
  const [email, name, types, marcas, estados] = COLUMNS.map(text) as [string, string, string, string, string]
  return { line, email, name, types, marcas, estados, hasMore }
}

function parseHeader(header: readonly string[]): Column[] {
  const columns = header.map((cell) => {
    const name = foldText(cell).replace(/[^a-z0-9]/g, '')
    const column = COLUMNS.find((each) => HEADERS[each].includes(name))
    if (column) return column
    throw toFieldError(
      'file',
      cell === ''
        ? 'Há uma coluna sem nome no cabeçalho. Apague-a ou dê-lhe um nome.'
        : `A coluna “${truncate(cell)}” do cabeçalho não é conhecida. Apague-a ou use estes nomes: ${KNOWN_HEADERS}.`,
    )
  })
  const twice = header.find((_, index) => columns.indexOf(columns[index] as Column) !== index)
  if (twice !== undefined)
    throw toFieldError(
      'file',
      `A coluna “${truncate(twice)}” está duas vezes no cabeçalho. Apague uma delas.`,
    )
  if (columns.includes('email')) return columns
  throw toFieldError('file', 'Falta a coluna e-mail no cabeçalho. Dê este nome à coluna dos endereços.')
}

/** Truncates user input for error messages. */
export const truncate = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

const SPREADSHEETS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
]

function decode(bytes: Uint8Array): DecodedFile {
  if (SPREADSHEETS.some((start) => start.every((byte, index) => bytes[index] === byte)))
    throw toFieldError(
      'file',
      'Este arquivo é uma planilha. No Excel, use “Salvar como”, escolha “CSV UTF-8” e envie o arquivo novo.',
    )
  const read = decodeFile(bytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: detects binary files
  if (!read || ('text' in read && /[\0-\x08\x0e-\x1f\x7f]/.test(read.text)))
    throw toFieldError(
      'file',
      'Este arquivo não é um CSV. No Excel, use “Salvar como” e escolha “CSV UTF-8”.',
    )
  if ('text' in read) return read
  throw toFieldError(
    'file',
    `Linha ${read.doubtfulLine}: não dá para saber que letras são as acentuadas, porque o arquivo não diz a sua codificação. No Excel, use “Salvar como” e escolha “CSV UTF-8”.`,
  )
}

/** The line with which a file tells Excel its delimiter, and which Excel does not show. */
const SEP_LINE = /^"?sep=([;,\t|])"?[;,\t|"]*(?=\n|$)/i

/** Returns the declared delimiter, or the first one of the first line outside quotes. */
function detectDelimiter(text: string): string {
  const [, declared] = SEP_LINE.exec(text) ?? []
  const [line = ''] = text
    .trimStart()
    .replace(/"[^"]*"/g, '')
    .split('\n')
  return declared ?? /[;,\t]/.exec(line)?.[0] ?? ';'
}

async function parseCsv(decoded: string): Promise<CsvRecord[]> {
  const text = decoded.replace(/\r\n?/g, '\n')
  // Loaded on demand: few requests need it.
  const { CsvError, parse } = await import('csv-parse/sync')
  try {
    const records = parse(text.replace(SEP_LINE, ''), {
      delimiter: detectDelimiter(text),
      info: true,
      relax_column_count: true,
      // Quotes inside an unquoted cell are literal.
      relax_quotes: true,
      skip_records_with_empty_values: true,
      // A header, the maximum, and one more to detect an excess.
      to: MAX_INVITED + 2,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return records
      .map(({ record, info }) => {
        // The parser reports the last line of a record.
        const breaks = record.join('').match(/\n/g)?.length ?? 0
        return { line: info.lines - breaks, cells: record.map(trimPasted) }
      })
      .filter(({ cells }) => cells.some(Boolean))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { lines } = error as InstanceType<typeof CsvError> & { lines?: number }
    const where = lines === undefined ? '' : ` Veja perto da linha ${lines}.`
    throw toFieldError('file', `Há aspas (") que abrem e não fecham, ou fecham no lugar errado.${where}`)
  }
}
