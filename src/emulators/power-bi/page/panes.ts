import { MONTHS } from '#emulators/power-bi/data-set.ts'
import type { ReportActions } from './report-actions.ts'
import { PAGES, type PageName } from './report-pages.ts'
import { filteredScope, type Selection, type Session } from './session.ts'
import type { FilterColumn } from './update-filters.ts'
import { html, styled } from './visuals/elements.ts'
import { colourOfState, shortMonth } from './visuals/scale.ts'

/** 'FIAT, JEEP' for a few, '10 marcas' for many. */
function inWords(values: readonly string[], plural: string): string {
  return values.length === 0 || values.length > 4 ? `${values.length} ${plural}` : values.join(', ')
}

/** The report's head line: its name, the page, what is shown, and the way out of a selection. */
export function drawHeading(session: Session, actions: ReportActions): HTMLElement {
  const { marcas, estados } = filteredScope(session)
  const page = PAGES.find(({ name }) => name === session.page)
  const period = `${shortMonth(MONTHS[0] ?? '')} a ${shortMonth(MONTHS.at(-1) ?? '')}`
  const scope = [period, inWords(marcas, 'marcas'), inWords(estados, 'estados')].join('  ·  ')
  const title = html('h1', {}, session.report?.name ?? '', html('span', {}, page?.displayName ?? ''))
  const head = html('header', {}, title, html('p', { class: 'scope' }, scope))
  if (session.selection) {
    const label = `Limpar seleção: ${session.selection.values.join(', ')}`
    const clear = html('button', { type: 'button', class: 'clear', 'data-key': 'clear' }, label)
    clear.addEventListener('click', actions.clearSelection)
    head.append(clear)
  }
  return head
}

/** The values of a column: what the reader may see, and what of it is let through. */
interface FilterChoice {
  column: FilterColumn
  permitted: readonly string[]
  chosen: readonly string[]
}

function drawChoice({ column, permitted, chosen }: FilterChoice, actions: ReportActions): HTMLElement {
  const boxes = permitted.map((value) => {
    const isOnlyOne = chosen.length === 1 && chosen[0] === value
    const box = html('input', { type: 'checkbox', 'data-key': `filter-${value}`, 'aria-disabled': isOnlyOne })
    box.checked = chosen.includes(value)
    box.addEventListener('change', () => {
      const others = chosen.filter((each) => each !== value)
      // An empty list would mean every value, so the last one stays.
      if (!box.checked && others.length === 0) box.checked = true
      else actions.filterByReader(column, box.checked ? [...others, value] : others)
    })
    return html('label', {}, box, value)
  })
  return html('fieldset', {}, html('legend', {}, column), ...boxes)
}

/** The pane 'Filtros' at the right edge, a narrow strip until it is opened. */
export function drawFilterPane(
  choices: readonly FilterChoice[],
  isOpen: boolean,
  actions: ReportActions,
  onToggle: () => void,
): HTMLElement {
  const attributes = {
    type: 'button',
    class: 'pane-toggle',
    'data-key': 'filters',
    'aria-expanded': String(isOpen),
  }
  const toggle = html('button', attributes, 'Filtros')
  toggle.addEventListener('click', onToggle)
  const fields = isOpen ? choices.map((choice) => drawChoice(choice, actions)) : []
  return html(
    'aside',
    { class: isOpen ? 'filters open' : 'filters', 'aria-label': 'Filtros' },
    toggle,
    ...fields,
  )
}

/** The colours of the states; picking one narrows the page to it. Undefined when no chart tells states apart. */
export function drawStateLegend(
  estados: readonly string[],
  selection: Selection | undefined,
  onPick: (estado: string, isAdding: boolean) => void,
): HTMLElement | undefined {
  if (estados.length === 0) return undefined
  const picked = selection?.column === 'Estado' ? selection.values : []
  const buttons = estados.map((estado) => {
    const swatch = styled(html('span', { class: 'swatch' }), { background: colourOfState(estado) })
    const attributes = {
      type: 'button',
      'data-key': `estado-${estado}`,
      'aria-pressed': String(picked.includes(estado)),
      class: picked.length > 0 && !picked.includes(estado) ? 'unpicked' : undefined,
    }
    const button = html('button', attributes, swatch, estado)
    button.addEventListener('click', (event) => onPick(estado, event.ctrlKey || event.metaKey))
    return button
  })
  return html('div', { class: 'legend', role: 'group', 'aria-label': 'Estado' }, ...buttons)
}

export function drawPageNavigation(active: PageName, actions: ReportActions): HTMLElement {
  const buttons = PAGES.map(({ name, displayName }) => {
    const current = name === active && 'page'
    const attributes = { type: 'button', 'data-key': `page-${name}`, 'aria-current': current }
    const button = html('button', attributes, displayName)
    button.addEventListener('click', () => actions.openPage(name))
    return button
  })
  return html('nav', { class: 'pages', 'aria-label': 'Páginas do relatório' }, ...buttons)
}
