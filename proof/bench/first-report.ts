// From the press of 'Entrar', the human check being solved, to the first report: as somebody with seven areas, each
// time against a portal that has just started. `node proof/bench/first-report.ts [--rounds 7]`
import type { Browser } from '@playwright/test'
import type { Figure } from './support/figures.ts'
import { openChromium } from './support/open-chromium.ts'
import { readNumbers } from './support/options.ts'
import { FIRST_PORT } from './support/paths.ts'
import { type FirstReport, pressSignIn } from './support/press-sign-in.ts'
import { runBench } from './support/run-bench.ts'
import { say } from './support/run-task.ts'
import { startPortal } from './support/start-portal.ts'
import { median, spread } from './support/statistics.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const { rounds } = readNumbers({ rounds: 7 })
const DIRECTORY_MS = 150
const GENERATE_TOKEN_MS = 250
const ONE_OF_EACH_MS = DIRECTORY_MS + GENERATE_TOKEN_MS

/** More answers than one sign-in can ask for. */
const FAULTS = [
  { on: 'directory', delayMs: DIRECTORY_MS, times: 100 },
  { on: 'generateToken', delayMs: GENERATE_TOKEN_MS, times: 100 },
]

async function delayPowerBi(portalUrl: string): Promise<void> {
  for (const fault of FAULTS) {
    const reply = await fetch(`${portalUrl}/demo/power-bi/faults`, {
      method: 'PUT',
      body: JSON.stringify(fault),
    })
    if (!reply.ok) throw new Error(`the emulator refused a delay: ${await reply.text()}`)
  }
}

/** A new process knows no directory token and no embed token. */
async function measureOnce(browser: Browser, dataDir: string, isDelayed: boolean): Promise<FirstReport> {
  const portal = await startPortal(FIRST_PORT, { DATA_DIR: dataDir, RATE_LIMITS: 'off' })
  try {
    if (isDelayed) await delayPowerBi(portal.url)
    return await pressSignIn(browser, portal.url)
  } finally {
    await portal.stop()
  }
}

const times = (runs: FirstReport[]) => runs.map(({ rendered }) => rendered)

function noteOf(runs: FirstReport[]): string {
  const middle = (name: keyof FirstReport) => median(runs.map((run) => run[name])).toFixed(0)
  return `${spread(times(runs))}, screen after ${middle('signedIn')}, its frame after ${middle('frame')}`
}

await runBench(async (cleanUp) => {
  const browser = await openChromium(cleanUp)
  const dataDir = temporaryFolder(cleanUp)
  await (await startPortal(FIRST_PORT, { DATA_DIR: dataDir })).stop()
  const prompt: FirstReport[] = []
  const delayed: FirstReport[] = []
  for (let round = 1; round <= rounds; round++) {
    prompt.push(await measureOnce(browser, dataDir, false))
    delayed.push(await measureOnce(browser, dataDir, true))
    const last = [prompt, delayed].map((runs) => runs.at(-1)?.rendered.toFixed(0))
    say(`round ${round} of ${rounds}: ${last[0]} ms, with delays ${last[1]} ms`)
  }
  const unit = 'ms'
  const slow = median(times(delayed))
  const figures: Figure[] = [
    {
      what: 'first report, no latency',
      value: median(times(prompt)),
      unit,
      atMost: 1_500,
      note: noteOf(prompt),
    },
    {
      what: `first report, directory ${DIRECTORY_MS} and GenerateToken ${GENERATE_TOKEN_MS} ms`,
      value: slow,
      unit,
      atMost: ONE_OF_EACH_MS + 500,
      note: noteOf(delayed),
    },
    { what: 'of which above one call of each', value: slow - ONE_OF_EACH_MS, unit, atMost: 500 },
    { what: 'what the delays cost', value: slow - median(times(prompt)), unit },
  ]
  return figures
})
