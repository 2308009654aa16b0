import type { Report } from 'powerbi-client'
import { portalSettings } from '#web/http/portal-settings.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import {
  bootstrapDemoFrame,
  demoBaseOf,
  loadPowerBi,
  type PowerBi,
  type ReportView,
  reportConfig,
} from './powerbi-client.ts'
import type { TokenRequest } from './token-book.ts'

/** Whether a report is a paginated one, as its last token said. */
export const paginatedMemory = (reportId: string) => `patio.paginated.${reportId}`
/** Whether a report has a layout for phones, as it said when it was last shown on one. */
export const phoneLayoutMemory = (reportId: string) => `patio.phone-layout.${reportId}`
export const remembers = (memory: string) => sharedStorage.get(memory) === 'yes'
export const NARROW = '(max-width: 639px)'

/** Which frame a report gets; `form` is what is remembered of it unless it is known. */
export function viewOf(
  { workspaceId, reportId }: TokenRequest,
  marcas: readonly string[],
  form: Pick<ReportView, 'layout' | 'isPaginated'> = rememberedForm(reportId),
): ReportView {
  const { layout, isPaginated } = form
  return { embedBase: portalSettings.reportEmbedBase, workspaceId, reportId, marcas, layout, isPaginated }
}

function rememberedForm(reportId: string) {
  const isPhone = matchMedia(NARROW).matches && remembers(phoneLayoutMemory(reportId))
  const layout: ReportView['layout'] = isPhone ? 'phone' : 'desktop'
  return { layout, isPaginated: remembers(paginatedMemory(reportId)) }
}

/** A report whose frame loads while its token is on the way. */
interface BegunReport {
  /** Holds the frame alone; nothing else touches it. */
  element: HTMLElement
  /** Never rejects. */
  opening: Promise<{ powerBi: PowerBi; report: Report } | 'unreachable' | 'invalid'>
}

/** Starts the frame of a report inside `parent`. */
function beginReport(parent: HTMLElement, title: string, view: ReportView): BegunReport {
  const element = document.createElement('div')
  element.className = 'size-full'
  parent.append(element)
  return { element, opening: bootstrap(element, title, view) }
}

async function bootstrap(element: HTMLElement, title: string, view: ReportView) {
  let powerBi: PowerBi
  try {
    powerBi = await loadPowerBi()
  } catch (error) {
    console.warn('powerbi-client could not be loaded', error)
    return 'unreachable'
  }
  if (!view.workspaceId || !view.reportId) return 'invalid'
  try {
    const config = reportConfig(powerBi, view)
    const report = demoBaseOf(portalSettings)
      ? bootstrapDemoFrame(powerBi, element, config)
      : (powerBi.service.bootstrap(element, config) as Report)
    report.setComponentTitle(title)
    return { powerBi, report }
  } catch (error) {
    console.warn('The report could not be opened', error)
    return 'invalid'
  }
}

/** Removes a report, whatever is still under way. */
export function endReport({ element, opening }: BegunReport): void {
  const reset = async () => {
    const opened = await opening
    if (typeof opened === 'object') opened.powerBi.service.reset(element)
  }
  element.remove()
  void reset()
}

/** The report that was begun before the screen was there, out of sight. */
let begun: (BegunReport & { of: string }) | undefined

/** Begins a report for a screen that is still being loaded; nothing where a browser would load a moved frame anew. */
export function beginAhead(title: string, view: ReportView): void {
  if (!('moveBefore' in Element.prototype)) return
  begun = { ...beginReport(document.body, title, view), of: JSON.stringify([title, view]) }
  begun.element.classList.add('invisible', 'fixed')
}

/** The report that was begun ahead where it is this one, moved inside `parent`; else it is begun now. */
export function takeBegun(parent: HTMLElement, title: string, view: ReportView): BegunReport {
  const taken = begun
  if (taken?.of !== JSON.stringify([title, view])) return beginReport(parent, title, view)
  begun = undefined
  parent.moveBefore(taken.element, null)
  taken.element.classList.remove('invisible', 'fixed')
  return taken
}

/** Gives up what was begun ahead and that nobody has taken. */
export function dropBegun(): void {
  if (begun) endReport(begun)
  begun = undefined
}
