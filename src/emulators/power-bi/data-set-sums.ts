import { type Fact, getFacts, MONTHS } from './data-set.ts'
import { type AreaModel, getMetric, type Metric } from './data-set-areas.ts'
import { formatFigure, formatShort } from './data-set-format.ts'

/** The brands and states of an identity or a data set, in the order of reports. */
export interface Scope {
  marcas: readonly string[]
  estados: readonly string[]
}

export interface FigureTable {
  columns: string[]
  rows: string[][]
}

export function listFacts(model: AreaModel, scope: Scope): Fact[] {
  return scope.marcas.flatMap((marca) => scope.estados.flatMap((estado) => getFacts(model, marca, estado)))
}

/** Lists the brands with records, in the data set's order. */
export const listMarcas = (facts: readonly Fact[]) => [...new Set(facts.map(({ marca }) => marca))]

/** Computes a metric. A ratio divides sums, so that filters apply, and is null for a divisor of 0. */
export function computeFigure(
  metric: Metric,
  facts: readonly Fact[],
  isIncluded: (fact: Fact) => boolean = () => true,
): number | null {
  const included = facts.filter(isIncluded)
  const sum = (name: string) => included.reduce((total, fact) => total + (fact.sums[name] ?? 0), 0)
  if (!metric.per) return sum(metric.of)
  const divisor = sum(metric.per)
  return divisor === 0 ? null : ((metric.factor ?? 1) * sum(metric.of)) / divisor
}

/** Builds a table with a row per brand with records, and a total. */
export function buildTable(model: AreaModel, facts: readonly Fact[]): FigureTable {
  const createRow = (head: string, isIncluded?: (fact: Fact) => boolean) => [
    head,
    ...model.metrics.map((metric) => formatFigure(computeFigure(metric, facts, isIncluded), metric.format)),
  ]
  const rows = listMarcas(facts).map((marca) => createRow(marca, (fact) => fact.marca === marca))
  return {
    columns: ['Marca', ...model.metrics.map((metric) => metric.label)],
    rows: [...rows, createRow('Total')],
  }
}

/** Computes the first page of a report for a scope. */
export function sumScope(model: AreaModel, scope: Scope) {
  const facts = listFacts(model, scope)
  const main = getMetric(model, model.main)
  return {
    area: model.area,
    marcas: scope.marcas,
    estados: scope.estados,
    cards: model.metrics.map((metric) => {
      const value = computeFigure(metric, facts)
      return { id: metric.id, label: metric.label, value, formatted: formatShort(value, metric.format) }
    }),
    byMarca: listMarcas(facts).map((marca) => ({
      marca,
      value: computeFigure(main, facts, (fact) => fact.marca === marca),
    })),
    byMonth: MONTHS.map((month) => ({
      month,
      value: computeFigure(main, facts, (fact) => fact.month === month),
    })),
    table: buildTable(model, facts),
  }
}
