/** Formatted without Intl, so that server and all browsers give the same characters. */
export type FigureFormat =
  | 'inteiro'
  | 'reais'
  | 'centavos'
  | 'percentual'
  | 'decimal'
  | 'horas'
  | 'minutos'
  | 'duracao'

const NO_BREAK = '\u00a0'
const EMPTY = '–'

/** Formats a number in Brazilian notation with fixed decimals: 1234.5 → '1.234,5'. */
export function formatNumber(value: number, decimals = 0): string {
  const [whole = '0', fraction] = Math.abs(value).toFixed(decimals).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '.')
  const sign = value < 0 && Number(value.toFixed(decimals)) !== 0 ? '-' : ''
  return sign + grouped + (fraction ? `,${fraction}` : '')
}

function formatDuration(seconds: number): string {
  const rounded = Math.round(seconds)
  return `${Math.floor(rounded / 60)}:${String(rounded % 60).padStart(2, '0')}${NO_BREAK}min`
}

const WRITE: Record<FigureFormat, (value: number) => string> = {
  inteiro: (value) => formatNumber(value),
  reais: (value) => `R$${NO_BREAK}${formatNumber(value)}`,
  centavos: (value) => `R$${NO_BREAK}${formatNumber(value, 2)}`,
  percentual: (value) => `${formatNumber(value * 100, 1)}%`,
  decimal: (value) => formatNumber(value, 1),
  horas: (value) => `${formatNumber(value, 1)}${NO_BREAK}h`,
  minutos: (value) => `${formatNumber(value)}${NO_BREAK}min`,
  duracao: formatDuration,
}

/** Formats a figure in full, for tables and tooltips; null (a division by zero) is a dash. */
export function formatFigure(value: number | null, format: FigureFormat): string {
  return value === null ? EMPTY : WRITE[format](value)
}

/** Formats a figure for cards and axes, with millions and billions shortened as in Power BI. */
export function formatShort(value: number | null, format: FigureFormat, decimals = 2): string {
  if (value === null || (format !== 'reais' && format !== 'inteiro')) return formatFigure(value, format)
  const sign = format === 'reais' ? `R$${NO_BREAK}` : ''
  if (Math.abs(value) >= 1e9) return `${sign}${formatNumber(value / 1e9, decimals)}${NO_BREAK}bi`
  if (Math.abs(value) >= 1e6) return `${sign}${formatNumber(value / 1e6, decimals)}${NO_BREAK}mi`
  return formatFigure(value, format)
}
