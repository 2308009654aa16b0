import { MONTHS } from '#emulators/power-bi/data-set.ts'
import { findAreaModel } from '#emulators/power-bi/data-set-areas.ts'
import { listFacts } from '#emulators/power-bi/data-set-sums.ts'
import { drawBars, drawCards, drawLines, drawSwatch, drawTable, formatMonth } from './draw-visuals.ts'
import { html } from './elements.ts'
import { buildPageContent, getStateColor } from './page-content.ts'
import {
  getFilteredScope,
  getPermittedScope,
  getSelectedScope,
  PAGES,
  type PageName,
  type Session,
} from './session.ts'
import type { FilterColumn } from './update-filters.ts'

/** The reader's actions in an open report. */
export interface ReportActions {
  openPage: (name: PageName) => void
  /** Selects a value or adds it to the selection; selecting the only one again deselects it. */
  toggle: (column: FilterColumn, value: string, isAdding: boolean) => void
  clearSelection: () => void
  clickVisual: () => void
  filterByReader: (column: FilterColumn, values: readonly string[]) => void
}

/** models.LayoutType.MobilePortrait */
const PHONE_LAYOUT = 2
const PHONE_WIDTH = 760
/** Up to this many brands, bars and table are low and the line chart takes the full width. */
const FEW_BRANDS = 4

const isAdding = ({ ctrlKey, metaKey }: MouseEvent) => ctrlKey || metaKey

/** Returns 'FIAT, JEEP' for a few values, '10 marcas' for many. */
function formatValues(values: readonly string[], plural: string): string {
  return values.length === 0 || values.length > 4 ? `${values.length} ${plural}` : values.join(', ')
}

/** Draws the heading: report, page, scope, and a button that clears the selection. */
function drawHeading(session: Session, actions: ReportActions): HTMLElement {
  const { marcas, estados } = getFilteredScope(session)
  const page = PAGES.find(({ name }) => name === session.page)
  const period = `${formatMonth(MONTHS[0])} a ${formatMonth(MONTHS.at(-1))}`
  const scope = [period, formatValues(marcas, 'marcas'), formatValues(estados, 'estados')].join('  ·  ')
  const clear = { type: 'button', class: 'clear', 'data-key': 'clear', click: actions.clearSelection }
  const { selection } = session
  return html(
    'header',
    {},
    html('h1', {}, session.report?.name, html('span', {}, page?.displayName)),
    html('p', { class: 'scope' }, scope),
    selection && html('button', clear, `Limpar seleção: ${selection.values.join(', ')}`),
  )
}

/** Draws the legend of states, whose buttons select a state. */
function drawStateLegend(session: Session, { toggle }: ReportActions): HTMLElement {
  const picked = session.selection?.column === 'Estado' ? session.selection.values : []
  const buttons = getFilteredScope(session).estados.map((estado) => {
    const attributes = {
      type: 'button',
      'data-key': `estado-${estado}`,
      'aria-pressed': String(picked.includes(estado)),
      class: picked.length > 0 && !picked.includes(estado) && 'unpicked',
      click: (event: MouseEvent) => toggle('Estado', estado, isAdding(event)),
    }
    return html('button', attributes, drawSwatch(getStateColor(estado)), estado)
  })
  return html('div', { class: 'legend', role: 'group', 'aria-label': 'Estado' }, ...buttons)
}

function drawCanvas(session: Session, actions: ReportActions): HTMLElement {
  const model = findAreaModel(session.report?.type ?? '')
  if (!model) throw new Error('no report is open')
  const { page, selection } = session
  const facts = listFacts(model, getSelectedScope(session))
  const picked = selection?.column === 'Marca' ? selection.values : []
  const unselected = picked.length > 0 ? listFacts(model, getFilteredScope(session)) : facts
  if (unselected.length === 0) {
    const text = 'Não há dados para as marcas e os estados deste acesso.'
    return html('main', {}, html('p', { class: 'empty', role: 'status' }, text))
  }
  const { metric, cards, lines, bars, table, titles } = buildPageContent(page, model, facts, unselected)
  const { format } = metric

  function clickOutsideButtons({ target }: MouseEvent): void {
    if (!(target instanceof Element && target.closest('button'))) actions.clickVisual()
  }
  function drawVisual(title: string, content: HTMLElement, bodyAttributes = {}, extra?: HTMLElement) {
    return html(
      'section',
      { class: 'visual', 'aria-label': title, click: clickOutsideButtons },
      html('div', { class: 'visual-head' }, html('h2', {}, title), extra),
      html('div', { class: 'visual-body', ...bodyAttributes }, content),
    )
  }

  // A scrollable region must be focusable by keyboard.
  const scrolls = { class: 'visual-body scrolls', tabindex: 0, role: 'group', 'aria-label': titles.table }
  const tableVisual = drawVisual(titles.table, drawTable(titles.table, table), scrolls)
  if (session.report?.isPaginated) return html('main', {}, html('div', { class: 'visuals few' }, tableVisual))
  const barChart = drawBars(bars, format, picked, (name, event) =>
    actions.toggle('Marca', name, isAdding(event)),
  )
  const legend = page === 'visao-geral' ? undefined : drawStateLegend(session, actions)
  // Reserves space for all brands, so that a selection does not shift the layout.
  const grid = html(
    'div',
    { class: bars.length <= FEW_BRANDS ? 'visuals few' : 'visuals', '--brands': bars.length },
    drawVisual(titles.lines, drawLines(titles.lines, lines, format)),
    drawVisual(titles.bars, barChart, {}, legend),
    tableVisual,
  )
  return html('main', {}, drawCards(cards, actions.clickVisual), grid)
}

