import type { IReportEmbedConfiguration } from 'powerbi-client'
import type { PowerBi } from './powerbi-client.ts'

/** Where the reports live when it is the demo's own emulator: a path of this origin. Undefined otherwise. */
export function demoBaseOf(settings: { isDemo: boolean; reportEmbedBase: string }): string | undefined {
  return settings.isDemo && settings.reportEmbedBase.startsWith('/') ? settings.reportEmbedBase : undefined
}

/**
 * Does what `service.bootstrap` does, for the demo's emulator. powerbi-client refuses every address but https
 * ones of the real service, and checks that only when it makes the iframe itself; so here the iframe is made
 * first and handed over. The constructor and addOrOverwriteEmbed are public in 2.24.1 but not documented:
 * the version is pinned, and from here on everything goes through the ordinary API.
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
