import type { IReportEmbedConfiguration, models } from 'powerbi-client'
import { logWarning } from '#web/http/log.ts'
import type { PowerBi } from './powerbi-client.ts'

/** One report as it is to be shown. */
export interface ReportView {
  /** Where /reportEmbed lives, without a trailing slash. */
  embedBase: string
  workspaceId: string
  reportId: string
  marcas: readonly string[]
  layout: 'desktop' | 'phone'
}

/**
 * The configuration of a report without its token: all permissions, viewing only, filter pane hidden, page
 * navigation visible, filtered to the person's marcas from the start (SPEC sections 2 and 6).
 */
export function reportConfig({ models }: PowerBi, view: ReportView): IReportEmbedConfiguration {
  const query = new URLSearchParams({ reportId: view.reportId, groupId: view.workspaceId })
  const filters = marcaFilters(models, view.marcas)
  return {
    type: 'report',
    tokenType: models.TokenType.Embed,
    embedUrl: `${view.embedBase}/reportEmbed?${query}`,
    id: view.reportId,
    groupId: view.workspaceId,
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

/** The filter Marca/Marca In marcas, replacing all others; without it the report still shows (SPEC section 8). */
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
    logWarning('The filter of marcas could not be applied', error)
    return undefined
  }
}
