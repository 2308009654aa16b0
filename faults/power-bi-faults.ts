import { type Answer, ask } from '#bench/support/ask.ts'
import { undoAfterwards } from '#bench/support/run-task.ts'
import { signInAsAdmin } from '#bench/support/sign-in-as-admin.ts'
import { temporaryFolder } from '#bench/support/temporary-folder.ts'
import { tokenRequest } from '#bench/support/token-request.ts'
import { atMost, defineFault, exactly, type Verdict } from './support/fault.ts'
import { keepAsking } from './support/load.ts'
import { startFaultPortal } from './support/portal.ts'

type Scripted = Record<string, unknown> & { on: string }

const ANSWERS: Record<string, Omit<Scripted, 'on'>> = {
  '429 with Retry-After': { status: 429, headers: { 'retry-after': '7' } },
  '500': { status: 500 },
  'no answer': { delayMs: 20_000 },
  'something that is no JSON': { status: 200, body: '<html>proxy</html>' },
}

/** Every fault of the directory and of the report service; the rest of the portal must not notice. */
export const powerBiFaults = defineFault({
  name: 'Power BI and its directory failing',
  async run(run) {
    const verdicts: Verdict[] = []
    for (const on of ['directory', 'generateToken']) {
      for (const [what, answer] of Object.entries(ANSWERS)) {
        if (run.isShort && on === 'directory' && what === 'no answer') continue
        // A portal of its own each, so that nothing is remembered from the fault before.
        const tried = await undoAfterwards(async (cleanUp) => {
          const env = { DATA_DIR: temporaryFolder(cleanUp) }
          const { url } = await startFaultPortal({ ...run, cleanUp }, run.port, env)
          return tryFault(url, await signInAsAdmin(url), `${on}: ${what}`, { on, times: 10, ...answer })
        })
        verdicts.push(...tried)
      }
    }
    return verdicts
  },
})

async function tryFault(url: string, token: string, what: string, fault: Scripted): Promise<Verdict[]> {
  await ask(url, { method: 'PUT', path: '/demo/power-bi/faults', body: fault })
  await ask(url, { method: 'DELETE', path: '/demo/power-bi/calls' })
  const others = keepAsking(25, () => ask(url, { path: '/api/profiles/me', token }))
  const reply = await ask(url, tokenRequest(token, 'Vendas'))
  const rest = await others.stop()
  const calls = JSON.parse((await ask(url, { path: '/demo/power-bi/calls' })).body) as { path: string }[]
  const tries = calls.filter((call) =>
    (fault.on === 'directory' ? /directory/ : /GenerateToken/).test(call.path),
  )
  return [
    {
      promise: `${what}: refused in words`,
      held: [502, 503].includes(reply.status),
      seen: `${reply.status} ${detailOf(reply)}`,
    },
    atMost(`${what}: answered after`, reply.ms, 8_300, 'ms'),
    atMost(`${what}: tries`, tries.length, 2, 'tries'),
    exactly(`${what}: other requests failed`, rest.filter(({ status }) => status !== 200).length, 0),
  ]
}

function detailOf({ body }: Answer): string {
  try {
    return (JSON.parse(body) as { code: string }).code
  } catch {
    return body.slice(0, 60)
  }
}
