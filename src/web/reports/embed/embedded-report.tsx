import type { Report } from 'powerbi-client'
import { useEffect, useRef, useState } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import type { PowerBi } from './powerbi-client.ts'
import { type FrameStatus, openReportFrame, type ReportCommands, type ReportFrame } from './report-frame.ts'
import { ReportFailed, ReportLoading, ReportReconnecting, TokenFailed } from './report-overlay.tsx'
import type { TokenBook, TokenRequest, TokenState } from './token-book.ts'

const RETRY_MS = 60_000
/** Whether a report is a paginated one, as its last token said. */
const paginatedMemory = (reportId: string) => `patio.paginated.${reportId}`
/** Whether a report has a layout for phones, as it said when it was last shown on one. */
const phoneLayoutMemory = (reportId: string) => `patio.phone-layout.${reportId}`
const remembers = (memory: string) => sharedStorage.get(memory) === 'yes'
const NARROW = '(max-width: 639px)'

interface EmbeddedReportProps {
  request: TokenRequest
  marcas: readonly string[]
  token: TokenState | undefined
  book: TokenBook
  isSelected: boolean
  /** Told what can be done with the report while it is shown; undefined while nothing can. */
  onCommands: (commands: ReportCommands | undefined) => void
}

/**
 * A report of service-principal mode. Its frame lives as long as this component: give it a new React key when
 * the report or the person's scope changes. New tokens are passed into the frame, which never reloads for them.
 */
export function EmbeddedReport(props: EmbeddedReportProps) {
  const { request, marcas, token, book, isSelected, onCommands } = props
  const container = useRef<HTMLDivElement>(null)
  const frame = useRef<ReportFrame>(undefined)
  const isSelectedNow = useRef(isSelected)
  const [status, setStatus] = useState<FrameStatus>({ kind: 'loading' })
  const [attempt, setAttempt] = useState(0)
  const { layout, learnLayout } = usePhoneLayout(request.reportId)
  const { key, area, reportId } = request
  const isPaginated = useIsPaginated(reportId, token)
  const requestNow = useRef(request)
  const marcasNow = useRef(marcas)
  const learnLayoutNow = useRef(learnLayout)

  useEffect(() => {
    isSelectedNow.current = isSelected
    requestNow.current = request
    marcasNow.current = marcas
    learnLayoutNow.current = learnLayout
  })

  useEffect(() => book.hold(key), [book, key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the frame anew
  useEffect(() => {
    if (!container.current) return
    const { workspaceId } = requestNow.current
    const { reportEmbedBase: embedBase } = portalSettings
    const opened = openReportFrame({
      parent: container.current,
      title: area,
      view: { embedBase, workspaceId, reportId, marcas: marcasNow.current, layout, isPaginated },
      isVisible: () => isSelectedNow.current && document.visibilityState === 'visible',
      onStatus: setStatus,
      renewToken: () => book.renew(key),
      nextToken: () => book.next(key),
      onLoaded: (report, powerBi) => void learnLayoutNow.current(report, powerBi),
    })
    frame.current = opened
    return () => opened.close()
  }, [book, key, area, reportId, layout, isPaginated, attempt])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame opened anew needs its token again
  useEffect(() => {
    if (token?.kind === 'ready') frame.current?.setToken(token.token)
  }, [token, layout, isPaginated, attempt])

  const isShown = status.kind === 'shown'
  useEffect(() => {
    if (!isShown) return
    onCommands(frame.current?.commands)
    return () => onCommands(undefined)
  }, [isShown, onCommands])

  const retriesItself = status.kind === 'failed' && status.failure.retriesItself
  useEffect(() => {
    if (!retriesItself) return
    const timer = setTimeout(() => setAttempt((count) => count + 1), RETRY_MS)
    return () => clearTimeout(timer)
  }, [retriesItself])

  return (
    <div className="relative size-full">
      <div
        ref={container}
        className={`size-full dark:p-2 [&_iframe]:block [&_iframe]:size-full [&_iframe]:border-0 dark:[&_iframe]:rounded-lg ${status.kind === 'failed' ? 'invisible' : ''}`}
      />
      {status.kind === 'loading' && token?.kind !== 'failed' && <ReportLoading area={area} />}
      {status.kind === 'loading' && token?.kind === 'failed' && (
        <TokenFailed failure={token} onRetry={() => book.retry(key)} />
      )}
      {status.kind === 'reconnecting' && <ReportReconnecting onRetry={() => book.renew(key)} />}
      {status.kind === 'failed' && (
        <ReportFailed
          report={{ area, embedMode: 'service_principal', reportId }}
          failure={status.failure}
          canReload
        />
      )}
    </div>
  )
}

/**
 * Whether a report is a paginated one, which has a frame of its own. Its token says so; before that, what the last one
 * said, so that the right frame loads meanwhile.
 */
function useIsPaginated(reportId: string, token: TokenState | undefined): boolean {
  const memory = paginatedMemory(reportId)
  const [remembered] = useState(() => remembers(memory))
  const isPaginated = token?.kind === 'ready' ? token.isPaginated : remembered
  useEffect(() => {
    if (isPaginated !== remembered) sharedStorage.set(memory, isPaginated ? 'yes' : 'no')
  }, [memory, isPaginated, remembered])
  return isPaginated
}

/**
 * Which layout a report is shown in: the phone's own where the screen is narrow and the report has one.
 * Whether it has one is only known once it has loaded, so it is remembered for the next time; a report whose
 * layout turns out to be the wrong one is opened again.
 */
function usePhoneLayout(reportId: string) {
  const isNarrow = useIsNarrow()
  const [hasLayout, setHasLayout] = useState(() => remembers(phoneLayoutMemory(reportId)))

  async function learnLayout(report: Report, { models }: PowerBi): Promise<void> {
    if (!matchMedia(NARROW).matches) return
    const found = await hasPhoneLayout(report, models)
    sharedStorage.set(phoneLayoutMemory(reportId), found ? 'yes' : 'no')
    setHasLayout(found)
  }
  const layout: 'phone' | 'desktop' = isNarrow && hasLayout ? 'phone' : 'desktop'
  return { layout, learnLayout }
}

/** A report that cannot say whether it has a phone layout is treated as having none. */
async function hasPhoneLayout(report: Report, models: PowerBi['models']): Promise<boolean> {
  try {
    const page = await report.getActivePage()
    return await page.hasLayout(models.LayoutType.MobilePortrait)
  } catch {
    return false
  }
}

function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const list = matchMedia(NARROW)
    const onChange = () => setIsNarrow(list.matches)
    onChange()
    list.addEventListener('change', onChange)
    return () => list.removeEventListener('change', onChange)
  }, [])
  return isNarrow
}
