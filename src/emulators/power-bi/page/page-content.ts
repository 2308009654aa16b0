import { type Fact, MONTHS } from '#emulators/power-bi/data-set.ts'
import { type AreaModel, type Metric, metricOf } from '#emulators/power-bi/data-set-areas.ts'
import { formatFigure, formatNumber, formatShort } from '#emulators/power-bi/data-set-format.ts'
import { figureOf, marcasOf, tableByMarca } from '#emulators/power-bi/data-set-sums.ts'
import { type Bar, type Card, type Line, MAIN_COLOUR, type ShadedTable } from './draw-visuals.ts'
import type { PageName } from './session.ts'

/** What a page shows. */
interface PageContent {
  metric: Metric
  cards: Card[]
  lines: Line[]
  bars: Bar[]
  table: ShadedTable
  titles: { lines: string; bars: string; table: string }
}

/** Name and colour of each state, the same wherever it is drawn. */
const STATES: Readonly<Record<string, { name: string; colour: string }>> = {
  RJ: { name: 'Rio de Janeiro', colour: '#118dff' },
  ES: { name: 'Espírito Santo', colour: '#12239e' },
  MG: { name: 'Minas Gerais', colour: '#e66c37' },
  PR: { name: 'Paraná', colour: '#6b007b' },
}
const MORE_COLOURS = ['#1aab40', '#d9b300', '#e044a7', '#744ec2']
const YEAR = 12

/** A state's colour; of states that came later some share one. */
export function colourOfState(estado: string): string {
  const sum = [...estado].reduce((so, letter) => so + (letter.codePointAt(0) ?? 0), 0)
  return STATES[estado]?.colour ?? MORE_COLOURS[sum % MORE_COLOURS.length] ?? MAIN_COLOUR
}

function changeNote(metric: Metric, facts: readonly Fact[]): string {
  const recent = new Set(MONTHS.slice(-YEAR))
  const now = figureOf(metric, facts, ({ month }) => recent.has(month))
  const before = figureOf(metric, facts, ({ month }) => !recent.has(month))
  if (now === null || !before) return '–'
  const isShare = metric.format === 'percentual'
  const change = (isShare ? now - before : now / before - 1) * 100
  const arrow = Math.abs(change) < 0.05 ? '=' : change > 0 ? '▲' : '▼'
  return `${arrow} ${formatNumber(Math.abs(change), 1)}${isShare ? ' p.p.' : '%'} vs. ano anterior`
}

const byMonth = (metric: Metric, facts: readonly Fact[]) =>
  MONTHS.map((month) => figureOf(metric, facts, (fact) => fact.month === month) ?? 0)

function cardOf(metric: Metric, facts: readonly Fact[], own: Partial<Card> = {}): Card {
  const { id = metric.id, label = metric.label, note = changeNote(metric, facts), colour } = own
  const value = figureOf(metric, facts)
  const full = `${label}: ${formatFigure(value, metric.format)}`
  const formatted = formatShort(value, metric.format)
  return { id, label, formatted, note, full, trend: byMonth(metric, facts), colour }
}

function stateCards(metric: Metric, facts: readonly Fact[], estados: readonly string[]): Card[] {
  const total = figureOf(metric, facts) || 1
  const states = estados.map((estado) => {
    const some = facts.filter((fact) => fact.estado === estado)
    const note = `${formatNumber(((figureOf(metric, some) ?? 0) / total) * 100, 1)}% do total`
    const label = STATES[estado]?.name ?? estado
    return cardOf(metric, some, { id: `estado-${estado}`, label, note, colour: colourOfState(estado) })
  })
  return [cardOf(metric, facts, { id: 'total' }), ...states]
}

function matrix(metric: Metric, facts: readonly Fact[], estados: readonly string[]): ShadedTable {
  const valuesOf = (some: readonly Fact[]) =>
    [...estados, undefined].map(
      (estado) => figureOf(metric, some, (fact) => !estado || fact.estado === estado) ?? 0,
    )
  const marcas = marcasOf(facts)
  const values = marcas.map((marca) => valuesOf(facts.filter((fact) => fact.marca === marca)))
  const most = Math.max(...values.flatMap((row) => row.slice(0, -1)), 1)
  const rows = [...values, valuesOf(facts)].map((row, index) => [
    marcas[index] ?? 'Total',
    ...row.map((value) => formatShort(value, metric.format)),
  ])
  const shade = (row: number, column: number) =>
    column < estados.length ? (values[row]?.[column] ?? 0) / most : 0
  return { columns: ['Marca', ...estados, 'Total'], rows, shade }
}

/** `facts` obey the selection, `unselected` do not: the bars still offer what could be picked. */
export function contentOf(
  page: PageName,
  model: AreaModel,
  facts: readonly Fact[],
  unselected: readonly Fact[],
): PageContent {
  const isOverview = page === 'visao-geral'
  const metric = metricOf(model, isOverview ? model.main : model.second)
  const { label } = metric
  const estados = isOverview ? [] : [...new Set(unselected.map(({ estado }) => estado))]
  /** What the charts tell apart: the states, or nothing. */
  const series = isOverview
    ? [{ label, colour: MAIN_COLOUR, isMeant: () => true }]
    : estados.map((estado) => ({
        label: estado,
        colour: colourOfState(estado),
        isMeant: (fact: Fact) => fact.estado === estado,
      }))
  const bars = marcasOf(unselected).map((marca) => {
    const own = unselected.filter((fact) => fact.marca === marca)
    const parts = series.map((each) => ({ ...each, value: figureOf(metric, own, each.isMeant) ?? 0 }))
    return { name: marca, parts, total: figureOf(metric, own) ?? 0 }
  })
  return {
    metric,
    cards: isOverview ? model.metrics.map((each) => cardOf(each, facts)) : stateCards(metric, facts, estados),
    lines: series.map(({ label: name, colour, isMeant }) => ({
      name,
      colour,
      values: byMonth(metric, facts.filter(isMeant)),
    })),
    bars: bars.sort((a, b) => b.total - a.total),
    table: isOverview ? tableByMarca(model, facts) : matrix(metric, facts, estados),
    titles: isOverview
      ? { lines: `${label} por mês`, bars: `${label} por marca`, table: 'Indicadores por marca' }
      : {
          lines: `${label} por mês e estado`,
          bars: `${label} por marca e estado`,
          table: `${label}: marca × estado`,
        },
  }
}
