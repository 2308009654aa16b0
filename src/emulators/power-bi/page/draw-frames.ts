import { MONTHS } from '#emulators/power-bi/data-set.ts'
import type { PageContent } from './page-content.ts'
import { drawStateLegend } from './panes.ts'
import type { ReportActions } from './report-actions.ts'
import type { Visual } from './report-pages.ts'
import { filteredScope, type Session } from './session.ts'
import { drawBars } from './visuals/bar-chart.ts'
import { html, styled } from './visuals/elements.ts'
import { drawTable } from './visuals/figure-table.ts'
import { drawLines } from './visuals/line-chart.ts'

const BAR_HEIGHT = 30

export interface Frame {
  figure: HTMLElement
  /** Fills the figure for the room that it has; called again when that changes. */
  fill: (width: number, height: number) => void
}

function drawFrame(visual: Visual, actions: ReportActions, extra?: HTMLElement) {
  const body = html('div', { class: 'visual-body' })
  const heading = html('div', { class: 'visual-head' }, html('h2', {}, visual.title), extra)
  const figure = html(
    'section',
    { class: `visual ${visual.name}`, 'aria-label': visual.title },
    heading,
    body,
  )
  figure.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element && target.closest('button'))) actions.clickVisual()
  })
  return { figure, body }
}

export function lineFrame(content: PageContent, visual: Visual, actions: ReportActions): Frame {
  const { figure, body } = drawFrame(visual, actions)
  const { lines, metric } = content
  const fill = (width: number, height: number) =>
    body.replaceChildren(
      ...drawLines({ title: visual.title, months: MONTHS, lines, format: metric.format, width, height }),
    )
  return { figure, fill }
}

/** The brands of the page as bars, with the legend of the states where the bars are split by them. */
export function barFrame(
  session: Session,
  content: PageContent,
  visual: Visual,
  actions: ReportActions,
): Frame {
  const scope = filteredScope(session)
  const estados = session.page === 'visao-geral' ? [] : scope.estados
  const { selection } = session
  const legend = drawStateLegend(estados, selection, (estado, isAdding) =>
    actions.toggle('Estado', estado, isAdding),
  )
  const { figure, body } = drawFrame(visual, actions, legend)
  styled(body, { '--bars': `${content.bars.length * BAR_HEIGHT}px` })
  const picked = selection?.column === 'Marca' ? selection.values : []
  const bars = content.bars.map((bar) => {
    const isPicked = picked.includes(bar.name)
    return { ...bar, isPicked, isDimmed: picked.length > 0 && !isPicked }
  })
  const onPick = (name: string, isAdding: boolean) => actions.toggle('Marca', name, isAdding)
  const fill = (width: number, height: number) =>
    body.replaceChildren(...drawBars({ title: visual.title, bars, width, height, onPick }))
  return { figure, fill }
}

export function tableFrame(content: PageContent, visual: Visual, actions: ReportActions): Frame {
  const { figure, body } = drawFrame(visual, actions)
  body.append(drawTable({ ...content.table, title: visual.title }))
  body.classList.add('scrolls')
  // A region that scrolls must be reachable from the keyboard.
  body.tabIndex = 0
  body.setAttribute('role', 'group')
  body.setAttribute('aria-label', visual.title)
  const lines = content.table.rows.length + 1
  function fill(_: number, height: number): void {
    // Where the table makes the height of its row, fitting it to that height would let it creep.
    if (figure.closest('.few')) return
    styled(body, { '--row': `${Math.max(22, Math.min(40, Math.floor((height - 10) / lines)))}px` })
  }
  return { figure, fill }
}
