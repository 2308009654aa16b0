import { setTimeout as wait } from 'node:timers/promises'
import { ask } from '#proof/bench/support/ask.ts'
import { prepareDatabase } from '#proof/bench/support/prepare-database.ts'
import { type StartedPortal, startPortal } from '#proof/bench/support/start-portal.ts'
import type { FaultRun } from './fault.ts'

/** What every portal of the fault programs has in common; limits would count the load as an attack. */
export const QUIET = { RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' }

/** Starts a portal in demo mode that ends with the run. */
export async function startFaultPortal(
  run: FaultRun,
  port: number,
  env: Record<string, string>,
): Promise<StartedPortal> {
  const portal = await startPortal(port, { ...QUIET, ...env })
  run.cleanUp(portal.stop)
  return portal
}

/** Starts a portal on an empty database of PostgreSQL, at the fault's first port; both end with the run. */
export async function startOnPostgres(
  run: FaultRun,
  name: string,
): Promise<{ databaseUrl: string; portal: StartedPortal }> {
  const env = await prepareDatabase(name, run.cleanUp)
  return { databaseUrl: env.DATABASE_URL, portal: await startFaultPortal(run, run.port, env) }
}

/** Kills a process as a power cut would and waits until it is gone. */
export async function killHard(portal: StartedPortal): Promise<void> {
  process.kill(portal.pid, 'SIGKILL')
  while (!portal.hasEnded()) await wait(5)
  // Nothing is left to end; this lets go of it.
  await portal.stop()
}

/** The texts of all messages in the inbox, read page by page. */
export async function readMessages(portalUrl: string, token: string): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  do {
    const answer = await ask(portalUrl, { path: `/api/support-messages?limit=100${cursor}`, token })
    if (answer.status !== 200) throw new Error(`the inbox answered ${answer.status} ${answer.error ?? ''}`)
    const page = JSON.parse(answer.body) as { items: { message: string }[]; next: string | null }
    found.push(...page.items.map(({ message }) => message))
    cursor = page.next ? `&cursor=${encodeURIComponent(page.next)}` : ''
  } while (cursor)
  return found
}

/** How many acknowledged messages are not there. */
export async function countLost(
  portalUrl: string,
  token: string,
  acknowledged: readonly string[],
): Promise<number> {
  const kept = new Set(await readMessages(portalUrl, token))
  return acknowledged.filter((mark) => !kept.has(mark)).length
}
