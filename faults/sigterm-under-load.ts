import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, ask } from '#bench/support/ask.ts'
import { newSecret } from '#bench/support/new-secret.ts'
import { prepareDatabase } from '#bench/support/prepare-database.ts'
import { signInAsAdmin } from '#bench/support/sign-in-as-admin.ts'
import { atMost, defineFault, exactly } from './support/fault.ts'
import { keepAsking, writeMessage } from './support/load.ts'
import { countLost, startFaultPortal } from './support/portal.ts'

const ROUNDS = { short: 2, whole: 10 }

/** Rolling restarts: two replicas in turn are asked to end under load; what one had begun, it finishes. */
export const sigtermUnderLoad = defineFault({
  name: 'SIGTERM under load, rolling restarts',
  needsPostgres: true,
  async run(run) {
    const env = {
      ...(await prepareDatabase('term', run.cleanUp)),
      SESSION_SECRET: newSecret(),
    }
    const replicas = [
      await startFaultPortal(run, run.port, env),
      await startFaultPortal(run, run.port + 1, env),
    ]
    const token = await signInAsAdmin((replicas[0] as { url: string }).url)
    const marks: string[] = []
    const exits: number[] = []
    const answers: Answer[] = []
    const later: Answer[] = []
    for (let round = 0; round < (run.isShort ? ROUNDS.short : ROUNDS.whole); round++) {
      const index = round % 2
      const leaving = replicas[index] as (typeof replicas)[number]
      const load = [
        keepAsking(10, () => ask(leaving.url, { path: '/api/profiles/me', token })),
        keepAsking(25, () => writeMessage(leaving.url, marks)),
      ]
      await wait(400)
      const startedAt = performance.now()
      const stopped = leaving.stop()
      await stopped
      exits.push(performance.now() - startedAt)
      const sent = (await Promise.all(load.map((each) => each.stop()))).flat()
      answers.push(...sent.filter(({ sentAt }) => sentAt < startedAt))
      later.push(...sent.filter(({ sentAt }) => sentAt >= startedAt))
      replicas[index] = await startFaultPortal(run, run.port + index, env)
    }
    const broken = answers.filter(({ status }) => status !== 200 && status !== 201)
    // What comes later is answered or turned away at the door: a balancer sends it to the other replica.
    const failed = later.filter(({ status, error }) => status >= 500 || error === 'TIMEOUT')
    const lost = await countLost((replicas[0] as { url: string }).url, token, marks)
    return [
      exactly(`of ${answers.length} requests under way at SIGTERM not finished`, broken.length, 0),
      exactly(`of ${later.length} later ones answered with 5xx or left hanging`, failed.length, 0),
      atMost('slowest exit', Math.max(...exits), 30_000, 'ms'),
      exactly(`of ${marks.length} acknowledged messages lost`, lost, 0),
    ]
  },
})
