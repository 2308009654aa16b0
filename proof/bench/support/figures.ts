import { availableParallelism, loadavg } from 'node:os'

/** Before the run itself adds to it: what others did on the machine meanwhile. */
const loadBefore = (loadavg()[0] ?? 0).toFixed(1)

/** One line of a result: a measured number and, where one was set, what it has to reach. */
export interface Figure {
  what: string
  value: number
  unit: string
  digits?: number
  atMost?: number
  atLeast?: number
  /** What else there is to say, such as the spread of the runs. */
  note?: string
}

/** Undefined for a figure that is shown without being judged. */
export function isReached({ value, atMost, atLeast }: Figure): boolean | undefined {
  if (atMost === undefined && atLeast === undefined) return undefined
  return value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? Number.NEGATIVE_INFINITY)
}

function cellsOf(figure: Figure): string[] {
  const { what, value, unit, digits = 0, atMost, atLeast, note = '' } = figure
  const bound = atMost !== undefined ? `≤ ${atMost}` : atLeast !== undefined ? `≥ ${atLeast}` : ''
  const target = atMost !== undefined && atMost === atLeast ? `= ${atMost}` : bound
  const reached = isReached(figure)
  const verdict = reached === undefined ? '' : reached ? 'ok' : 'MISSED'
  return [what, value.toFixed(digits), unit, target, verdict, note]
}

/** The figures as a Markdown table, ready to be kept in proof/bench/README.md. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [['figure', 'measured', 'unit', 'target', 'verdict', 'runs'], ...figures.map(cellsOf)]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  const [head = [], ...body] = rows
  return [line(head), rule, ...body.map(line)].join('\n')
}

/** When and on what a table was made, without which its numbers mean little. */
export function machineLine(): string {
  const date = new Date().toISOString().slice(0, 10)
  return `${date}, ${availableParallelism()} cores, load before the run ${loadBefore}, Node ${process.versions.node}`
}
