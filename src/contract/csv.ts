import { toOneLine } from './text-rules.ts'

/** Cells that spreadsheets run as formulas (OWASP, CSV injection); an apostrophe makes them text. */
const FORMULA = /^[\s]*[=+\-@＝＋－＠\t\r]/

export const isFormula = (text: string): boolean => FORMULA.test(text)

function escapeCell(text: string): string {
  const line = toOneLine(text)
  const safe = isFormula(line) ? `'${line}` : line
  return /[;"]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Formats cells for Excel in Portuguese: semicolons, byte order mark, one line each, no formulas. */
export function toCsv(lines: readonly (readonly string[])[]): string {
  return `\ufeff${lines.map((cells) => `${cells.map(escapeCell).join(';')}\r\n`).join('')}`
}
