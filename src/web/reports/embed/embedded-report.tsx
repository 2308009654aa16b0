import type { Report } from 'powerbi-client'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import { isPhone, useIsOnline, useIsPhone } from '#web/ui/use-device.ts'
import type { EmbedTokenStore, TokenRequest, TokenState } from './embed-token-store.ts'
import type { PowerBi } from './powerbi-client.ts'
import {
  type FrameStatus,
  type OpenedView,
  openReportFrame,
  type ReportCommands,
  type ReportFrame,
} from './report-frame.ts'
import { ReportLoading } from './report-loading.tsx'
import { ReportFailed, ReportOffline, ReportReconnecting, TokenFailed } from './report-overlay.tsx'

const RETRY_MS = 60_000

export interface EmbeddedReportProps {
  request: TokenRequest
  marcas: readonly string[]
  token: TokenState | undefined
  store: EmbedTokenStore
  /** Undefined until it is known; a new object opens it again. */
  view: OpenedView | undefined
  onViewOpened?: (report: Report) => void
  /** Called when the report does not understand its saved view and opens as published. */
  onViewRefused?: (opened: OpenedView) => void
  /** Called when the person filters or selects. */
  onChanged?: (report: Report) => void
  isSelected: boolean
  /** Called with the commands of a shown report, and with undefined when it is hidden. */
  onCommands: (commands: ReportCommands | undefined) => void
  /** Called when the report, or its token, fails. */
  onFailed?: () => void
}

/**
 * A report in service-principal mode. Its frame lives as long as this component: change the React key
 * when the report or the scope changes. New tokens are passed into the frame without a reload.
 */
export function EmbeddedReport(props: EmbeddedReportProps) {
  const { request, marcas, token, store, view, onViewRefused, isSelected, onCommands } = props
  const container = useRef<HTMLDivElement>(null)
  const frame = useRef<ReportFrame>(undefined)
  const [status, setStatus] = useState<FrameStatus>({ kind: 'loading' })
  const [attempt, setAttempt] = useState(0)
  const { layout, detectLayout } = usePhoneLayout(request.reportId)
  const { key, area, title, reportId } = request
  const isPaginated = useIsPaginated(reportId, token)
  const isOnline = useIsOnline()
  const isVisible = useEffectEvent(() => isSelected && isOnline && document.visibilityState === 'visible')
  const onLoaded = useEffectEvent(detectLayout)
  const handleViewOpened = useEffectEvent((report: Report) => props.onViewOpened?.(report))
  const handleViewRefused = useEffectEvent((opened: OpenedView) => onViewRefused?.(opened))
  const handleChanged = useEffectEvent((report: Report) => props.onChanged?.(report))
  const openFrame = useEffectEvent(() =>
    openReportFrame({
      parent: container.current as HTMLElement,
      title,
      view: { embedBase: portalSettings.reportEmbedBase, ...request, marcas, layout, isPaginated },
      isVisible,
      onStatus: setStatus,
      renewToken: () => store.renew(key),
      nextToken: () => store.next(key),
      getTokenRemainingMs: () => store.getRemainingMs(key),
      onLoaded,
      onViewOpened: handleViewOpened,
      onViewRefused: handleViewRefused,
      onChanged: handleChanged,
    }),
  )

  useEffect(() => store.hold(key), [store, key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these reopens the frame
  useEffect(() => {
    const opened = openFrame()
    frame.current = opened
    return () => opened.close()
  }, [store, key, title, layout, isPaginated, attempt])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a reopened frame needs its token again
  useEffect(() => {
    if (token?.kind === 'ready') frame.current?.setToken(token.token)
  }, [token, layout, isPaginated, attempt])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a reopened frame needs its view again
  useEffect(() => {
    if (view) frame.current?.setView(view)
  }, [view, layout, isPaginated, attempt])

  const isShown = status.kind === 'shown'
  const notifyCommands = useEffectEvent(onCommands)
  useEffect(() => {
    if (!isShown) return
    notifyCommands(frame.current?.commands)
    return () => notifyCommands(undefined)
  }, [isShown])

  const hasFailed = status.kind === 'failed' || (status.kind === 'loading' && token?.kind === 'failed')
  const notifyFailed = useEffectEvent(() => props.onFailed?.())
  useEffect(() => {
    if (hasFailed) notifyFailed()
  }, [hasFailed])

  const autoRetries = status.kind === 'failed' && status.failure.autoRetries
  useEffect(() => {
    if (!autoRetries) return
    const timer = setTimeout(() => setAttempt((count) => count + 1), RETRY_MS)
    return () => clearTimeout(timer)
  }, [autoRetries])

  const isCutOff = !isOnline && (status.kind === 'loading' || status.kind === 'failed')
  useEffect(() => {
    // Whatever could not load without a network loads anew with it.
    if (isCutOff) return () => void (navigator.onLine && setAttempt((count) => count + 1))
  }, [isCutOff])

  return (
    <div className="relative size-full">
      <div
        ref={container}
        className={`size-full dark:p-2 [&_iframe]:block [&_iframe]:size-full [&_iframe]:border-0 dark:[&_iframe]:rounded-lg ${status.kind === 'failed' ? 'invisible' : ''}`}
      />
      {isCutOff && <ReportOffline />}
      {!isCutOff && status.kind === 'loading' && token?.kind !== 'failed' && <ReportLoading area={title} />}
      {!isCutOff && status.kind === 'loading' && token?.kind === 'failed' && (
        <TokenFailed title={title} failure={token} onRetry={() => store.retry(key)} />
      )}
      {status.kind === 'reconnecting' && <ReportReconnecting onRetry={() => store.renew(key)} />}
      {!isCutOff && status.kind === 'failed' && (
        <ReportFailed
          report={{ area, embedMode: 'service_principal', reportId }}
          failure={status.failure}
          canReload
        />
      )}
    </div>
  )
}

/** Remembers a property of a report in localStorage, to load the right frame next time. */
function useStoredFlag(storageKey: string) {
  const [flag, setFlag] = useState(() => sharedStorage.get(storageKey) === 'yes')
  const remember = (next: boolean) => {
    sharedStorage.set(storageKey, next ? 'yes' : 'no')
    setFlag(next)
  }
  return [flag, remember] as const
}

/**
 * Whether a report is paginated and needs another frame. The token tells; until then, the last known
 * value.
 */
function useIsPaginated(reportId: string, token: TokenState | undefined): boolean {
  const [wasPaginated, remember] = useStoredFlag(`patio.paginated.${reportId}`)
  const isPaginated = token?.kind === 'ready' ? token.isPaginated : wasPaginated
  const rememberPaginated = useEffectEvent(remember)
  useEffect(() => {
    if (isPaginated !== wasPaginated) rememberPaginated(isPaginated)
  }, [isPaginated, wasPaginated])
  return isPaginated
}

/**
 * Chooses the layout: the phone's on a narrow screen, if the report has one. That is known only after
 * loading, so it is remembered; a report in the wrong layout is reopened.
 */
function usePhoneLayout(reportId: string) {
  const isNarrow = useIsPhone()
  const [hasLayout, remember] = useStoredFlag(`patio.phone-layout.${reportId}`)

  async function detectLayout(report: Report, { models }: PowerBi): Promise<void> {
    if (!isPhone()) return
    // A report whose layouts cannot be read is treated as having no phone layout.
    const detection = report.getActivePage().then((page) => page.hasLayout(models.LayoutType.MobilePortrait))
    remember(await detection.catch(() => false))
  }
  const layout: 'phone' | 'desktop' = isNarrow && hasLayout ? 'phone' : 'desktop'
  return { layout, detectLayout }
}
