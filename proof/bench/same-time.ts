// Whether a clock tells known addresses from unknown ones: median times of a wrong sign-in, a sign-up, a recovery and
// a resend for either, asked in turns. `node proof/bench/same-time.ts [--rounds 80]`

import { median, readNumbers, runBench } from '#proof/shared/figures.ts'
import { DIRECTOR, earnPasses, startForSignIns } from '#proof/shared/people.ts'
import { createDatabase, openPostgres } from '#proof/shared/postgres.ts'
import { sendRequests } from '#proof/shared/requests.ts'

const { rounds } = readNumbers({ rounds: 80 })
const KNOWN = DIRECTOR.email
const PASSWORD = 'Outra-Senha-Longa-2026!'

type Call = (email: string, captcha: string) => { path: string; body: object }

const CALLS: Record<string, Call> = {
  'sign-in': (email, captcha) => ({
    path: '/api/auth/token?grant_type=password',
    body: { email, password: PASSWORD, captcha },
  }),
  'sign-up': (email, captcha) => ({ path: '/api/auth/signup', body: { email, password: PASSWORD, captcha } }),
  recover: (email) => ({ path: '/api/auth/recover', body: { email } }),
  resend: (email) => ({ path: '/api/auth/resend', body: { type: 'signup', email } }),
}

let strangers = 0
const stranger = () => `ninguem${++strangers}@grupopatio.com.br`

await runBench(async (cleanUp) => {
  const databaseUrl = await createDatabase(await openPostgres(cleanUp), 'portal', cleanUp)
  const portal = await startForSignIns(databaseUrl, cleanUp)

  async function timeOf(call: Call, email: string): Promise<number> {
    const [captcha = ''] = await earnPasses(portal.url, 1)
    const { path, body } = call(email, captcha)
    const [answer] = await sendRequests(portal.url, [{ method: 'POST', path, body }], 1)
    if (!answer || answer.status >= 429) throw new Error(`${path} answered ${answer?.status}`)
    return answer.ms
  }

  const figures = []
  for (const [name, call] of Object.entries(CALLS)) {
    const times = { known: [] as number[], unknown: [] as number[] }
    for (let round = -5; round < rounds; round++) {
      const known = await timeOf(call, KNOWN)
      const unknown = await timeOf(call, stranger())
      // The first few warm everything up.
      if (round >= 0) times.known.push(known) && times.unknown.push(unknown)
    }
    const [known, unknown] = [median(times.known), median(times.unknown)]
    figures.push({
      what: `${name}, known and unknown apart`,
      value: (100 * Math.abs(known - unknown)) / Math.min(known, unknown),
      unit: '%',
      digits: 1,
      atMost: 10,
      note: `known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms`,
    })
  }
  return figures
})
