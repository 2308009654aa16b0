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
  return {
    ...page,
    isActive: name === active,
    visibility: 0,
    defaultSize: { type: 0, width: 1280, height: 720 },
    mobileSize: { type: 3, width: 390, height: 1180 },
    defaultDisplayOption: 0,
  }
}

/** A visual of a page, as events and `getVisuals` name it. */
export interface Visual {
  name: string
  title: string
  type: string
}

/** The visuals of a page in reading order: cards, line, bars, table. */
export function visualsOf(
  model: AreaModel,
  page: PageName,
): Record<'cards' | 'line' | 'bars' | 'table', Visual> {
  if (page === 'visao-geral') {
    const { label } = metricOf(model, model.main)
    return {
      cards: { name: 'indicadores', title: 'Indicadores', type: 'cardVisual' },
      line: { name: 'por-mes', title: `${label} por mês`, type: 'areaChart' },
      bars: { name: 'por-marca', title: `${label} por marca`, type: 'clusteredBarChart' },
      table: { name: 'tabela', title: 'Indicadores por marca', type: 'tableEx' },
    }
  }
  const { label } = metricOf(model, model.second)
  return {
    cards: { name: 'estados', title: `${label} por estado`, type: 'cardVisual' },
    line: { name: 'por-mes-e-estado', title: `${label} por mês e estado`, type: 'lineChart' },
    bars: { name: 'por-marca-e-estado', title: `${label} por marca e estado`, type: 'barChart' },
    table: { name: 'matriz', title: `${label}: marca × estado`, type: 'pivotTable' },
  }
}
