import { setTimeout as wait } from 'node:timers/promises'
import { ESTADOS, MARCAS } from '#contract/seeded-catalogue.ts'
import type { Scope } from './data-set-sums.ts'
import { answerData, answerFrameFaults, answerList, putFault } from './instruments/answer-instruments.ts'
import { parseBody, type RecordedCall, recordCall } from './instruments/call-log.ts'
import { applyFault, type Fault, type FaultTarget, takeFault } from './instruments/faults.ts'
import { type Reply, toResponse } from './reply.ts'
import { answerTokenRequest } from './rest/directory.ts'
import { answerRestCall, findFaultTarget } from './rest/rest-api.ts'
import { createReportPage } from './serve-report-page.ts'

const MOUNT = '/demo/power-bi'
const TOKEN_ENDPOINT = /^\/directory\/([^/]+)\/oauth2\/v2\.0\/token$/

/**
 * `secret` signs the tokens, `clientSecret` authenticates the service principal; latencies are in ms
 * per REST or directory call; `clock` returns ms since the epoch.
 */
export interface PowerBiEmulatorOptions {
  secret: string
  clientSecret: string
  latencyMs?: number
  directoryLatencyMs?: number
  clock?: () => number
  /** Reads the brands and states of the tenant's data, at each use; by default those of a new portal. */
  readData?: () => Promise<Scope>
}

interface PowerBiEmulator {
  /** Handles requests under `/demo/power-bi`; rejects only when the report page has not been built. */
  handle(request: Request): Promise<Response>
}

interface Call {
  request: Request
  path: string
  search: URLSearchParams
  text: string
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Creates an emulated Power BI with the real protocols: directory, REST API and report page; and the
 * instruments /demo/power-bi/calls, /faults and /data.
 */
export function createPowerBiEmulator(options: PowerBiEmulatorOptions): PowerBiEmulator {
  const { secret, clientSecret, clock = Date.now } = options
  const { readData = async () => ({ marcas: MARCAS, estados: ESTADOS }) } = options
  const calls: RecordedCall[] = []
  const faults: Fault[] = []
  const refreshes = new Map<string, number[]>()
  const reportPage = createReportPage()

  function answerDirectory({ request, path, text }: Call, fault?: Fault): Reply {
    const tenant = TOKEN_ENDPOINT.exec(path)?.[1]
    if (!tenant || request.method !== 'POST') return { status: 404 }
    const form = new URLSearchParams(text)
    return answerTokenRequest({ tenant, form, clientSecret, secret, now: clock(), lifeS: fault?.tokenLifeS })
  }

  function answerRest({ request, path, search, text }: Call, fault?: Fault): Reply {
    const { method, headers } = request
    const body = text === '' ? null : parseJson(text)
    const authorization = headers.get('authorization')
    const call = { method, path: path.slice('/api'.length), search, authorization, body }
    return answerRestCall({ ...call, secret, now: clock(), lifeS: fault?.tokenLifeS, refreshes })
  }

  /** Records a call at arrival, and replies after latency and scripted fault. */
  async function serve(
    call: Call,
    latencyMs: number,
    on: FaultTarget | undefined,
    answer: typeof answerRest,
  ) {
    const { request, path, text } = call
    const recorded: RecordedCall = {
      at: new Date(clock()).toISOString(),
      method: request.method,
      path: path + new URL(request.url).search,
      status: null,
      body: parseBody(text, request.headers.get('content-type') ?? ''),
    }
    recordCall(calls, recorded)
    const fault = takeFault(faults, on)
    const delay = latencyMs + (fault?.delayMs ?? 0)
    if (delay > 0) await wait(delay)
    const normal = answer(call, fault)
    const reply = fault ? applyFault(fault, normal) : normal
    recorded.status = reply.status
    return reply
  }

  async function route(call: Call): Promise<Reply> {
    const { request, path, search, text } = call
    if (path.startsWith('/directory/')) {
      return serve(call, options.directoryLatencyMs ?? 0, 'directory', answerDirectory)
    }
    if (path.startsWith('/api/')) {
      return serve(call, options.latencyMs ?? 0, findFaultTarget(path.slice('/api'.length)), answerRest)
    }
    if (path === '/calls') return answerList(request.method, calls)
    if (path === '/faults') return answerList(request.method, faults, () => putFault(text, faults))
    if (path === '/frame-faults') return answerFrameFaults(request.method, faults)
    if (path === '/data') return answerData(request.method, search, await readData())
    if (['/reportEmbed', '/rdlEmbed'].includes(path) && request.method === 'GET')
      return reportPage(await readData())
    return { status: 404, body: { error: `nothing at ${path}` } }
  }

  return {
    async handle(request) {
      const { pathname, searchParams: search } = new URL(request.url)
      const start = pathname.indexOf(MOUNT)
      const path = start === -1 ? pathname : pathname.slice(start + MOUNT.length)
      return toResponse(await route({ request, path, search, text: await request.text() }))
    },
  }
}
