import { type Fact, MONTHS } from '#emulators/power-bi/data-set.ts'
import { type AreaModel, getMetric, type Metric } from '#emulators/power-bi/data-set-areas.ts'
import { formatFigure, formatNumber, formatShort } from '#emulators/power-bi/data-set-format.ts'
import { buildTable, computeFigure, listMarcas } from '#emulators/power-bi/data-set-sums.ts'
import { type Bar, type Card, type Line, MAIN_COLOR, type ShadedTable } from './draw-visuals.ts'
import type { PageName } from './session.ts'

/** The content of a page. */
interface PageContent {
  metric: Metric
  cards: Card[]
  lines: Line[]
  bars: Bar[]
  table: ShadedTable
  titles: { lines: string; bars: string; table: string }
}

/** Name and color of each state. */
const STATES: Readonly<Record<string, { name: string; color: string }>> = {
  RJ: { name: 'Rio de Janeiro', color: '#118dff' },
  ES: { name: 'Espírito Santo', color: '#12239e' },
  MG: { name: 'Minas Gerais', color: '#e66c37' },
  PR: { name: 'Paraná', color: '#6b007b' },
}
const MORE_COLORS = ['#1aab40', '#d9b300', '#e044a7', '#744ec2']
const YEAR = 12

/** Returns a state's color; later states may share one. */
export function getStateColor(estado: string): string {
  const sum = [...estado].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0)
  return STATES[estado]?.color ?? MORE_COLORS[sum % MORE_COLORS.length] ?? MAIN_COLOR
}

function formatChange(metric: Metric, facts: readonly Fact[]): string {
  const recent = new Set(MONTHS.slice(-YEAR))
  const now = computeFigure(metric, facts, ({ month }) => recent.has(month))
  const before = computeFigure(metric, facts, ({ month }) => !recent.has(month))
  if (now === null || !before) return '–'
  const isShare = metric.format === 'percentual'
  const change = (isShare ? now - before : now / before - 1) * 100
  const arrow = Math.abs(change) < 0.05 ? '=' : change > 0 ? '▲' : '▼'
  return `${arrow} ${formatNumber(Math.abs(change), 1)}${isShare ? ' p.p.' : '%'} vs. ano anterior`
}

const sumByMonth = (metric: Metric, facts: readonly Fact[]) =>
  MONTHS.map((month) => computeFigure(metric, facts, (fact) => fact.month === month) ?? 0)

function createCard(metric: Metric, facts: readonly Fact[], own: Partial<Card> = {}): Card {
  const { id = metric.id, label = metric.label, note = formatChange(metric, facts), color } = own
  const value = computeFigure(metric, facts)
  const full = `${label}: ${formatFigure(value, metric.format)}`
  const formatted = formatShort(value, metric.format)
  return { id, label, formatted, note, full, trend: sumByMonth(metric, facts), color }
}

function createStateCards(metric: Metric, facts: readonly Fact[], estados: readonly string[]): Card[] {
  const total = computeFigure(metric, facts) || 1
  const states = estados.map((estado) => {
    const some = facts.filter((fact) => fact.estado === estado)
    const note = `${formatNumber(((computeFigure(metric, some) ?? 0) / total) * 100, 1)}% do total`
    const label = STATES[estado]?.name ?? estado
    return createCard(metric, some, { id: `estado-${estado}`, label, note, color: getStateColor(estado) })
  })
  return [createCard(metric, facts, { id: 'total' }), ...states]
}

function createMatrix(metric: Metric, facts: readonly Fact[], estados: readonly string[]): ShadedTable {
  const sumByState = (some: readonly Fact[]) =>
    [...estados, undefined].map(
      (estado) => computeFigure(metric, some, (fact) => !estado || fact.estado === estado) ?? 0,
    )
  const marcas = listMarcas(facts)
  const values = marcas.map((marca) => sumByState(facts.filter((fact) => fact.marca === marca)))
  const most = Math.max(...values.flatMap((row) => row.slice(0, -1)), 1)
  const rows = [...values, sumByState(facts)].map((row, index) => [
    marcas[index] ?? 'Total',
    ...row.map((value) => formatShort(value, metric.format)),
  ])
  const shade = (row: number, column: number) =>
    column < estados.length ? (values[row]?.[column] ?? 0) / most : 0
  return { columns: ['Marca', ...estados, 'Total'], rows, shade }
}

/** `facts` are filtered by the selection, `unselected` are not, so that bars stay selectable. */
export function buildPageContent(
  page: PageName,
  model: AreaModel,
  facts: readonly Fact[],
  unselected: readonly Fact[],
): PageContent {
  const isOverview = page === 'visao-geral'
  const metric = getMetric(model, isOverview ? model.main : model.second)
  const { label } = metric
  const estados = isOverview ? [] : [...new Set(unselected.map(({ estado }) => estado))]
  /** The series of the charts: one per state, or a single one. */
  const series = isOverview
    ? [{ label, color: MAIN_COLOR, isIncluded: () => true }]
    : estados.map((estado) => ({
        label: estado,
        color: getStateColor(estado),
        isIncluded: (fact: Fact) => fact.estado === estado,
      }))
  const bars = listMarcas(unselected).map((marca) => {
    const own = unselected.filter((fact) => fact.marca === marca)
    const parts = series.map((each) => ({ ...each, value: computeFigure(metric, own, each.isIncluded) ?? 0 }))
    return { name: marca, parts, total: computeFigure(metric, own) ?? 0 }
  })
  return {
    metric,
    cards: isOverview
      ? model.metrics.map((each) => createCard(each, facts))
      : createStateCards(metric, facts, estados),
    lines: series.map(({ label: name, color, isIncluded }) => ({
      name,
      color,
      values: sumByMonth(metric, facts.filter(isIncluded)),
    })),
    bars: bars.sort((a, b) => b.total - a.total),
    table: isOverview ? buildTable(model, facts) : createMatrix(metric, facts, estados),
    titles: isOverview
      ? { lines: `${label} por mês`, bars: `${label} por marca`, table: 'Indicadores por marca' }
      : {
          lines: `${label} por mês e estado`,
          bars: `${label} por marca e estado`,
          table: `${label}: marca × estado`,
        },
  }
}
