import { type Fact, MONTHS } from '#emulators/power-bi/data-set.ts'
import { type AreaModel, type Metric, metricOf } from '#emulators/power-bi/data-set-areas.ts'
import { formatFigure, formatNumber, formatShort } from '#emulators/power-bi/data-set-format.ts'
import {
  cardsOf,
  figureOf,
  marcasOf,
  seriesByMarca,
  seriesByMonth,
  tableByMarca,
} from '#emulators/power-bi/data-set-sums.ts'
import type { PageName } from './report-pages.ts'
import type { Bar } from './visuals/bar-chart.ts'
import type { Card } from './visuals/card-row.ts'
import type { FigureTableOptions } from './visuals/figure-table.ts'
import type { Line } from './visuals/line-chart.ts'
import { colourOfState, MAIN_COLOUR } from './visuals/scale.ts'

/** What a page shows, before it has a size; `facts` obey the selection, `unselected` do not. */
export interface PageContent {
  metric: Metric
  cards: Card[]
  lines: Line[]
  bars: Omit<Bar, 'isPicked' | 'isDimmed'>[]
  table: Omit<FigureTableOptions, 'title'>
  /** The states that the charts of the page tell apart. */
  estados: string[]
}

const STATE_NAMES: Readonly<Record<string, string>> = {
  RJ: 'Rio de Janeiro',
  ES: 'Espírito Santo',
  MG: 'Minas Gerais',
  PR: 'Paraná',
}
const YEAR = 12

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

const trendOf = (metric: Metric, facts: readonly Fact[]) =>
  seriesByMonth(metric, facts).map(({ value }) => value ?? 0)

const byValue = (a: { value: number | null }, b: { value: number | null }) => (b.value ?? 0) - (a.value ?? 0)

function overview(model: AreaModel, facts: readonly Fact[], unselected: readonly Fact[]): PageContent {
  const metric = metricOf(model, model.main)
  return {
    metric,
    cards: cardsOf(model, facts).map((card, index) => {
      const own = model.metrics[index] ?? metric
      const full = `${card.label}: ${formatFigure(card.value, own.format)}`
      return { ...card, full, note: changeNote(own, facts), trend: trendOf(own, facts) }
    }),
    lines: [{ name: metric.label, colour: MAIN_COLOUR, values: trendOf(metric, facts) }],
    bars: [...seriesByMarca(metric, unselected)].sort(byValue).map(({ marca, value }) => ({
      name: marca,
      parts: [{ value: value ?? 0, colour: MAIN_COLOUR }],
      label: formatShort(value, metric.format, 1),
      tooltip: [{ label: metric.label, value: formatFigure(value, metric.format), colour: MAIN_COLOUR }],
    })),
    table: tableByMarca(model, facts),
    estados: [],
  }
}

function stateCards(metric: Metric, facts: readonly Fact[], estados: readonly string[]): Card[] {
  const total = figureOf(metric, facts) ?? 0
  const card = (id: string, label: string, some: readonly Fact[], note: string, colour?: string): Card => {
    const value = figureOf(metric, some)
    const full = `${label}: ${formatFigure(value, metric.format)}`
    return {
      id,
      label,
      value,
      formatted: formatShort(value, metric.format),
      full,
      note,
      trend: trendOf(metric, some),
      colour,
    }
  }
  const states = estados.map((estado) => {
    const some = facts.filter((fact) => fact.estado === estado)
    const share = total === 0 ? 0 : ((figureOf(metric, some) ?? 0) / total) * 100
    const note = `${formatNumber(share, 1)}% do total`
    return card(`estado-${estado}`, STATE_NAMES[estado] ?? estado, some, note, colourOfState(estado))
  })
  return [card('total', metric.label, facts, changeNote(metric, facts)), ...states]
}

function matrix(metric: Metric, facts: readonly Fact[], estados: readonly string[]): PageContent['table'] {
  const sum = (marca?: string, estado?: string) =>
    figureOf(
      metric,
      facts,
      (fact) => (!marca || fact.marca === marca) && (!estado || fact.estado === estado),
    ) ?? 0
  const marcas = marcasOf(facts)
  const values = marcas.map((marca) => estados.map((estado) => sum(marca, estado)))
  const most = Math.max(...values.flat(), 1)
  const row = (head: string, marca?: string) => [
    head,
    ...[...estados, undefined].map((estado) => formatShort(sum(marca, estado), metric.format)),
  ]
  return {
    columns: ['Marca', ...estados, 'Total'],
    rows: [...marcas.map((marca) => row(marca, marca)), row('Total')],
    shade: (line, column) => (values[line]?.[column] ?? 0) / most,
  }
}

function byState(model: AreaModel, facts: readonly Fact[], unselected: readonly Fact[]): PageContent {
  const metric = metricOf(model, model.second)
  const present = (some: readonly Fact[]) => [...new Set(some.map(({ estado }) => estado))]
  const estados = present(facts)
  const all = present(unselected)
  const figureFor = (some: readonly Fact[], estado: string, month?: string) =>
    figureOf(metric, some, (fact) => fact.estado === estado && (!month || fact.month === month)) ?? 0
  return {
    metric,
    cards: stateCards(metric, facts, estados),
    lines: estados.map((estado) => ({
      name: estado,
      colour: colourOfState(estado),
      values: MONTHS.map((month) => figureFor(facts, estado, month)),
    })),
    bars: [...seriesByMarca(metric, unselected)].sort(byValue).map(({ marca, value }) => {
      const own = unselected.filter((fact) => fact.marca === marca)
      const parts = all.map((estado) => ({
        value: figureFor(own, estado),
        colour: colourOfState(estado),
        label: estado,
      }))
      const tooltip = parts.map((part) => ({ ...part, value: formatFigure(part.value, metric.format) }))
      return { name: marca, parts, label: formatShort(value, metric.format, 1), tooltip }
    }),
    table: matrix(metric, facts, estados),
    estados: all,
  }
}

export function contentOf(
  page: PageName,
  model: AreaModel,
  facts: readonly Fact[],
  unselected: readonly Fact[],
): PageContent {
  return page === 'visao-geral' ? overview(model, facts, unselected) : byState(model, facts, unselected)
}