/** Draws the pane 'Filtros' at the right edge, collapsed to a strip. */
function drawFilterPane(session: Session, { filterByReader }: ReportActions, isOpen: boolean): HTMLElement {
  const [permitted, left] = [getPermittedScope(session), getFilteredScope(session)]
  const drawChoice = (column: FilterColumn, values: readonly string[], chosen: readonly string[]) => {
    const boxes = values.map((value) => {
      const isOnlyOne = chosen.length === 1 && chosen[0] === value
      const attributes = { type: 'checkbox', 'data-key': `filter-${value}`, 'aria-disabled': isOnlyOne }
      const box = html('input', { ...attributes, checked: chosen.includes(value) })
      box.addEventListener('change', () => {
        const others = chosen.filter((each) => each !== value)
        // An empty list would mean all values, so the last one stays checked.
        if (isOnlyOne) box.checked = true
        else filterByReader(column, box.checked ? [...others, value] : others)
      })
      return html('label', {}, box, value)
    })
    return html('fieldset', {}, html('legend', {}, column), ...boxes)
  }
  const toggle = html(
    'button',
    {
      type: 'button',
      class: 'pane-toggle',
      'data-key': 'filters',
      'aria-expanded': String(isOpen),
      click: () => toggle.setAttribute('aria-expanded', String(pane.classList.toggle('open'))),
    },
    'Filtros',
  )
  const pane = html(
    'aside',
    { class: isOpen ? 'filters open' : 'filters', 'aria-label': 'Filtros' },
    toggle,
    drawChoice('Marca', permitted.marcas, left.marcas),
    drawChoice('Estado', permitted.estados, left.estados),
  )
  return pane
}

function drawPageNavigation(active: PageName, { openPage }: ReportActions): HTMLElement {
  const buttons = PAGES.map(({ name, displayName }) => {
    const current = name === active && 'page'
    const attributes = { type: 'button', 'data-key': `page-${name}`, 'aria-current': current }
    return html('button', { ...attributes, click: () => openPage(name) }, displayName)
  })
  return html('nav', { class: 'pages', 'aria-label': 'Páginas do relatório' }, ...buttons)
}

const root = document.getElementById('report') as HTMLElement

/** Draws the session into the document, keeping the focus and the open pane. */
export function drawReport(session: Session, actions: ReportActions): void {
  const { settings, report } = session
  const focused = document.activeElement?.getAttribute('data-key')
  const pane = root.querySelector('.filters')
  const isPaneOpen = pane?.classList.contains('open') ?? settings.panes?.filters?.expanded ?? false
  // Reads the new setting, and the old one that powerbi-client still sends.
  const hasFilters = settings.panes?.filters?.visible ?? settings.filterPaneEnabled ?? true
  const hasNavigation = settings.panes?.pageNavigation?.visible ?? settings.navContentPaneEnabled ?? true
  document.title = report?.name ?? 'Relatório Power BI'
  const middle = html('div', { class: 'middle' }, drawCanvas(session, actions))
  root.replaceChildren(drawHeading(session, actions), middle)
  if (hasFilters && !report?.isPaginated) middle.append(drawFilterPane(session, actions, isPaneOpen))
  if (hasNavigation && !report?.isPaginated) root.append(drawPageNavigation(session.page, actions))
  applyLayout(session)
  if (focused) root.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus()
}

/** Sets the attribute that selects the layout in the style sheet. */
export function applyLayout({ settings }: Session): void {
  const isPhone = settings.layoutType === PHONE_LAYOUT || window.innerWidth < PHONE_WIDTH
  root.dataset.layout = isPhone ? 'phone' : 'wide'
}

export function showNotice(text: string): void {
  root.replaceChildren(html('main', { class: 'notice', role: 'status' }, text))
}

export function showExpired(): void {
  root.prepend(html('p', { class: 'expired', role: 'status' }, 'O acesso a este relatório expirou.'))
}
