import type { Report } from 'powerbi-client'
import { portalSettings } from '#web/http/portal-settings.ts'
import { recordActivity } from '#web/session/activity.ts'
import { type EmbedFailure, INVALID_REPORT, LOAD_TIMED_OUT, SDK_UNREACHABLE } from './embed-failure.ts'
import type { EmbedError } from './frame-outcomes.ts'
import type { createPaginatedToken } from './paginated-token.ts'
import {
  buildMarcaFilter,
  buildReportConfig,
  getDemoBase,
  loadPowerBi,
  type PowerBi,
  type ReportView,
} from './powerbi-client.ts'
import { recoverFromExpiry } from './token-expiry.ts'

export type FrameStatus =
  | { kind: 'loading' }
  | { kind: 'shown' }
  /** The token has expired and no new one is available at present. */
  | { kind: 'reconnecting' }
  | { kind: 'failed'; failure: EmbedFailure }

interface ReportFrameOptions {
  /** The report gets its own element inside. */
  parent: HTMLElement
  title: string
  view: ReportView
  /** Whether the report is visible; the load timeout counts only then. */
  isVisible: () => boolean
  onStatus: (status: FrameStatus) => void
  /** Requests a token now; undefined when none is available. */
  renewToken: () => Promise<string | undefined>
  /** Resolves with the next issued token, however long that takes. */
  nextToken: () => Promise<string>
  /** Returns the remaining life in ms of the newest token. */
  getTokenRemainingMs: () => number
  onLoaded: (report: Report, powerBi: PowerBi) => void
  /** Called when a saved view is open. */
  onViewOpened: (report: Report) => void
  /** Called when the report, which did not understand its saved view, is open as published. */
  onViewRefused: (opened: OpenedView) => void
  /** Called when the person filters or selects: what is shown may be no more what was opened. */
  onChanged: (report: Report) => void
}

export interface ReportFrame {
  /** Opens a saved view, or the report as published; the report is embedded once this is known. */
  setView: (view: OpenedView) => void
  /** The first token embeds the report; later ones renew it in place, or reload a paginated one. */
  setToken: (token: string) => void
  /** The commands for a shown report. */
  commands: ReportCommands
  close: () => void
}

export interface ReportCommands {
  /** @throws where the browser refuses fullscreen */
  fullscreen: () => void | Promise<void>
  /** Prints the open page; rejects for reports that cannot be printed. */
  print?: () => Promise<void>
  /** Reopens the report with its initial filters, at the open page. */
  restoreFilters?: () => Promise<void>
  /** Captures page, filters, slicers and order; rejects where the report cannot. */
  captureView?: () => Promise<string>
  /** Lists the pages that the report shows. */
  listPages?: () => Promise<{ name: string; displayName: string }[]>
  openPage?: (name: string) => Promise<void>
}

/** A saved view, by its bookmark; without one the report as published. */
export interface OpenedView {
  state?: string
  /** Whether the report as published opens at the page that is open. */
  keepsPage?: boolean
}

/** SDK events that indicate user activity; the iframe swallows mouse and keyboard events. */
const ACTIVITY_EVENTS = [
  'pageChanged',
  'dataSelected',
  'visualClicked',
  'buttonClicked',
  'selectionChanged',
  'filtersApplied',
]

/** Those of them after which a saved view may no longer be what is shown. */
const CHANGE_EVENTS = ['dataSelected', 'buttonClicked', 'selectionChanged', 'filtersApplied']

/** powerbi-client drops a load within 100 ms of the one before. */
const MIN_LOAD_INTERVAL_MS = 150

/** If the token expires again this soon after a recovery, another one will not help. */
const MIN_RECOVERY_INTERVAL_MS = 60_000
const REFRESH_MS = 60_000

const loadOutcomes = () => import('./frame-outcomes.ts')

/**
 * Opens a report in an element: the frame starts loading while the token is requested, and is embedded
 * with the first token. `close` removes everything, including pending work.
 */
