import { MONTHS } from '#emulators/power-bi/data-set.ts'
import type { ReportActions } from '#emulators/power-bi/page/report-actions.ts'
import { PAGES } from '#emulators/power-bi/page/report-pages.ts'
import { filteredScope, type Session } from '#emulators/power-bi/page/session.ts'
import { html } from '#emulators/power-bi/page/visuals/elements.ts'
import { shortMonth } from '#emulators/power-bi/page/visuals/scale.ts'

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
