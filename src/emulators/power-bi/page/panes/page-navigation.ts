import type { ReportActions } from '#emulators/power-bi/page/report-actions.ts'
import { PAGES, type PageName } from '#emulators/power-bi/page/report-pages.ts'
import { html } from '#emulators/power-bi/page/visuals/elements.ts'

/** The strip of pages at the bottom. */
export function drawPageNavigation(active: PageName, actions: ReportActions): HTMLElement {
  const buttons = PAGES.map(({ name, displayName }) => {
    const current = name === active && 'page'
    const attributes = { type: 'button', 'data-key': `page-${name}`, 'aria-current': current }
    const button = html('button', attributes, displayName)
    button.addEventListener('click', () => actions.openPage(name, 'user'))
    return button
  })
  return html('nav', { class: 'pages', 'aria-label': 'Páginas do relatório' }, ...buttons)
}
