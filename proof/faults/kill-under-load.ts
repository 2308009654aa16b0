import { setTimeout as wait } from 'node:timers/promises'
import {
  checkMax,
  defineFault,
  type FaultRun,
  killHard,
  startFaultPortal,
  type Verdict,
  verify,
} from '#proof/shared/fault.ts'
import { countLost, sendAtRate, waitUntil, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import type { StartedPortal } from '#proof/shared/processes.ts'
import { makeTempFolder, say } from '#proof/shared/run-task.ts'

const KILLS = { short: 8, whole: 200 }

/** Kills the portal repeatedly with `kill -9` during writes; acknowledged messages must survive. */
async function killRepeatedly(
  run: FaultRun,
  port: number,
  where: string,
  env: Record<string, string>,
): Promise<Verdict[]> {
  const kills = run.isShort ? KILLS.short : KILLS.whole
  const marks: string[] = []
  const readyMs: number[] = []
  let portal = await startFaultPortal(run, port, env)
  for (let kill = 1; kill <= kills; kill++) {
    await writeAndKill(portal, marks)
    portal = await startFaultPortal(run, port, env)
    readyMs.push(portal.readyMs)
    if (kill % 20 === 0) say(`  ${where}: ${kill} kills, ${marks.length} messages acknowledged`)
  }
  const lost = await countLost(portal.url, await signInAsAdmin(portal.url), marks)
  await portal.stop()
  return [
    verify(`${where}: of ${marks.length} acknowledged messages lost in ${kills} kills`, lost, 0),
    checkMax(`${where}: slowest start afterwards`, Math.max(...readyMs), 5_000, 'ms'),
  ]
}

async function writeAndKill(portal: StartedPortal, marks: string[]): Promise<void> {
  const before = marks.length
  const writers = [1, 2, 3, 4].map(() => sendAtRate(8, () => writeMessage(portal.url, marks, 5_000)))
  await waitUntil(async () => marks.length > before, 5_000)
  await wait(Math.random() * 250)
  await killHard(portal)
  await Promise.all(writers.map((writer) => writer.stop()))
  if (marks.length === before)
    throw new Error('nothing was written before the kill: this would prove nothing')
}

/** The portal's process is killed under load, on both databases. */
export const killUnderLoad = defineFault({
  name: 'kill -9 under load',
  needsPostgres: true,
  async run(run) {
    const embedded = await killRepeatedly(run, run.port, 'embedded', {
      DATA_DIR: makeTempFolder(run.cleanUp),
    })
    const server = await killRepeatedly(run, run.port + 1, 'PostgreSQL', {
      ...(await prepareDatabase('kill', run.cleanUp)),
    })
    return [...embedded, ...server]
  },
})
