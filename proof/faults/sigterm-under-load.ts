import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import {
  below,
  defineFault,
  exactly,
  type FaultRun,
  startFaultPortal,
  type Verdict,
} from '#proof/shared/fault.ts'
import { countLost, keepAsking, timeUntil, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import type { StartedPortal } from '#proof/shared/processes.ts'
import { type Answer, ask } from '#proof/shared/requests.ts'
import { followForEver, type LastingStream } from '#proof/shared/streams.ts'

const ROUNDS = { short: 2, whole: 10 }
const GRACE_SECONDS = 1
const STREAMS = 4
/** A replica that has not ended by then is killed, which the promise excludes. */
const PROMISED_EXIT_MS = 30_000
/** How often the balancer asks each replica whether it is ready; the grace of a replica that leaves must be longer. */
const PROBE_MS = 200
/** The port for discarding what is sent: requests to it fail, and count as failed. */
const UNREACHABLE = 'http://127.0.0.1:9'

/** What was seen of one replica while it left. */
interface Leaving {
  exitMs: number
  /** Statuses of /api/health/ready and of a new connection in the middle of the grace. */
  ready: number
  served: number
  /** Of the streams that it had, those not sent away at once. */
  kept: number
}

/** Rolling restarts: two replicas in turn are asked to end, while a balancer sends requests to those that are ready. */
export const sigtermUnderLoad = defineFault({
  name: 'SIGTERM under load, rolling restarts',
  needsPostgres: true,
  async run(run) {
    const replicas = await startReplicas(run)
    const token = await signInAsAdmin(replicas[0].portal.url)
    const balancer = await startBalancer(replicas.map(({ portal }) => portal.url))
    run.cleanUp(balancer.stop)
    const streams = Array.from({ length: STREAMS }, () => followForEver(balancer.pick, token))
    for (const stream of streams) run.cleanUp(stream.stop)
    await timeUntil(async () => streams.every((stream) => stream.replica()), 5_000)
    const marks: string[] = []
    const kept: Answer[] = []
    const load = startLoad(balancer, token, marks, kept)
    const leavings: Leaving[] = []
    for (let round = 0; round < (run.isShort ? ROUNDS.short : ROUNDS.whole); round++) {
      const replica = replicas[round % 2] as (typeof replicas)[number]
      await wait(600)
      leavings.push(await leave(replica.portal, token, streams))
      replica.portal = await replica.start()
      const { url } = replica.portal
      // Before that, nobody would be there when the other one leaves.
      await timeUntil(async () => balancer.isReady(url), 5_000)
    }
    const backMs = await timeUntil(async () => streams.every((stream) => stream.replica()), 10_000)
    const answers = (await Promise.all(load.map((each) => each.stop()))).flat()
    await Promise.all(streams.map((stream) => stream.stop()))
    return [
      ...judgeRequests(answers, kept.length, balancer.connections()),
      ...judgeLeaving(leavings),
      ...judgeStreams(streams, backMs),
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

/** Reads and messages on connections of their own, and reads on kept ones. */
function startLoad(balancer: Balancer, token: string, marks: string[], kept: Answer[]) {
  const path = '/api/profiles/me'
  return [
    keepAsking(20, () => ask(balancer.pick(), { path, token })),
    keepAsking(25, () => writeMessage(balancer.pick(), marks)),
    keepAsking(10, async () => {
      const answer = await ask(balancer.pick(), { path, token, agent: balancer.agent })
      kept.push(answer)
      return answer
    }),
  ]
}

/** Asks a replica to end and looks at it from near by, in the middle of its grace. */
async function leave(portal: StartedPortal, token: string, streams: LastingStream[]): Promise<Leaving> {
  const startedAt = performance.now()
  const followers = streams.filter((stream) => stream.replica() === portal.url)
  const stopped = portal.stop().then(() => performance.now() - startedAt)
  await wait(GRACE_SECONDS * 400)
  const [ready, served] = await Promise.all([
    ask(portal.url, { path: '/api/health/ready' }),
    ask(portal.url, { path: '/api/profiles/me', token }),
  ])
  const isSentAway = ({ sentAway }: LastingStream) => (sentAway.at(-1) ?? 0) > startedAt
  const kept = followers.filter((stream) => !isSentAway(stream)).length
  return { exitMs: await stopped, ready: ready.status, served: served.status, kept }
}

function judgeRequests(answers: Answer[], kept: number, connections: number): Verdict[] {
  const failed = answers.filter(({ status }) => status !== 200 && status !== 201)
  const kinds = [...new Set(failed.map(({ status, error }) => error ?? status))].join(', ')
  return [
    {
      promise: `of ${answers.length} requests through the balancer failed in any way = 0`,
      held: answers.length > 0 && failed.length === 0,
      seen: `${failed.length} ${kinds}`.trim(),
    },
    {
      promise: 'many of them used a connection again',
      held: kept > connections * 5,
      seen: `${kept} over ${connections} connections`,
    },
  ]
}

function judgeLeaving(leavings: Leaving[]): Verdict[] {
  const others = (of: (leaving: Leaving) => boolean) => leavings.filter((leaving) => !of(leaving)).length
  return [
    exactly(
      'replicas that did not say at once that they are not ready',
      others(({ ready }) => ready === 503),
      0,
    ),
    exactly(
      'replicas that did not serve a new connection in their grace',
      others(({ served }) => served === 200),
      0,
    ),
    below('slowest exit', Math.max(...leavings.map(({ exitMs }) => exitMs)), PROMISED_EXIT_MS),
    exactly(
      'streams not told to reconnect at once',
      leavings.reduce((sum, { kept }) => sum + kept, 0),
      0,
    ),
  ]
}

function judgeStreams(streams: LastingStream[], backMs: number): Verdict[] {
  const ends = streams.reduce((sum, { sentAway }) => sum + sentAway.length, 0)
  const troubles = streams.flatMap((stream) => stream.troubles)
  return [
    { promise: 'streams were told to reconnect', held: ends > 0, seen: `${ends} times` },
    {
      promise: 'all of them are open again',
      held: Number.isFinite(backMs) && troubles.length === 0,
      seen: troubles.length > 0 ? [...new Set(troubles)].join(', ') : 'open',
    },
  ]
}

/** Decides, as a load balancer does, which replica takes the next request. */
interface Balancer {
  /** The next ready replica, in turn; one that nobody answers for when none is ready. */
  pick(): string
  isReady(replica: string): boolean
  /** Keeps connections to all replicas and uses them again. */
  agent: Agent
  /** How many connections the agent has opened. */
  connections(): number
}

/** A balancer that asks /api/health/ready of each replica until `stop`. */
async function startBalancer(replicas: readonly string[]): Promise<Balancer & { stop(): Promise<void> }> {
  const ready = new Set(replicas)
  const { agent, connections } = countingAgent()
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
    agent,
    connections,
    pick() {
      const candidates = replicas.filter((replica) => ready.has(replica))
      return candidates[turn++ % candidates.length] ?? UNREACHABLE
    },
    isReady: (replica) => ready.has(replica),
    async stop() {
      isOver = true
      await Promise.all(probes)
      agent.destroy()
    },
  }
}

function countingAgent() {
  let opened = 0
  const agent = new Agent({ keepAlive: true })
  const open = agent.createConnection.bind(agent)
  agent.createConnection = (...args) => {
    opened += 1
    return open(...args)
  }
  return { agent, connections: () => opened }
}
