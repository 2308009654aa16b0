import type * as Sdk from 'powerbi-client'
import type { IReportEmbedConfiguration, models } from 'powerbi-client'

/** powerbi-client as far as it is used, with the one Service of the page. */
export interface PowerBi {
  service: Sdk.service.Service
  models: typeof Sdk.models
  Report: typeof Sdk.Report
}

let loading: Promise<PowerBi> | undefined

/**
 * Loads powerbi-client (its own chunk, 31 KB) once. Importing it creates `window.powerbi`; every Service
 * leaks a window listener, so that one serves the whole life of the page.
 * @throws when the chunk cannot be fetched; the next call tries again
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
  // A UMD build: bundlers hang its exports on `default`.
  const { models, Report } = loaded.default ?? loaded
  return { service: window.powerbi, models, Report }
}

export interface ReportView {
  /** Where /reportEmbed lives, without a trailing slash. */
  embedBase: string
  workspaceId: string
  reportId: string
  marcas: readonly string[]
  layout: 'desktop' | 'phone'
  /** Embedded from /rdlEmbed, which knows neither filters nor pages nor layouts. */
  isPaginated: boolean
}

/**
 * The configuration of a report without its token: all permissions, viewing only, filter pane hidden, page
 * navigation visible, filtered to the person's marcas from the start.
 */
export function reportConfig({ models }: PowerBi, view: ReportView): IReportEmbedConfiguration {
  const query = new URLSearchParams({ reportId: view.reportId, groupId: view.workspaceId })
  const common = {
    type: 'report',
    tokenType: models.TokenType.Embed,
    id: view.reportId,
    groupId: view.workspaceId,
  }
  if (view.isPaginated) return { ...common, embedUrl: `${view.embedBase}/rdlEmbed?${query}` }
  const filters = marcaFilters(models, view.marcas)
  return {
    ...common,
    embedUrl: `${view.embedBase}/reportEmbed?${query}`,
    permissions: models.Permissions.All,
    viewMode: models.ViewMode.View,
    ...(filters && { filters }),
    settings: {
      panes: { filters: { visible: false }, pageNavigation: { visible: true } },
      localeSettings: { language: 'pt-BR', formatLocale: 'pt-BR' },
      ...(view.layout === 'phone' && { layoutType: models.LayoutType.MobilePortrait }),
    },
  }
}

/** The filter Marca/Marca In marcas, replacing all others; without it the report still shows. */
function marcaFilters(
  sdkModels: PowerBi['models'],
  marcas: readonly string[],
): models.OnLoadFilters | undefined {
  try {
    const filter = new sdkModels.BasicFilter({ table: 'Marca', column: 'Marca' }, 'In', ...marcas)
    // toJSON, because the instance itself loses its $schema on the way into the frame.
    const filters = [filter.toJSON()]
    return { allPages: { operation: sdkModels.FiltersOperations.ReplaceAll, filters } }
  } catch (error) {
    console.warn('The filter of marcas could not be applied', error)
    return undefined
  }
}

/** Where the reports live when it is the demo's own emulator: a path of this origin. Undefined otherwise. */
export function demoBaseOf(settings: { isDemo: boolean; reportEmbedBase: string }): string | undefined {
  return settings.isDemo && settings.reportEmbedBase.startsWith('/') ? settings.reportEmbedBase : undefined
}

/**
 * Does what `service.bootstrap` does, for the demo's emulator. powerbi-client refuses every URL but https
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
