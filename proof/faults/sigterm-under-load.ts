import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { below, defineFault, exactly, type FaultRun, startFaultPortal } from '#proof/shared/fault.ts'
import { countLost, keepAsking, timeUntil, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import { ask } from '#proof/shared/requests.ts'

const ROUNDS = { short: 2, whole: 10 }
const GRACE_SECONDS = 1
/** A replica that has not ended by then is killed, which the promise excludes. */
const PROMISED_EXIT_MS = 30_000
/** How often the balancer asks each replica whether it is ready; the grace of a replica that leaves must be longer. */
const PROBE_MS = 200
/** The port for discarding what is sent: requests to it fail, and count as failed. */
const UNREACHABLE = 'http://127.0.0.1:9'

/** Rolling restarts: two replicas in turn are asked to end, while a balancer sends requests to those that are ready. */
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
    // Reads and messages on connections of their own, and reads on kept ones.
    const load = [
      keepAsking(20, () => ask(balancer.pick(), { path, token })),
      keepAsking(25, () => writeMessage(balancer.pick(), marks)),
      keepAsking(10, () => ask(balancer.pick(), { path, token, agent })),
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
      // Before that, nobody would be there when the other one leaves.
      await timeUntil(async () => balancer.isReady(url), 5_000)
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
      below('slowest exit', Math.max(...exits), PROMISED_EXIT_MS),
      exactly(
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

/** Asks each replica, as a load balancer does, whether it is ready, until `stop`; `pick` takes the ready ones in turn. */
function startBalancer(replicas: readonly string[]) {
  const ready = new Set(replicas)
  let isOver = false
  let turn = 0
  const probe = async (replica: string) => {
    while (!isOver) {
      const { status } = await ask(replica, { path: '/api/health/ready', timeoutMs: 3_000 })
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
