import { readFileSync, rmSync } from 'node:fs'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from '#scripts/run-command.mjs'
import { makeCertificate } from '#server/testing/make-certificate.ts'
import type { CleanUp } from './run-task.ts'

/** What the bare page shows: one report, its token in hand. */
interface BareReport {
  workspaceId: string
  reportId: string
  marcas: readonly string[]
  token: string
}

export interface PortalBeside {
  url: string
  /** The bare page is at /bare. */
  show(report: BareReport): void
  /** From now on every request takes this much longer, and the document of a report this much besides. */
  delay(delays: Delays): void
  delays(): Delays
}

interface Delays {
  roundTripMs: number
  frameMs: number
}

const SDK = readFileSync(join(root, 'node_modules/powerbi-client/dist/powerbi.min.js'), 'utf8')

/** Where Power BI itself answers; Chromium is told that it is here. */
const REPORT_HOST = 'app.powerbi.com'

/** Runs in the bare page: nothing but the SDK, which opens the report with the token in hand. */
function embedReport(): void {
  const config = JSON.parse(document.getElementById('bare')?.textContent ?? '')
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's UMD build
  const { 'powerbi-client': sdk, powerbi: service } = window as any
  const { models } = sdk
  const { marcas, ...report } = config
  const filter = new models.BasicFilter({ table: 'Marca', column: 'Marca' }, 'In', ...marcas).toJSON()
  service.embed(document.querySelector('main'), {
    ...report,
    type: 'report',
    tokenType: models.TokenType.Embed,
    permissions: models.Permissions.All,
    filters: [filter],
    settings: { panes: { filters: { visible: false } } },
  })
}

function pageOf({ workspaceId, reportId, marcas, token }: BareReport): string {
  const query = new URLSearchParams({ reportId, groupId: workspaceId })
  const embedUrl = `https://${REPORT_HOST}/reportEmbed?${query}`
  const json = JSON.stringify({ id: reportId, groupId: workspaceId, embedUrl, accessToken: token, marcas })
  return `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Bare</title>
<style>html,body,main,iframe{display:block;width:100%;height:100%;margin:0;border:0}</style></head>
<body><main role="tabpanel"></main><script type="application/json" id="bare">${json}</script>
<script src="/bare/sdk.js"></script><script>(${embedReport})()</script></body></html>`
}

/** Puts a server before a portal that has one page more: a bare one with a report, to compare the portal's with. */
export async function startBeside(portalUrl: string, cleanUp: CleanUp): Promise<PortalBeside> {
  const agent = new Agent({ keepAlive: true })
  let bare = ''
  let delays = { roundTripMs: 0, frameMs: 0 }

  async function answer(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const path = incoming.url ?? ''
    if (delays.roundTripMs > 0) await wait(delays.roundTripMs)
    if (path === '/bare') return void reply.writeHead(200, { 'content-type': 'text/html' }).end(bare)
    if (path === '/bare/sdk.js') {
      const headers = { 'content-type': 'text/javascript', 'cache-control': 'max-age=31536000, immutable' }
      return void reply.writeHead(200, headers).end(SDK)
    }
    const { method, headers } = incoming
    const host = new URL(portalUrl).host
    const onward = request(portalUrl + path, { method, headers: { ...headers, host }, agent }, (answered) => {
      reply.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(reply)
    })
    onward.on('error', () => reply.destroy())
    reply.on('close', () => onward.destroy())
    incoming.pipe(onward)
  }

  const server = createServer((incoming, reply) => void answer(incoming, reply))
  cleanUp(() => agent.destroy())
  return {
    url: `http://127.0.0.1:${await listen(server, cleanUp)}`,
    show: (report) => {
      bare = pageOf(report)
    },
    delay: (next) => {
      delays = next
    },
    delays: () => delays,
  }
}

/**
 * Serves the emulator's report page as if from Power BI: over TLS and from a site of its own, so that the browser gives
 * it a process of its own, as it does with the real one.
 * @returns the switches with which Chromium finds it
 */
export async function startReportHost(
  emulatorUrl: string,
  delays: PortalBeside['delays'],
  cleanUp: CleanUp,
): Promise<string[]> {
  const { folder, certificate, key } = makeCertificate()
  cleanUp(() => rmSync(folder, { recursive: true }))
  const server = createTlsServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    async (incoming, reply) => {
      const { roundTripMs, frameMs } = delays()
      const delayMs = roundTripMs + (incoming.url?.startsWith('/reportEmbed') ? frameMs : 0)
      if (delayMs > 0) await wait(delayMs)
      const page = await fetch(emulatorUrl + incoming.url)
      const headers = { 'content-type': page.headers.get('content-type') ?? '' }
      reply.writeHead(page.status, headers).end(await page.text())
    },
  )
  const port = await listen(server, cleanUp)
  return ['--site-per-process', `--host-resolver-rules=MAP ${REPORT_HOST}:443 127.0.0.1:${port}`]
}

async function listen(server: Server, cleanUp: CleanUp): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
