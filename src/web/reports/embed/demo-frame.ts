import type { IReportEmbedConfiguration } from 'powerbi-client'
import type { PowerBi } from './powerbi-client.ts'

/**
 * Replaces `service.bootstrap` for the demo's emulator. powerbi-client refuses all URLs but https ones
 * of the real service, but only when it creates the iframe; so the iframe is created here first.
 * Its constructor and addOrOverwriteEmbed are public but undocumented in 2.24.1, which is pinned.
 */
export function bootstrapDemoFrame(
  { service, Report }: PowerBi,
  element: HTMLElement,
  config: IReportEmbedConfiguration,
): InstanceType<PowerBi['Report']> {
  const uniqueId = crypto.randomUUID()
  const embedUrl = new URL(config.embedUrl ?? '', location.origin)
  if (embedUrl.origin !== location.origin) throw new Error('Only reports of this origin')
  embedUrl.searchParams.set('uid', uniqueId)
  const iframe = document.createElement('iframe')
  iframe.src = embedUrl.href
  iframe.allowFullscreen = true
  element.replaceChildren(iframe)
  const report = new Report(service, element, { ...config, uniqueId }, false, true, iframe)
  Object.assign(element, { powerBiEmbed: report })
  service.addOrOverwriteEmbed(report, element)
  return report
}
