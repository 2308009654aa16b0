import { readFileSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from '#scripts/run-command.mjs'
import type { CleanUp } from './run-task.ts'

/** What the bare page shows: one report, its token in hand. */
export interface BareReport {
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
  delay(delays: { roundTripMs: number; frameMs: number }): void
}

const SDK = readFileSync(join(root, 'node_modules/powerbi-client/dist/powerbi.min.js'), 'utf8')

/** Runs in the bare page: nothing but the SDK and the frame, opened as the portal opens it. */
function embedReport(): void {
  const { embedUrl, token, report, marcas } = JSON.parse(document.getElementById('bare')?.textContent ?? '')
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's UMD build
  const { 'powerbi-client': sdk, powerbi: service } = window as any
  const { models } = sdk
  const element = document.querySelector('main') as HTMLElement
  const uniqueId = crypto.randomUUID()
  const iframe = document.createElement('iframe')
  iframe.src = `${embedUrl}&uid=${uniqueId}`
  element.append(iframe)
  const filter = new models.BasicFilter({ table: 'Marca', column: 'Marca' }, 'In', ...marcas).toJSON()
  const config = {
    type: 'report',
    tokenType: models.TokenType.Embed,
    id: report,
    embedUrl,
    uniqueId,
    accessToken: token,
    permissions: models.Permissions.All,
    filters: [filter],
    settings: { panes: { filters: { visible: false } } },
  }
  const embed = new sdk.Report(service, element, config, false, true, iframe)
  Object.assign(element, { powerBiEmbed: embed })
  service.addOrOverwriteEmbed(embed, element)
  service.embed(element, config)
}

function pageOf({ workspaceId, reportId, marcas, token }: BareReport): string {
  const query = new URLSearchParams({ reportId, groupId: workspaceId })
  const embedUrl = `/demo/power-bi/reportEmbed?${query}`
  const json = JSON.stringify({ embedUrl, token, report: reportId, marcas })
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
    const isFrame = path.includes('/reportEmbed?')
    const delayMs = delays.roundTripMs + (isFrame ? delays.frameMs : 0)
    if (delayMs > 0) await wait(delayMs)
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
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
    agent.destroy()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (report) => {
      bare = pageOf(report)
    },
    delay: (next) => {
      delays = next
    },
  }
}
