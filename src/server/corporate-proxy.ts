import { setGlobalProxyFromEnv } from 'node:http'

/** Requests to this machine (the demo's emulators) never use the proxy. */
const OWN_HOSTS = ['localhost', '127.0.0.1']

/**
 * Routes this process's requests to the directory, Power BI and reCAPTCHA through HTTPS_PROXY
 * (HTTP_PROXY for http URLs), except to hosts of NO_PROXY. Mail is not affected.
 * @returns a function that undoes it; undefined without a proxy
 * @throws ERR_PROXY_INVALID_CONFIG for an invalid URL
 */
export function useCorporateProxy(environment: NodeJS.ProcessEnv): (() => void) | undefined {
  const read = (name: string) => readVariable(environment, name)
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

const readVariable = (environment: NodeJS.ProcessEnv, name: string) =>
  environment[name.toLowerCase()] || environment[name] || undefined

/** Lists the proxies with the names of their settings, once each. */
export function listProxyUrls(environment: NodeJS.ProcessEnv): [setting: string, url: URL][] {
  const found = ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((name): [string, URL][] => {
    const url = readVariable(environment, name)
    return url ? [[name, new URL(url)]] : []
  })
  return found.filter(([, { host }], index) => found.findIndex(([, other]) => other.host === host) === index)
}

/** Rejects 'proxy:3128', which Node accepts as a URL with the protocol 'proxy' and fails on later. */
function assertProxyUrl(url: string): void {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw Object.assign(new Error('Not the URL of a proxy'), { code: 'ERR_PROXY_INVALID_CONFIG' })
}
