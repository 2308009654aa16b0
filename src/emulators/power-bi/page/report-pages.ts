import type { AreaModel } from '#emulators/power-bi/data-set-areas.ts'
import { metricOf } from '#emulators/power-bi/data-set-areas.ts'

export const PAGES = [
  { name: 'visao-geral', displayName: 'Visão geral' },
  { name: 'detalhe-por-estado', displayName: 'Detalhe por estado' },
] as const
export type PageName = (typeof PAGES)[number]['name']

export function isPageName(name: unknown): name is PageName {
  return PAGES.some((page) => page.name === name)
}

/** A page as powerbi-models' IPage describes it. */
export function describePage(name: PageName, active: PageName) {
  const page = PAGES.find((each) => each.name === name) ?? PAGES[0]
  return { ...page, isActive: name === active }
}

export interface Visual {
  name: string
  title: string
}

export function visualsOf(model: AreaModel, page: PageName): Record<'line' | 'bars' | 'table', Visual> {
  if (page === 'visao-geral') {
    const { label } = metricOf(model, model.main)
    return {
      line: { name: 'por-mes', title: `${label} por mês` },
      bars: { name: 'por-marca', title: `${label} por marca` },
      table: { name: 'tabela', title: 'Indicadores por marca' },
    }
  }
  const { label } = metricOf(model, model.second)
  return {
    line: { name: 'por-mes-e-estado', title: `${label} por mês e estado` },
    bars: { name: 'por-marca-e-estado', title: `${label} por marca e estado` },
    table: { name: 'matriz', title: `${label}: marca × estado` },
  }
}
