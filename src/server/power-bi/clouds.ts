/** The endpoints of one of Microsoft's clouds. */
interface Cloud {
  /** The directory's URL, without the tenant. */
  authority: string
  scope: string
  apiBase: string
  /** Hosts allowed in frames; the first serves /reportEmbed. */
  hosts: readonly string[]
}

function toCloud(login: string, resource: string, power: string, ...hosts: string[]): Cloud {
  return {
    authority: `https://${login}`,
    scope: `https://${resource}/powerbi/api/.default`,
    apiBase: `https://api.${power}`,
    hosts: [`app.${power}`, ...hosts],
  }
}

/**
 * The clouds by POWERBI_CLOUD (Microsoft, 'Embed Power BI content into your application for
 * national/regional clouds' and 'Microsoft Entra authentication and national clouds').
 */
export const CLOUDS = {
  public: toCloud('login.microsoftonline.com', 'analysis.windows.net', 'powerbi.com', 'msit.powerbi.com'),
  'us-gov': toCloud('login.microsoftonline.com', 'analysis.usgovcloudapi.net', 'powerbigov.us'),
  'us-gov-high': toCloud('login.microsoftonline.us', 'high.analysis.usgovcloudapi.net', 'high.powerbigov.us'),
  'us-gov-dod': toCloud('login.microsoftonline.us', 'mil.analysis.usgovcloudapi.net', 'mil.powerbigov.us'),
  china: toCloud('login.partner.microsoftonline.cn', 'analysis.chinacloudapi.cn', 'powerbi.cn'),
} satisfies Record<string, Cloud>

export type CloudName = keyof typeof CLOUDS
