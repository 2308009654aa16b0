import { factsInScope } from '#emulators/power-bi/data-set-sums.ts'
import { barFrame, type Frame, lineFrame, tableFrame } from './draw-frames.ts'
import { contentOf } from './page-content.ts'
import { drawFilterPane, drawHeading, drawPageNavigation } from './panes.ts'
import type { ReportActions } from './report-actions.ts'
import { visualsOf } from './report-pages.ts'
import { filteredScope, modelOfSession, permittedScope, type Session, selectedScope } from './session.ts'
import { drawCards } from './visuals/card-row.ts'
import { hideTooltip, html, styled } from './visuals/elements.ts'

/** models.LayoutType.MobilePortrait */
const PHONE_LAYOUT = 2
const PHONE_WIDTH = 760
/** Up to so many brands, bars and table are low and the line takes the width. */
const FEW_BRANDS = 4

function drawCanvas(session: Session, actions: ReportActions): { canvas: HTMLElement; frames: Frame[] } {
  const model = modelOfSession(session)
  const facts = factsInScope(model, selectedScope(session))
  const isByMarca = session.selection?.column === 'Marca'
  const unselected = isByMarca ? factsInScope(model, filteredScope(session)) : facts
  const content = contentOf(session.page, model, facts, unselected)
  const visuals = visualsOf(model, session.page)
  if (unselected.length === 0) {
    const text = 'Não há dados para as marcas e os estados deste acesso.'
    return { canvas: html('main', {}, html('p', { class: 'empty', role: 'status' }, text)), frames: [] }
  }
  const frames = [
    lineFrame(content, visuals.line, actions),
    barFrame(session, content, visuals.bars, actions),
    tableFrame(content, visuals.table, actions),
  ]
  if (session.report?.isPaginated) {
    const [, , table] = frames as [Frame, Frame, Frame]
    return { canvas: html('main', {}, html('div', { class: 'visuals few' }, table.figure)), frames: [table] }
  }
  const cards = drawCards(content.cards, actions.clickVisual)
  const isFew = content.bars.length <= FEW_BRANDS
  const grid = html(
    'div',
    { class: isFew ? 'visuals few' : 'visuals' },
    ...frames.map(({ figure }) => figure),
  )
  // The room is that of all brands, so that nothing jumps when one is picked.
  styled(grid, { '--brands': String(content.bars.length) })
  return { canvas: html('main', {}, cards, grid), frames }
}

function isPhone({ settings }: Session): boolean {
  return settings.layoutType === PHONE_LAYOUT || window.innerWidth < PHONE_WIDTH
}

/** Whether a pane is to be seen, by the new setting and the old one that powerbi-client still sends. */
function visiblePanes({ settings, report }: Session) {
  if (report?.isPaginated) return { navigation: false, filters: false }
  const { panes, navContentPaneEnabled, filterPaneEnabled } = settings
  return {
    navigation: panes?.pageNavigation?.visible ?? navContentPaneEnabled ?? true,
    filters: panes?.filters?.visible ?? filterPaneEnabled ?? true,
  }
}

function filterChoices(session: Session) {
  const [permitted, left] = [permittedScope(session), filteredScope(session)]
  return [
    { column: 'Marca' as const, permitted: permitted.marcas, chosen: left.marcas },
    { column: 'Estado' as const, permitted: permitted.estados, chosen: left.estados },
  ]
}

/** Draws the session into the document, again whenever it is told to or the room changes. */
export function createReportView(session: Session) {
  const root = document.getElementById('report') as HTMLElement
  let frames: Frame[] = []
  let isPaneOpen: boolean | undefined

  const isFilterPaneOpen = () => isPaneOpen ?? session.settings.panes?.filters?.expanded ?? false

  /** A frame without room (in a hidden tab, say) is filled when it gets some. */
  function fillFrames(): void {
    root.dataset.layout = isPhone(session) ? 'phone' : 'wide'
    for (const { figure, fill } of frames) {
      const body = figure.querySelector<HTMLElement>('.visual-body')
      if (body && body.clientWidth > 0 && body.clientHeight > 0) fill(body.clientWidth, body.clientHeight)
    }
  }

  function togglePane(actions: ReportActions): void {
    isPaneOpen = !isFilterPaneOpen()
    draw(actions)
  }

  function draw(actions: ReportActions): void {
    const focused = document.activeElement?.getAttribute('data-key')
    hideTooltip()
    const drawn = drawCanvas(session, actions)
    frames = drawn.frames
    const panes = visiblePanes(session)
    document.title = session.report?.name ?? 'Relatório Power BI'
    const middle = html('div', { class: 'middle' }, drawn.canvas)
    if (panes.filters) {
      middle.append(
        drawFilterPane(filterChoices(session), isFilterPaneOpen(), actions, () => togglePane(actions)),
      )
    }
    const parts = [drawHeading(session, actions), middle]
    root.replaceChildren(...parts, ...(panes.navigation ? [drawPageNavigation(session.page, actions)] : []))
    fillFrames()
    if (focused) root.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus()
  }

  function showNotice(text: string): void {
    frames = []
    root.replaceChildren(html('main', { class: 'notice', role: 'status' }, text))
  }

  function showExpired(): void {
    root.prepend(html('p', { class: 'expired', role: 'status' }, 'O acesso a este relatório expirou.'))
    fillFrames()
  }

  new ResizeObserver(fillFrames).observe(root)
  window.addEventListener('resize', fillFrames)
  return { draw, showNotice, showExpired }
}
