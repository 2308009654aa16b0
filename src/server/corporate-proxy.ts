import { setGlobalProxyFromEnv } from 'node:http'

/** What the portal says to itself (the demo's emulators) never takes the way out. */
const OWN_HOSTS = ['localhost', '127.0.0.1']

/**
 * Sends what this process fetches, from the directory, Power BI and reCAPTCHA, through the proxy of HTTPS_PROXY
 * (HTTP_PROXY for http URLs), but for the hosts of NO_PROXY. Mail goes its own way.
 * @returns a function that undoes it; undefined when no proxy is set
 * @throws ERR_PROXY_INVALID_CONFIG for what is no proxy's URL
 */
export function useCorporateProxy(environment: NodeJS.ProcessEnv): (() => void) | undefined {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined
  const [https, http] = [read('HTTPS_PROXY'), read('HTTP_PROXY')]
  if (!https && !http) return undefined
  for (const url of [https, http]) if (url) assertProxyUrl(url)
  const none = [read('NO_PROXY'), ...OWN_HOSTS].filter(Boolean).join(',')
  return setGlobalProxyFromEnv({
    ...(https && { HTTPS_PROXY: https }),
    ...(http && { HTTP_PROXY: http }),
    NO_PROXY: none,
  })
}

/** Node lets 'proxy:3128' pass here, as a URL of a protocol of that name, and breaks on it later. */
function assertProxyUrl(url: string): void {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw Object.assign(new Error('Not the URL of a proxy'), { code: 'ERR_PROXY_INVALID_CONFIG' })
}
