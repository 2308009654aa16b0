import { type FigureFormat, formatNumber } from '#emulators/power-bi/data-set-format.ts'

/** Round values from 0 up to at least `most`, in about `count` steps of 1, 2, 2.5 or 5 × 10ⁿ. */
export function ticksUpTo(most: number, count: number): number[] {
  if (most <= 0) return [0, 1]
  const rough = most / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step)
}

/** A tick's label, as short as it can be without saying less: 2500000 → '2,5 mi'. */
export function formatTick(value: number, format: FigureFormat): string {
  const sign = format === 'reais' && value > 0 ? 'R$\u00a0' : ''
  const [unit, name] =
    value >= 1e9 ? [1e9, ' bi'] : value >= 1e6 ? [1e6, ' mi'] : value >= 1e4 ? [1e3, ' mil'] : [1, '']
  const scaled = value / unit
  const decimals = [0, 1, 2].find((each) => Math.abs(scaled - Number(scaled.toFixed(each))) < 1e-9) ?? 2
  return `${sign}${formatNumber(scaled, decimals)}${name.replace(' ', '\u00a0')}`
}

const MONTH_NAMES = 'jan fev mar abr mai jun jul ago set out nov dez'.split(' ')

/** '2025-03' → 'mar/25' */
export function shortMonth(month: string): string {
  return `${MONTH_NAMES[Number(month.slice(5)) - 1]}/${month.slice(2, 4)}`
}

/** The colour of each state, the same wherever it is drawn. */
const STATE_COLOURS: Readonly<Record<string, string>> = {
  RJ: '#118dff',
  ES: '#12239e',
  MG: '#e66c37',
  PR: '#6b007b',
}
const MORE_COLOURS = ['#1aab40', '#d9b300', '#e044a7', '#744ec2']
export const MAIN_COLOUR = '#118dff'

/** A state's colour; of states that came later some share one. */
export function colourOfState(estado: string): string {
  const sum = [...estado].reduce((so, letter) => so + (letter.codePointAt(0) ?? 0), 0)
  return STATE_COLOURS[estado] ?? MORE_COLOURS[sum % MORE_COLOURS.length] ?? MAIN_COLOUR
}
