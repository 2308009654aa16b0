/** Which addresses may be framed: exact https hosts, and in demo mode the emulator under this origin. */
export interface FrameRules {
  hosts: readonly string[]
  origin: string
  /** Same-origin path of the demo's reports ('/demo/power-bi'), or undefined outside the demo. */
  demoBase: string | undefined
}

/**
 * The address to frame for a report shared by URL. On /reportEmbed it hides the filter pane and filters to the
 * person's marcas; publish-to-web /view links know neither. The filter is a convenience that the viewer can
 * edit: what they may see is decided by their own Power BI account.
 * @returns undefined when the address may not be framed
 */
export function sharedReportUrl(
  reportUrl: string,
  marcas: readonly string[],
  rules: FrameRules,
): string | undefined {
  const url = URL.parse(reportUrl, rules.demoBase === undefined ? undefined : rules.origin)
  if (!url || !(isAllowedHost(url, rules.hosts) || isDemoReport(url, rules))) return undefined
  if (!/\/reportEmbed\/?$/i.test(url.pathname) || marcas.length === 0) return url.href
  const quoted = marcas.map((marca) => `'${marca.replaceAll("'", "''")}'`).join(',')
  url.searchParams.delete('filter')
  url.searchParams.set('filterPaneEnabled', 'false')
  url.search += `&filter=${encodeURIComponent(`Marca/Marca in (${quoted})`)}`
  return url.href
}

function isAllowedHost(url: URL, hosts: readonly string[]): boolean {
  return url.protocol === 'https:' && hosts.includes(url.host) && !url.username && !url.password
}

function isDemoReport(url: URL, { origin, demoBase }: FrameRules): boolean {
  return demoBase !== undefined && url.origin === origin && url.pathname.startsWith(`${demoBase}/`)
}
