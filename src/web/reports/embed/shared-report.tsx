import ExternalLink from 'lucide-react/icons/external-link'
import { useState } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { demoBaseOf } from './demo-frame.ts'
import { INVALID_ADDRESS } from './embed-failure.ts'
import { ReportFailed, ReportLoading } from './report-overlay.tsx'
import { sharedReportUrl } from './shared-report-url.ts'

interface SharedReportProps {
  area: string
  reportUrl: string
  marcas: readonly string[]
}

/**
 * A report of SSO mode: a plain frame, because powerbi-client refuses addresses that sign in by themselves.
 * A frame of another origin never says that it failed, so the way around it is always there. It is not
 * sandboxed: the sign-in opens popups that need the frame's own origin and storage.
 */
export function SharedReport({ area, reportUrl, marcas }: SharedReportProps) {
  const [isLoaded, setIsLoaded] = useState(false)
  const url = sharedReportUrl(reportUrl, marcas, {
    hosts: portalSettings.powerBiHosts,
    origin: location.origin,
    demoBase: demoBaseOf(portalSettings),
  })
  if (url === undefined)
    return (
      <ReportFailed report={{ area, embedMode: 'secure_sso', reportId: null }} failure={INVALID_ADDRESS} />
    )
  return (
    <div className="flex size-full flex-col">
      <div className="relative min-h-0 flex-1">
        <iframe
          src={url}
          title={area}
          allowFullScreen
          onLoad={() => setIsLoaded(true)}
          className="block size-full border-0"
        />
        {!isLoaded && <ReportLoading area={area} />}
      </div>
      <p className="flex justify-end border-line border-t bg-surface px-2">
        <a
          href={url}
          target="_blank"
          rel="noopener"
          className="inline-flex h-9 items-center gap-1.5 rounded-md px-2 text-brand-strong text-sm hover:underline"
        >
          Abrir no Power BI
          <ExternalLink aria-hidden="true" className="size-3.5" />
        </a>
      </p>
    </div>
  )
}
