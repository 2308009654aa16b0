import { useEffect, useRef, useState } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { demoBaseOf } from './demo-frame.ts'
import { type FrameStatus, openReportFrame, type ReportFrame } from './report-frame.ts'
import { ReportFailed, ReportLoading } from './report-overlay.tsx'
import type { TokenBook, TokenRequest, TokenState } from './token-book.ts'
import { usePhoneLayout } from './use-phone-layout.ts'

const RETRY_MS = 60_000

interface EmbeddedReportProps {
  request: TokenRequest
  marcas: readonly string[]
  token: TokenState | undefined
  book: TokenBook
  /** Whether its tab is the one being looked at. */
  isSelected: boolean
}

/**
 * A report of service-principal mode. Its frame lives as long as this component: give it a new React key when
 * the report or the person's scope changes. New tokens are passed into the frame, which never reloads for them.
 */
export function EmbeddedReport({ request, marcas, token, book, isSelected }: EmbeddedReportProps) {
  const container = useRef<HTMLDivElement>(null)
  const frame = useRef<ReportFrame>(undefined)
  const isSelectedNow = useRef(isSelected)
  const [status, setStatus] = useState<FrameStatus>({ kind: 'loading' })
  const [attempt, setAttempt] = useState(0)
  const { layout, learnLayout } = usePhoneLayout(request.reportId)
  const { key, area, workspaceId, reportId } = request
  const marcasNow = useRef(marcas)
  const learnLayoutNow = useRef(learnLayout)

  useEffect(() => {
    isSelectedNow.current = isSelected
    marcasNow.current = marcas
    learnLayoutNow.current = learnLayout
  })

  useEffect(() => book.hold(key), [book, key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the frame anew
  useEffect(() => {
    if (!container.current) return
    const demoBase = demoBaseOf(portalSettings)
    const opened = openReportFrame({
      element: container.current,
      title: area,
      view: {
        embedBase: portalSettings.reportEmbedBase,
        workspaceId,
        reportId,
        marcas: marcasNow.current,
        layout,
      },
      isDemo: demoBase !== undefined,
      isVisible: () => isSelectedNow.current && document.visibilityState === 'visible',
      onStatus: setStatus,
      renewToken: async () => (await book.renew(key))?.value,
      onLoaded: (report, powerBi) => void learnLayoutNow.current(report, powerBi),
    })
    frame.current = opened
    return () => opened.close()
  }, [book, key, area, workspaceId, reportId, layout, attempt])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame opened anew needs its token again
  useEffect(() => {
    if (token?.kind === 'ready') frame.current?.setToken(token.token.value)
  }, [token, layout, attempt])

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
        className={`size-full [&>iframe]:block [&>iframe]:size-full [&>iframe]:border-0 ${status.kind === 'failed' ? 'invisible' : ''}`}
      />
      {status.kind === 'loading' && <ReportLoading area={area} />}
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
