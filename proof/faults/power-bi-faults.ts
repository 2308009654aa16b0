import { setTimeout as wait } from 'node:timers/promises'
import {
  atMost,
  below,
  defineFault,
  exactly,
  type FaultRun,
  startFaultPortal,
  type Verdict,
} from '#proof/shared/fault.ts'
import { median } from '#proof/shared/figures.ts'
import { keepAsking } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { type Answer, type Asked, ask, tokenRequest } from '#proof/shared/requests.ts'
import { temporaryFolder } from '#proof/shared/run-task.ts'

const RETRY_AFTER_SECONDS = 7
const ANSWERS = {
  '429 with Retry-After': { status: 429, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  '500': { status: 500 },
  'something that is no JSON': { status: 200, body: '<html>proxy</html>' },
  'no answer': { delayMs: 20_000 },
}
type What = keyof typeof ANSWERS

/**
 * The calls behind an embed token, in the order of what is remembered of them: no fault finds its own call spared
 * because an earlier one went well.
 */
const CALLS = {
  directory: { area: 'Vendas', path: /^\/directory\// },
  // Asked first where the area's setting names no dataset.
  report: { area: 'Oficina', path: /\/reports\/[^/]+$/ },
  dataset: { area: 'Vendas', path: /\/datasets\/[^/]+$/ },
  generateToken: { area: 'Vendas', path: /\/GenerateToken$/ },
}
type Call = keyof typeof CALLS

/** So many ask for the report at once while it fails. */
const ASKING = 5
const OBSERVED_MS = 600
/** 15 s by the portal's own timer, since nobody here has a token yet, and a little for the way. */
const PROMISED_MS = 15_500

/** Every fault of the directory and of the report service; the rest of the portal must not notice. */
export const powerBiFaults = defineFault({
  name: 'Power BI and its directory failing',
  async run(run) {
    const { url } = await startFaultPortal(run, run.port, { DATA_DIR: temporaryFolder(run.cleanUp) })
    const token = await signInAsAdmin(url)
    await forgetDataset(url, token)
    const verdicts: Verdict[] = []
    for (const on of Object.keys(CALLS) as Call[]) {
      const tried: Tried[] = []
      for (const what of whatToTry(run, on))
        tried.push({ what, verdicts: await tryFault(url, token, on, what) })
      verdicts.push(...summarise(on, tried))
    }
    const again = await ask(url, tokenRequest(token, 'Vendas'))
    return [...verdicts, exactly('status once everything answers again', again.status, 200)]
  },
})

/** In the shortened form only one fault waits its fifteen seconds. */
function whatToTry(run: FaultRun, on: Call): What[] {
  const all = Object.keys(ANSWERS) as What[]
  return run.isShort && on !== 'generateToken' ? all.filter((what) => what !== 'no answer') : all
}

async function forgetDataset(url: string, token: string): Promise<void> {
  const { workspaceId, reportId } = tokenRequest(token, CALLS.report.area).body as Record<string, string>
  const body = { embed_mode: 'service_principal', workspace_id: workspaceId, report_id: reportId }
  const path = `/api/global-powerbi-settings/${encodeURIComponent(CALLS.report.area.toLowerCase())}`
  const { status, body: text } = await ask(url, { method: 'PUT', path, token, body })
  if (status !== 200) throw new Error(`the setting was refused: ${text}`)
}

/** What the browser asks: it names the dataset that the setting names. */
function requestOf(on: Call, token: string): Asked {
  const request = tokenRequest(token, CALLS[on].area)
  return on === 'report' ? { ...request, body: { ...(request.body as object), datasetId: null } } : request
}

async function tryFault(url: string, token: string, on: Call, what: What): Promise<Verdict[]> {
  await ask(url, { method: 'PUT', path: '/demo/power-bi/faults', body: { on, times: 99, ...ANSWERS[what] } })
  await ask(url, { method: 'DELETE', path: '/demo/power-bi/calls' })
  const request = requestOf(on, token)
  let refusals: Refusal[] = []
  const others = await watchOthers(url, token, async () => {
    const asking = Array.from({ length: ASKING }, () => askForReport(url, token, request))
    refusals = await Promise.all(asking)
    // Nor afterwards; and what was given up must not answer the next one.
    await wait(OBSERVED_MS)
  })
  const calls = JSON.parse((await ask(url, { path: '/demo/power-bi/calls' })).body) as { path: string }[]
  await ask(url, { method: 'DELETE', path: '/demo/power-bi/faults' })
  const tries = calls.filter((call) => CALLS[on].path.test(call.path.split('?')[0] as string)).length
  return [
    ...judgeRefusals(refusals, what === '429 with Retry-After'),
    { promise: 'tries 1 to 2', held: tries >= 1 && tries <= 2, seen: `${tries}` },
    ...judgeOthers(others),
  ]
}

interface Tried {
  what: What
  verdicts: Verdict[]
}

/** One row for each promise that held with every answer, and one for each that did not. */
function summarise(on: Call, tried: Tried[]): Verdict[] {
  const all = tried.flatMap(({ what, verdicts }) => verdicts.map((verdict) => ({ what, ...verdict })))
  const broken = all.filter(({ held }) => !held)
  const kept = new Map<string, Set<string>>()
  for (const { promise, held, seen } of all)
    if (held) kept.set(promise, (kept.get(promise) ?? new Set()).add(seen))
  return [
    ...broken.map(({ what, promise, held, seen }) => ({ promise: `${on}, ${what}: ${promise}`, held, seen })),
    ...[...kept].map(([promise, seen]) => ({
      promise: `${on}: ${promise}`,
      held: true,
      seen: [...seen].join(', '),
    })),
  ]
}

/** Somebody who wants no report, for as long as some work takes. */
async function watchOthers(url: string, token: string, work: () => Promise<void>): Promise<Answer[]> {
  const others = keepAsking(25, () => ask(url, { path: '/api/profiles/me', token }))
  await work()
  return others.stop()
}

function judgeRefusals(refusals: Refusal[], isToldWhen: boolean): Verdict[] {
  const seen = (of: (refusal: Refusal) => unknown) => [...new Set(refusals.map(of))].join(', ')
  const isGood = ({ retryAfter }: Refusal) =>
    isToldWhen ? retryAfter === RETRY_AFTER_SECONDS : Number(retryAfter) > 0
  return [
    {
      promise: 'refused in words',
      held: refusals.every(({ status, detail }) => [502, 503].includes(status) && detail.length > 20),
      seen: seen(({ status, code }) => `${status} ${code}`),
    },
    {
      promise: isToldWhen ? `Retry-After ${RETRY_AFTER_SECONDS} passed on` : 'Retry-After given',
      held: refusals.every(isGood),
      seen: seen(({ retryAfter }) => retryAfter ?? 'none'),
    },
    below('answered after', Math.max(...refusals.map(({ ms }) => ms)), PROMISED_MS),
  ]
}

function judgeOthers(others: Answer[]): Verdict[] {
  const times = others.map(({ ms }) => ms)
  return [
    exactly('other requests failed', others.filter(({ status }) => status !== 200).length, 0),
    atMost('median of the others', median(times), 500, 'ms'),
    atMost('slowest of the others', Math.max(...times), 1_000, 'ms'),
  ]
}

/** How the portal refuses a report. */
interface Refusal {
  status: number
  code: string
  detail: string
  /** Seconds of the reply's header. */
  retryAfter: number | undefined
  ms: number
}

/** Asks for an embed token and reads the refusal with its header; a token has neither code nor detail. */
async function askForReport(url: string, token: string, request: Asked): Promise<Refusal> {
  const { method = 'POST', path, body } = request
  const startedAt = performance.now()
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { code = '', detail = '' } = (await reply.json()) as { code?: string; detail?: string }
  const retryAfter = reply.headers.get('retry-after')
  return {
    status: reply.status,
    code,
    detail,
    retryAfter: retryAfter === null ? undefined : Number(retryAfter),
    ms: performance.now() - startedAt,
  }
}
