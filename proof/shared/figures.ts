import { availableParallelism, loadavg } from 'node:os'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { type CleanUp, runTask } from './run-task.ts'

/** The machine's load before the run adds to it. */
const loadBefore = (loadavg()[0] ?? 0).toFixed(1)

/** A measured number and its optional target. */
export interface Figure {
  what: string
  value: number
  unit: string
  digits?: number
  atMost?: number
  atLeast?: number
  /** A remark, such as the spread of the runs. */
  note?: string
}

/** Returns undefined for a figure without a target. */
function isReached({ value, atMost, atLeast }: Figure): boolean | undefined {
  if (atMost === undefined && atLeast === undefined) return undefined
  return value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? Number.NEGATIVE_INFINITY)
}

function toCells(figure: Figure): string[] {
  const { what, value, unit, digits = 0, atMost, atLeast, note = '' } = figure
  const bound = atMost !== undefined ? `≤ ${atMost}` : atLeast !== undefined ? `≥ ${atLeast}` : ''
  const target = atMost !== undefined && atMost === atLeast ? `= ${atMost}` : bound
  const reached = isReached(figure)
  const verdict = reached === undefined ? '' : reached ? 'ok' : 'MISSED'
  return [what, value.toFixed(digits), unit, target, verdict, note]
}

/** Formats the figures as a Markdown table for proof/bench/README.md. */
function formatTable(figures: readonly Figure[]): string {
  const rows = [['figure', 'measured', 'unit', 'target', 'verdict', 'runs'], ...figures.map(toCells)]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  const [head = [], ...body] = rows
  return [line(head), rule, ...body.map(line)].join('\n')
}

/** Describes when and on which machine a table was measured. */
export function describeMachine(): string {
  const date = new Date().toISOString().slice(0, 10)
  return `${date}, ${availableParallelism()} cores, load before the run ${loadBefore}, Node ${process.versions.node}`
}

/** @throws Error when there are no values */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)]
  const above = sorted[Math.ceil(position)]
  if (below === undefined || above === undefined) throw new Error('nothing was measured')
  return below + (above - below) * (position % 1)
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Formats the minimum and maximum, as the spread of a median. */
export function formatSpread(values: readonly number[], digits = 0): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`
}

/** Times work in ms, without the first round, which warms up. */
export async function timeRounds(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now()
    await work()
    if (round > 0) times.push(performance.now() - startedAt)
  }
  return times
}

/** Creates a figure from times in ms: their median, with the spread. */
export const toMsFigure = (what: string, times: number[], atMost: number): Figure => ({
  what,
  value: median(times),
  unit: 'ms',
  atMost,
  note: formatSpread(times),
})

/**
 * Parses whole numbers from the command line, `--rounds 3`.
 * @param defaults the known names with their default values
 * @throws Error for an unknown option or a value below 1
 */
export function readNumbers<T extends Record<string, number>>(defaults: T): { [K in keyof T]: number } {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options })
  const given = Object.entries(values).map(([name, text]) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1`)
    return [name, value]
  })
  return { ...defaults, ...Object.fromEntries(given) }
}

/** Runs a benchmark: prints its figures and fails the process when a target is missed. */
export async function runBench(measure: (cleanUp: CleanUp) => Promise<Figure[]>): Promise<void> {
  await runTask(async (cleanUp) => {
    const figures = await measure(cleanUp)
    const name = basename(process.argv[1] ?? '')
    process.stdout.write(`\n${name}, ${describeMachine()}\n\n${formatTable(figures)}\n`)
    if (figures.some((figure) => isReached(figure) === false)) process.exitCode = 1
  })
}
