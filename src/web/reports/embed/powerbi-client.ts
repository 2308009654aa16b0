import type * as Sdk from 'powerbi-client'

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
