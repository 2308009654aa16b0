import ExternalLink from 'lucide-react/icons/external-link'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { reportMessages } from '#contract/messages.ts'
import { getFrameKind, setShownParameters } from '#contract/shown-link.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { useIsOnline } from '#web/ui/use-device.ts'
import { createFailure } from './embed-failure.ts'
import { getDemoBase } from './powerbi-client.ts'
import type { ReportCommands } from './report-frame.ts'
import { ReportLoading } from './report-loading.tsx'
import { ReportFailed, ReportOffline } from './report-overlay.tsx'

const INVALID_URL = createFailure(
  'Avise o administrador do portal: o endereço configurado para este relatório não é do Power BI.',
  reportMessages.embedInvalid,
)
const NOT_FRAMED = createFailure(
  'O Power BI não deixa este endereço aparecer dentro do portal. Abra o relatório no Power BI e avise o administrador do portal.',
)
interface SharedReportProps {
  area: string
  title: string
  reportUrl: string
  marcas: readonly string[]
  onCommands: (commands: ReportCommands | undefined) => void
}

/**
 * A report in SSO mode: a plain iframe, because powerbi-client refuses autoAuth URLs.
 * A cross-origin frame never reports a failure (it fires `load` even then), so a direct link is always
 * shown. Not sandboxed: sign-in popups need the frame's own origin and storage.
 */
export function SharedReport({ area, title, reportUrl, marcas, onCommands }: SharedReportProps) {
  const [isLoaded, setIsLoaded] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  // A frame that was opened without a network would stay empty with it.
  const isCutOff = !useIsOnline() && !isLoaded
  const notifyCommands = useEffectEvent(onCommands)
  useEffect(() => {
    if (!isLoaded) return
    notifyCommands({ fullscreen: () => frame.current?.requestFullscreen() })
    return () => notifyCommands(undefined)
  }, [isLoaded])
  const link = openSharedReport(reportUrl, marcas, {
    hosts: portalSettings.powerBiHosts,
    origin: location.origin,
    demoBase: getDemoBase(portalSettings),
  })
  const report = { area, embedMode: 'secure_sso', reportId: null } as const
  if (link === undefined) return <ReportFailed report={report} failure={INVALID_URL} />
  const { url, isFramed } = link
  if (!isFramed) return <ReportFailed report={report} failure={NOT_FRAMED} link={<PowerBiLink url={url} />} />
  return (
    <div className="flex size-full flex-col">
      <div className="relative min-h-0 flex-1 dark:p-2">
        {isCutOff ? (
          <ReportOffline />
        ) : (
          <iframe
            ref={frame}
            src={url}
            title={title}
            allow="clipboard-write"
            allowFullScreen
            onLoad={() => setIsLoaded(true)}
            className="block size-full border-0 dark:rounded-lg"
          />
        )}
        {!isLoaded && !isCutOff && <ReportLoading area={title} />}
      </div>
      <p className="flex items-center justify-end border-line border-t bg-surface px-2 text-muted text-sm">
        <span className="max-sm:sr-only">O relatório não apareceu?</span>
        <PowerBiLink url={url} />
      </p>
    </div>
  )
}

function PowerBiLink({ url }: { url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener"
      className="inline-flex h-9 items-center gap-1.5 rounded-md px-2 text-brand-strong text-sm hover:underline"
    >
      Abrir no Power BI
      <ExternalLink aria-hidden="true" className="size-3.5" />
    </a>
  )
}

/** The URLs that may be framed: exact https hosts, and in demo mode the emulator on this origin. */
export interface FrameRules {
  hosts: readonly string[]
  origin: string
  /** Path of the demo's reports ('/demo/power-bi'); undefined outside the demo. */
  demoBase: string | undefined
}

/**
 * Opens a link: on /reportEmbed it hides the filter pane and filters by the user's marcas alone, which
 * viewers can edit; their own Power BI account decides what they see.
 * @returns undefined when the URL may not be opened, or no marcas would filter it
 */
export function openSharedReport(
  reportUrl: string,
  marcas: readonly string[],
  rules: FrameRules,
): { url: string; isFramed: boolean } | undefined {
  const { demoBase } = rules
  const url = URL.parse(reportUrl, demoBase === undefined ? undefined : rules.origin)
  const isDemo = url !== null && isDemoReport(url, rules)
  if (!url || marcas.length === 0 || !(isDemo || isAllowedHost(url, rules.hosts))) return undefined
  const kind = getFrameKind(isDemo ? new URL(url.href.replace(demoBase ?? '', '')) : url)
  // Without autoAuth the frame shows no sign-in, and so nothing.
  const autoAuth = 'true'
  const filter = `Marca/Marca in (${marcas.map((marca) => `'${marca.replaceAll("'", "''")}'`).join(',')})`
  if (kind === 'report') setShownParameters(url, { autoAuth, filterPaneEnabled: 'false', filter })
  if (kind === 'rdl') setShownParameters(url, { autoAuth }, ({ key }) => key === 'autoauth')
  return { url: url.href, isFramed: kind !== undefined }
}

function isAllowedHost(url: URL, hosts: readonly string[]): boolean {
  return url.protocol === 'https:' && hosts.includes(url.host) && !url.username && !url.password
}

function isDemoReport(url: URL, { origin, demoBase }: FrameRules): boolean {
  return demoBase !== undefined && url.origin === origin && url.pathname.startsWith(`${demoBase}/`)
}
