import type { models, Report, VisualDescriptor } from 'powerbi-client'
import type { ListName } from '#contract/entitlement-lists.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'

/** What a person may see. */
export type Scope = Record<'marcas' | 'estados', readonly string[]>

/** The columns that docs/power-bi.md prescribes. */
const COLUMNS: Record<string, keyof Scope & ListName> = { Marca: 'marcas', Estado: 'estados' }

/** Lists the values of the report's filters of which the person has none. */
export async function listLacking(report: Report, scope: Scope): Promise<string[]> {
  const [filters, catalogue] = await Promise.all([
    listFilters(report),
    queryClient.ensureQueryData(catalogueQuery),
  ])
  const lacking = filters.flatMap((filter) => {
    const { target, operator, values = [] } = filter as Partial<models.IBasicFilter>
    const { table, column } = (target ?? {}) as Partial<models.IFilterColumnTarget>
    const list = column === table ? COLUMNS[column ?? ''] : undefined
    // Other words than the portal's codes say nothing about its lists.
    const isKnown = (value: unknown) => list && catalogue[list].some(({ code }) => code === value)
    const isLacking =
      list && operator === 'In' && !values.some((value) => scope[list].includes(String(value)))
    return isLacking && values.every(isKnown) ? values.map(String) : []
  })
  return [...new Set(lacking)]
}

/** Lists the filters of the report and of its open page, those of slicers too. */
async function listFilters(report: Report): Promise<models.IFilter[]> {
  const page = await report.getActivePage()
  const slicers = await page.getSlicers()
  const filters = [
    report.getFilters(),
    page.getFilters(),
    // Typed as plain visuals.
    ...slicers.map(async (slicer) => (await (slicer as VisualDescriptor).getSlicerState()).filters),
  ]
  return (await Promise.all(filters.map((each) => each.catch(() => [])))).flat()
}
