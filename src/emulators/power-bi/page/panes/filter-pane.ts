import type { ReportActions } from '#emulators/power-bi/page/report-actions.ts'
import type { FilterColumn } from '#emulators/power-bi/page/update-filters.ts'
import { html } from '#emulators/power-bi/page/visuals/elements.ts'

/** The values of a column: what the reader may see, and what of it is let through. */
export interface FilterChoice {
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
