/** The filterable columns; table and column have the same name. */
export type FilterColumn = 'Marca' | 'Estado'

/** The supported part of BasicFilter of powerbi-models; other filters are ignored. */
export interface ReportFilter {
  target?: { table?: string; column?: string }
  operator?: string
  values?: unknown[]
}

const getFilterKey = ({ target }: ReportFilter) => `${target?.table}/${target?.column}`

/** Reads the filters of a load configuration (models.OnLoadFilters). */
export function readFilters(given: unknown): ReportFilter[] {
  const { allPages } = (given ?? {}) as { allPages?: { filters?: ReportFilter[] } }
  return allPages?.filters ?? []
}

/** Replaces the filters of the same column. */
export function replaceFilter(current: readonly ReportFilter[], filter: ReportFilter): ReportFilter[] {
  return [...current.filter((each) => getFilterKey(each) !== getFilterKey(filter)), filter]
}

/** Filters the values of a column; an empty In list is no filter, as in Power BI. */
export function filterValues<T extends string>(
  filters: readonly ReportFilter[],
  column: FilterColumn,
  values: readonly T[],
): T[] {
  const own = filters.filter(({ target }) => target?.table === column && target.column === column)
  return values.filter((value) =>
    own.every(({ operator, values: listed = [] }) => {
      if (listed.length === 0) return true
      if (operator === 'In') return listed.includes(value)
      return operator === 'NotIn' ? !listed.includes(value) : true
    }),
  )
}

export function toFilter(column: FilterColumn, values: readonly string[]): ReportFilter {
  return { target: { table: column, column }, operator: 'In', values: [...values] }
}

/** Parses a link's filters: `Marca/Marca in ('FIAT','GM') and Estado/Estado eq 'RJ'`; `''` is a quote. */
export function parseLinkFilter(text: string): ReportFilter[] {
  const terms = text.matchAll(/(Marca|Estado)\/\1 (?:in \(([^)]*)\)|eq ('(?:[^']|'')*'))/g)
  return [...terms].map(([, column, list, single]) => {
    const quoted = (list ?? single ?? '').matchAll(/'((?:[^']|'')*)'/g)
    const values = [...quoted].map(([, value = '']) => value.replaceAll("''", "'"))
    return toFilter(column as FilterColumn, values)
  })
}
