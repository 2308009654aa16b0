import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP } from 'node:net'
import type { Config } from '#server/config.ts'
import { listProxyUrls } from '#server/corporate-proxy.ts'
import { splitHosts } from '#server/database/server-urls.ts'
import { type Check, check, fault, good } from './run-checks.ts'

const WITHIN_MS = 25_000
const CONNECT_MS = 10_000

/**
 * Checks what calls to other services share: the DNS and the corporate proxy.
 * @param resolve replaces the machine's resolver in tests
 */
export function listNetworkChecks(
  environment: NodeJS.ProcessEnv,
  config: Config,
  resolve: (name: string) => Promise<unknown> = lookup,
): Check[] {
  if (config.isDemo) return []
  const proxies = listProxyUrls(environment)
  const names = listNames(config, proxies)
  const checkDns = async () => {
    const resolved = await Promise.allSettled(names.map((name) => resolve(name)))
    return resolved.some(({ status }) => status === 'fulfilled')
      ? good('DNS: responde.')
      : fault(
          `DNS: esta máquina não encontra nenhum nome (${names.join(', ')}).`,
          'Confira o servidor de DNS desta máquina (/etc/resolv.conf) e o caminho até ele.',
        )
  }
  return [
    // One name alone may be misspelt.
    ...(names.length > 1 ? [check('dns', 'DNS', WITHIN_MS, checkDns)] : []),
    ...proxies.map(([setting, { hostname, port, host, protocol }]): Check => {
      const about = `${setting} (${host})`
      const run = async () => {
        const socket = connect({
          host: hostname.replace(/^\[|\]$/g, ''),
          port: Number(port || (protocol === 'https:' ? 443 : 80)),
        })
        try {
          await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) })
          return good(`${about}: o proxy atende.`)
        } finally {
          socket.destroy()
        }
      }
      return { ...check('corporate-proxy', about, WITHIN_MS, run), causes: ['dns'] }
    }),
  ]
}

/** Lists the names that this machine must resolve itself; a proxy resolves those of the internet. */
function listNames({ publicUrl, smtpUrl, databaseUrl, powerBi }: Config, proxies: [string, URL][]): string[] {
  const urls = [
    ...(proxies.length > 0 ? proxies.map(([, url]) => url.href) : [publicUrl]),
    ...(smtpUrl ? [smtpUrl] : []),
    ...(databaseUrl ? splitHosts(databaseUrl) : []),
    ...(proxies.length > 0 ? [] : [powerBi.authority, powerBi.apiBase]),
  ]
  const names = urls.map((url) => new URL(url).hostname)
  return [...new Set(names)].filter(isName)
}

const isName = (host: string) => host !== '' && host !== 'localhost' && !isIP(host.replace(/^\[|\]$/g, ''))

/** Returns the causes of a check of these URLs: the DNS, unless they have addresses. */
export const listDnsCauses = (...urls: string[]) =>
  urls.some((url) => isName(new URL(url).hostname)) ? ['dns'] : []
