import './style.css'
import { ESTADOS, MARCAS } from '#contract/seeded-catalogue.ts'
import { reportOfId } from '#emulators/power-bi/catalogue.ts'
import { answerHost, connectHost, type Parts } from './answer-host.ts'
import { createReportView } from './draw-report.ts'
import { createEvents, createTokenWatch, watchFaults } from './emit-events.ts'
import { createActions } from './report-actions.ts'
import { createSession } from './session.ts'
import { parseLinkFilter } from './update-filters.ts'

// The real service sends no figure of another brand; here they are in the script, so it leaves the document.
document.currentScript?.remove()

const address = new URLSearchParams(window.location.search)
const uid = address.get('uid') ?? ''
/** The lists that the page was served with; a page that is served as it was built has those of a new portal. */
const { marcas, estados } = document.getElementById('report')?.dataset ?? {}
const session = createSession(uid, {
  marcas: marcas?.split(',') ?? MARCAS,
  estados: estados?.split(',') ?? ESTADOS,
})

// The listener stands before anything is drawn; `parts` is filled below, still in the same synchronous run.
let parts: Parts
const post = connectHost((request) => answerHost(request, parts))
const events = createEvents(session, post)
const view = createReportView(session)
const draw = () => {
  view.draw(actions)
  // Not an animation frame: a hidden tab has none, and its host would wait for ever.
  setTimeout(events.rendered, 20)
}
const actions = createActions(session, events, draw)
const watchToken = createTokenWatch(session, events, view.showExpired)
parts = { session, events, actions, draw, watchToken, showFailure: view.showNotice }

/** A share link: the report stands in the address and no host speaks to the frame. */
function openLink(): void {
  session.report = reportOfId(address.get('reportId') ?? '')
  if (!session.report) {
    view.showNotice('Este relatório não existe.')
    return
  }
  session.kind = 'link'
  session.filters = parseLinkFilter(address.get('filter') ?? '')
  // learn.microsoft.com/power-bi/developer/embedded/configure-report-settings: filterPaneEnabled, navContentPaneEnabled
  for (const pane of ['filterPaneEnabled', 'navContentPaneEnabled'] as const)
    if (address.get(pane) === 'false') session.settings[pane] = false
  draw()
}

if (address.get('autoAuth') === 'true') openLink()
else if (window.parent === window) view.showNotice('Este relatório só abre dentro do portal.')
else {
  watchFaults(session, events)
  if (uid) post(`/ready/${uid}`, {})
}