export function openReportFrame(options: ReportFrameOptions): ReportFrame {
  const { view, onStatus } = options
  const element = document.createElement('div')
  element.className = 'size-full'
  const controller = new AbortController()
  const { signal } = controller
  let powerBi: PowerBi | undefined
  let report: Report | undefined
  let token: string | undefined
  let isEmbedded = false
  let embeddedAt = Number.NEGATIVE_INFINITY
  let opened: OpenedView | undefined
  /** The bookmark that the report was loaded with. */
  let loadedState: string | undefined
  let isViewRefused = false
  /** Where the report opens without a saved view, unless it has refused that. */
  let opening = view.isPaginated ? {} : { pageName: view.pageName, bookmarkName: view.bookmarkName }
  let isApplying = false
  let hasRendered = false
  let isRecovering = false
  let recoveredAt = Number.NEGATIVE_INFINITY
  let stopLoadTimer = () => {}
  let isRefreshDue = false
  let paginated: ReturnType<typeof createPaginatedToken> | undefined

  function updateStatus(status: FrameStatus): void {
    stopLoadTimer()
    if (!signal.aborted) onStatus(status)
  }
  const fail = (failure: EmbedFailure) => updateStatus({ kind: 'failed', failure })

  async function open(): Promise<void> {
    let demo: typeof import('./demo-frame.ts') | undefined
    try {
      powerBi = await loadPowerBi()
      if (getDemoBase(portalSettings)) demo = await import('./demo-frame.ts')
      if (view.isPaginated) paginated ??= await loadPaginatedToken()
    } catch (error) {
      console.warn('powerbi-client could not be loaded', error)
      return fail(SDK_UNREACHABLE)
    }
    if (signal.aborted) return
    if (!view.workspaceId || !view.reportId) return fail(INVALID_REPORT)
    try {
      const config = buildReportConfig(powerBi, view)
      // The frame takes its permissions from what it allows when it enters the document.
      element.remove()
      report = demo
        ? demo.bootstrapDemoFrame(powerBi, element, config)
        : (powerBi.service.bootstrap(element, config) as Report)
      report.setComponentTitle(options.title)
      report.iframe.allow = 'clipboard-write'
      options.parent.append(element)
      embed()
      // While there is a network.
      void loadOutcomes().catch(() => {})
    } catch (error) {
      handleOpenError(error)
    }
  }

  async function loadPaginatedToken() {
    const { createPaginatedToken } = await import('./paginated-token.ts')
    return createPaginatedToken({
      ...options,
      element,
      signal,
      onEnded: () => updateStatus({ kind: 'reconnecting' }),
      reload(next) {
        token = next
        isEmbedded = false
        powerBi?.service.reset(element)
        void open()
      },
    })
  }

  function handleOpenError(error: unknown): void {
    console.warn('The report could not be opened', error)
    fail(INVALID_REPORT)
  }

  function embed(pageName?: string): void {
    if (!powerBi || !report || !token || !opened || isEmbedded) return
    isEmbedded = true
    embeddedAt = performance.now()
    loadedState = view.isPaginated ? undefined : opened.state
    const state = loadedState
    const first = state === undefined ? opening : {}
    const page = pageName ?? first.pageName
    const config = {
      ...buildReportConfig(powerBi, view),
      accessToken: token,
      ...(state !== undefined && { bookmark: { state } }),
      ...(first.bookmarkName !== undefined && { bookmark: { name: first.bookmarkName } }),
      ...(page !== undefined && { pageName: page }),
    }
    try {
      powerBi.service.embed(element, config)
    } catch (error) {
      handleOpenError(error)
      return
    }
    // A paginated report fires neither `loaded` nor `rendered`; it has its own loading indicator.
    if (paginated) {
      paginated.start(token)
      updateStatus({ kind: 'shown' })
    } else stopLoadTimer = startLoadTimer(options.isVisible, () => fail(LOAD_TIMED_OUT))
  }

  function setToken(next: string): void {
    if (next === token) return
    if (isEmbedded && paginated) {
      paginated.offer(next)
      return
    }
    token = next
    if (!next) fail(INVALID_REPORT)
    else if (isEmbedded && report) void passToken(report, element, next)
    else embed()
  }

  async function restoreFilters(): Promise<void> {
    // resetPersistentFilters only works for reports opened with a user's own account.
    const asked = opened
    const page = await report?.getActivePage().catch(() => undefined)
    if (opened !== asked) return
    opened = {}
    reopen(page?.name)
  }

  async function captureView(): Promise<string> {
    const captured = await report?.bookmarksManager.capture({ allPages: true, personalizeVisuals: true })
    if (!captured?.state) throw new Error('The report captured nothing')
    return captured.state
  }

  async function listPages() {
    const pages = (await report?.getPages()) ?? []
    // SectionVisibility.AlwaysVisible; a report also has tooltips and drill-through pages.
    return pages
      .filter(({ visibility }) => !visibility)
      .map(({ name, displayName }) => ({ name, displayName }))
  }

  async function openPage(name: string): Promise<void> {
    await report?.setPage(name)
  }

  function reopen(pageName?: string): void {
    isEmbedded = false
    hasRendered = false
    onStatus({ kind: 'loading' })
    const waitMs = Math.max(0, embeddedAt + MIN_LOAD_INTERVAL_MS - performance.now())
    setTimeout(() => !signal.aborted && embed(pageName), waitMs)
  }

  function setView(next: OpenedView): void {
    if (next === opened) return
    const { state } = next
    const isShown = opened !== undefined && hasRendered && !view.isPaginated
    opened = next
    if (!isEmbedded) embed()
    else if (!isShown) reopen()
    else if (next.keepsPage) void restoreFilters()
    else if (state === undefined) reopen()
    else void applyView(state)
  }

  async function applyView(state: string): Promise<void> {
    isApplying = true
    try {
      await report?.bookmarksManager.applyState(state)
      await resetMarcaFilter()
    } catch (error) {
      if (opened?.state === state) refuseOpening(error)
    } finally {
      isApplying = false
    }
  }

  /** A bookmark holds its author's filter, which is replaced; its other filters stay. */
  async function resetMarcaFilter(): Promise<void> {
    const filter = powerBi && buildMarcaFilter(powerBi.models, view.marcas)
    if (!powerBi || !filter) return
    const done = report?.updateFilters(powerBi.models.FiltersOperations.Replace, [filter])
    await done?.catch((error: unknown) => console.warn('The filter of marcas could not be set again', error))
    if (report && !signal.aborted && opened?.state !== undefined) options.onViewOpened(report)
  }

  /** Opens the report as published, or where it opens without a saved view. */
  function refuseOpening(error: unknown): void {
    console.warn('The report did not understand where it is to open', error)
    if (opened?.state === undefined) opening = {}
    else {
      opened = {}
      isViewRefused = true
    }
    reopen()
  }

  /** Renews an expired token; returns whether that may have helped. */
  async function recover(): Promise<boolean> {
    if (performance.now() - recoveredAt < MIN_RECOVERY_INTERVAL_MS) return false
    if (paginated) {
      recoveredAt = performance.now()
      paginated.recover()
      return true
    }
    isRecovering = true
    const renewInPlace = async () => {
      const expired = token
      let newToken = await options.renewToken()
      if (!newToken && !signal.aborted) {
        updateStatus({ kind: 'reconnecting' })
        newToken = await options.nextToken()
      }
      if (signal.aborted || !newToken || !report) return false
      // The server may return the same token; a new one may already have arrived through setToken.
      if (newToken === expired) void passToken(report, element, newToken)
      else setToken(newToken)
      return true
    }
    const reload = () => void report?.reload().catch(() => {})
    const isBack = await recoverFromExpiry({ element, renewInPlace, reload, signal })
    isRecovering = false
    if (isBack) recoveredAt = performance.now()
    return isBack
  }

  /** Asks once more for the data of visuals that a busy or paused service has left empty. */
  function refreshLater(): void {
    if (isRefreshDue) return
    isRefreshDue = true
    setTimeout(() => {
      isRefreshDue = false
      if (!signal.aborted) void report?.refresh().catch(() => {})
    }, REFRESH_MS)
  }

  /** On the container, because SDK events bubble and `error` would reach listeners of the window. */
  function listen(name: string, listener: (detail: EmbedError & { initiator?: string }) => void): void {
    const onEvent = (event: Event) => {
      event.stopPropagation()
      listener((event as CustomEvent<EmbedError | null>).detail ?? {})
    }
    element.addEventListener(name, onEvent, { signal })
  }
  listen('loaded', () => {
    if (powerBi && report) options.onLoaded(report, powerBi)
    const state = opened?.state
    // After an expiry the report may have reloaded without the view.
    if (state !== undefined) void (state === loadedState ? resetMarcaFilter() : applyView(state))
    else if (opening.bookmarkName !== undefined) void resetMarcaFilter()
    if (state === undefined && isViewRefused && opened) options.onViewRefused(opened)
    isViewRefused = false
    // Visuals have loading indicators of their own, and the first ones appear before `rendered`.
    updateStatus({ kind: 'shown' })
  })
  listen('rendered', () => {
    hasRendered = true
    updateStatus({ kind: 'shown' })
  })
  listen('error', async (error) => {
    const wasRendered = hasRendered
    const outcomes = await loadOutcomes().catch(() => undefined)
    if (!outcomes) return fail(SDK_UNREACHABLE)
    const outcome = outcomes.findFrameOutcome(error)
    const isOfOpening = !wasRendered && (!outcome || outcome.name === 'load-failed')
    if (outcome?.name === 'renew') {
      if (!isRecovering && !(await recover())) fail(outcomes.toEmbedFailure(error))
    } else if (isOfOpening && (loadedState ?? opening.pageName ?? opening.bookmarkName) !== undefined)
      refuseOpening(error)
    else if (outcomes.isFatalError(error, wasRendered)) fail(outcomes.toEmbedFailure(error))
    else if (outcome?.isTemporary) refreshLater()
    else console.warn('The report told of an error that does not end it', error)
  })
  for (const name of ACTIVITY_EVENTS)
    listen(name, ({ initiator }) => {
      // Filters are changed by the SDK unless the user is named; other events unless 'sdk' is named.
      const isPerson = name === 'filtersApplied' ? initiator === 'user' : initiator !== 'sdk'
      // A report that reloads by itself fires page events too.
      if (!isPerson || !hasRendered || isRecovering) return
      recordActivity()
      if (!isApplying && report && CHANGE_EVENTS.includes(name)) options.onChanged(report)
    })
  onStatus({ kind: 'loading' })
  void open()

  return {
    setView,
    setToken,
    commands: {
      fullscreen: () => report?.fullscreen(),
      // powerbi-client has neither for paginated reports, which have a toolbar of their own.
      ...(!view.isPaginated && {
        print: async () => report?.print(),
        restoreFilters,
        captureView,
        listPages,
        openPage,
      }),
    },
    close() {
      controller.abort()
      stopLoadTimer()
      powerBi?.service.reset(element)
      element.remove()
    },
  }
}

async function passToken(report: Report, element: HTMLElement, token: string): Promise<void> {
  try {
    await report.setAccessToken(token)
  } catch (error) {
    console.warn('The report did not take its new token', error)
  }
  // The SDK leaves the token in a DOM attribute for frames created later; it is not needed here.
  element.removeAttribute('powerbi-access-token')
}

/** A blocked frame fires no event at all, so only a timeout ends the wait. */
export const LOAD_TIMEOUT_MS = 45_000
const TICK_MS = 500

/**
 * Calls onTimeout after 45 s, counted only while `isCounting`: browsers do not render hidden frames.
 * @returns a function that stops the timer
 */
export function startLoadTimer(isCounting: () => boolean, onTimeout: () => void): () => void {
  let waitedMs = 0
  const timer = setInterval(() => {
    if (!isCounting()) return
    waitedMs += TICK_MS
    if (waitedMs < LOAD_TIMEOUT_MS) return
    clearInterval(timer)
    onTimeout()
  }, TICK_MS)
  return () => clearInterval(timer)
}
