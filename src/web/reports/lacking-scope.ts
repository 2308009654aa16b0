import type { models, Report, VisualDescriptor } from 'powerbi-client'
import type { ListName } from '#contract/entitlement-lists.ts'
import { formatList } from '#contract/format-list.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { closeToast, showToast, type ToastContent } from '#web/ui/toast.tsx'

/** What a person may see. */
export type Scope = Record<'marcas' | 'estados', readonly string[]>

/** The columns that docs/power-bi.md prescribes. */
const COLUMNS: Record<string, keyof Scope & ListName> = { Marca: 'marcas', Estado: 'estados' }

interface LackingScopeOptions {
  report: Report
  scope: Scope
  /** Whether the view's owner may see marcas or estados that the person may not. */
  ownerSeesMore: boolean
  openAsPublished: () => void
}

/**
 * Says that the open view filters by marcas or estados that the person lacks, or, where its filters do
 * not tell, that its owner sees more.
 * @returns a function that closes the notice
 */
export async function showLackingScope(options: LackingScopeOptions): Promise<() => void> {
  const { report, scope, ownerSeesMore, openAsPublished } = options
  const lacking = await listLacking(report, scope).catch(() => [])
  const verb = lacking.length > 1 ? 'estão' : 'está'
  const named: ToastContent = {
    kind: 'warning',
    title: `Esta visão filtra por ${formatList(lacking)}, que não ${verb} no seu acesso`,
    description: 'Por isso o relatório pode aparecer vazio ou com zeros.',
    lifetimeMs: Number.POSITIVE_INFINITY,
  }
  const general: ToastContent = {
    kind: 'info',
    title: 'Quem salvou esta visão vê mais marcas ou estados do que você',
    description: 'Se o relatório parecer vazio, é por isso: você vê só os seus dados.',
    lifetimeMs: 12_000,
  }
  if (lacking.length === 0 && !ownerSeesMore) return () => {}
  const action = { label: 'Como foi publicado', run: openAsPublished }
  const id = showToast({ ...(lacking.length > 0 ? named : general), action })
  return () => closeToast(id)
}

/** Lists the values of filters of which the person has none. */
async function listLacking(report: Report, scope: Scope): Promise<string[]> {
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
