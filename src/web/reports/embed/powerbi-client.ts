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
