import type * as Sdk from 'powerbi-client'
import type { IReportEmbedConfiguration, models } from 'powerbi-client'

/** The used part of powerbi-client, with the page's single Service. */
export interface PowerBi {
  service: Sdk.service.Service
  models: typeof Sdk.models
  Report: typeof Sdk.Report
}

let loading: Promise<PowerBi> | undefined

/**
 * Loads powerbi-client (its own chunk, 31 KB) once. Importing it creates `window.powerbi`; every
 * Service leaks a window listener, so a single one is used for the life of the page.
 * @throws when the chunk cannot be fetched; the next call retries
 */
export function loadPowerBi(): Promise<PowerBi> {
  loading ??= importPowerBi().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function importPowerBi(): Promise<PowerBi> {
  const loaded: typeof Sdk & { default?: typeof Sdk } = await import('powerbi-client')
  // A UMD build: bundlers put its exports on `default`.
  const { models, Report } = loaded.default ?? loaded
  return { service: window.powerbi, models, Report }
}

export interface ReportView {
  /** The origin and path of /reportEmbed, without a trailing slash. */
  embedBase: string
  workspaceId: string
  reportId: string
  /** The page and the report's bookmark that it opens with. */
  pageName?: string | undefined
  bookmarkName?: string | undefined
  marcas: readonly string[]
  layout: 'desktop' | 'phone'
  /** Embedded from /rdlEmbed, which supports neither filters nor pages nor layouts. */
  isPaginated: boolean
}

/**
 * Builds the configuration of a report without its token: all permissions, view only, filter pane
 * hidden, page navigation visible, filtered by the person's marcas from the start.
 */
export function buildReportConfig({ models }: PowerBi, view: ReportView): IReportEmbedConfiguration {
  const query = new URLSearchParams({ reportId: view.reportId, groupId: view.workspaceId })
  const common = {
    type: 'report',
    tokenType: models.TokenType.Embed,
    id: view.reportId,
    groupId: view.workspaceId,
  }
  if (view.isPaginated) return { ...common, embedUrl: `${view.embedBase}/rdlEmbed?${query}` }
  const filter = buildMarcaFilter(models, view.marcas)
  const allPages = filter && { operation: models.FiltersOperations.ReplaceAll, filters: [filter] }
  return {
    ...common,
    embedUrl: `${view.embedBase}/reportEmbed?${query}`,
    permissions: models.Permissions.All,
    viewMode: models.ViewMode.View,
    ...(allPages && { filters: { allPages } }),
    settings: {
      panes: { filters: { visible: false }, pageNavigation: { visible: true } },
      localeSettings: { language: 'pt-BR', formatLocale: 'pt-BR' },
      ...(view.layout === 'phone' && { layoutType: models.LayoutType.MobilePortrait }),
    },
  }
}

/** Builds the filter Marca/Marca In marcas; undefined if that fails. */
export function buildMarcaFilter(
  sdkModels: PowerBi['models'],
  marcas: readonly string[],
): models.IBasicFilter | undefined {
  try {
    // toJSON, because the instance loses its $schema on the way into the frame.
    return new sdkModels.BasicFilter({ table: 'Marca', column: 'Marca' }, 'In', ...marcas).toJSON()
  } catch (error) {
    console.warn('The filter of marcas could not be applied', error)
    return undefined
  }
}

/** Returns the path of the demo's emulator on this origin; undefined outside the demo. */
export function getDemoBase(settings: { isDemo: boolean; reportEmbedBase: string }): string | undefined {
  return settings.isDemo && settings.reportEmbedBase.startsWith('/') ? settings.reportEmbedBase : undefined
}

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
