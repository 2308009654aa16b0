import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { checkTime, defineFault, type FaultRun, startFaultPortal, verify } from '#proof/shared/fault.ts'
import { countLost, sendAtRate, waitUntil, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import { send } from '#proof/shared/requests.ts'

const ROUNDS = { short: 2, whole: 10 }
const GRACE_SECONDS = 1
/** A replica still running after this time is killed, which the promise excludes. */
const PROMISED_EXIT_MS = 30_000
/** Interval of the balancer's readiness checks; a leaving replica's grace period must be longer. */
const PROBE_MS = 200
/** The discard port, where nothing listens: requests fail and are counted as failed. */
const UNREACHABLE = 'http://127.0.0.1:9'

/** Rolling restarts: two replicas are terminated in turn while a balancer sends requests to ready ones. */
export const sigtermUnderLoad = defineFault({
  name: 'SIGTERM under load, rolling restarts',
  needsPostgres: true,
  async run(run) {
    const replicas = await startReplicas(run)
    const token = await signInAsAdmin(replicas[0].portal.url)
    const balancer = startBalancer(replicas.map(({ portal }) => portal.url))
    run.cleanUp(balancer.stop)
    const agent = new Agent({ keepAlive: true })
    run.cleanUp(() => agent.destroy())
    const path = '/api/profiles/me'
    const marks: string[] = []
    // Reads and messages on new connections, and reads on keep-alive ones.
    const load = [
      sendAtRate(20, () => send(balancer.pick(), { path, token })),
      sendAtRate(25, () => writeMessage(balancer.pick(), marks)),
      sendAtRate(10, () => send(balancer.pick(), { path, token, agent })),
    ]
    const exits: number[] = []
    for (let round = 0; round < (run.isShort ? ROUNDS.short : ROUNDS.whole); round++) {
      const replica = replicas[round % 2] as (typeof replicas)[number]
      await wait(600)
      const startedAt = performance.now()
      await replica.portal.stop()
      exits.push(performance.now() - startedAt)
      replica.portal = await replica.start()
      const { url } = replica.portal
      // Otherwise no replica would be ready when the other one leaves.
      await waitUntil(async () => balancer.isReady(url), 5_000)
    }
    const answers = (await Promise.all(load.map((each) => each.stop()))).flat()
    const failed = answers.filter(({ status }) => status !== 200 && status !== 201)
    const kinds = [...new Set(failed.map(({ status, error }) => error ?? status))].join(', ')
    return [
      {
        promise: `of ${answers.length} requests through the balancer failed in any way = 0`,
        held: answers.length > 0 && failed.length === 0,
        seen: `${failed.length} ${kinds}`.trim(),
      },
      checkTime('slowest exit', Math.max(...exits), PROMISED_EXIT_MS),
      verify(
        `of ${marks.length} acknowledged messages lost`,
        await countLost(balancer.pick(), token, marks),
        0,
      ),
    ]
  },
})

async function startReplicas(run: FaultRun) {
  const env = {
    ...(await prepareDatabase('term', run.cleanUp)),
    SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS),
  }
  const startAt = async (port: number) => {
    const start = () => startFaultPortal(run, port, env)
    return { start, portal: await start() }
  }
  return [await startAt(run.port), await startAt(run.port + 1)] as const
}

/**
 * Probes each replica's readiness like a load balancer, until
 * `stop`; `pick` returns the ready ones in turn.
 */
function startBalancer(replicas: readonly string[]) {
  const ready = new Set(replicas)
  let isOver = false
  let turn = 0
  const probe = async (replica: string) => {
    while (!isOver) {
      const { status } = await send(replica, { path: '/api/health/ready', timeoutMs: 3_000 })
      if (status === 200) ready.add(replica)
      else ready.delete(replica)
      await wait(PROBE_MS)
    }
  }
  const probes = replicas.map(probe)
  return {
    pick() {
      const candidates = replicas.filter((replica) => ready.has(replica))
      return candidates[turn++ % candidates.length] ?? UNREACHABLE
    },
    isReady: (replica: string) => ready.has(replica),
    async stop() {
      isOver = true
      await Promise.all(probes)
    },
  }
}
