// Compares frequent requests with an earlier release: both portals on the
// same PostgreSQL server with the same 10,000 people, each with its own
// flags, loaded by wrk in turns. FOLDER is the release's built checkout.
// `node proof/bench/beside-release.ts --beside FOLDER [--rounds 5] [--seconds 4] [--only page]`
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type Figure, formatSpread, median, runBench } from '#proof/shared/figures.ts'
import { ADMIN, signInAsAdmin, startWithPeople } from '#proof/shared/people.ts'
import { openPostgres, runSql } from '#proof/shared/postgres.ts'
import { FIRST_PORT, readCpuTime } from '#proof/shared/processes.ts'
import { createTokenRequest, type PortalRequest } from '#proof/shared/requests.ts'
import { type CleanUp, makeTempFolder, say } from '#proof/shared/run-task.ts'
import { root } from '#scripts/run-command.mjs'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { beside: text, rounds: text, seconds: text, only: text } })
const { beside, rounds = '5', seconds = '4', only = '' } = values
const PEOPLE = 10_000

interface Kind {
  what: string
  /** Minimum throughput relative to the release. */
  atLeast: number
  connections: number
  asked: Omit<PortalRequest, 'token'>
  /** Appended to the path, in turn. */
  words?: string[]
}

/** Search terms with hundreds of matches, a few, and none. */
const WORDS = ['helio', 'concei%C3%A7%C3%A3o', 'an', '301', 'nobody']

const KINDS: Kind[] = [
  { what: 'own profile', atLeast: 1.1, connections: 32, asked: { path: '/api/profiles/me' } },
  { what: 'page of 100', atLeast: 1.4, connections: 8, asked: { path: '/api/profiles' } },
  { what: 'search', atLeast: 1.6, connections: 8, asked: { path: '/api/profiles?q=' }, words: WORDS },
  {
    what: 'sign-in',
    atLeast: 1,
    // Attempts at one account from one network are serialized.
    connections: 1,
    asked: { method: 'POST', path: '/api/auth/token?grant_type=password', body: ADMIN },
  },
  { what: 'embed token', atLeast: 1, connections: 8, asked: createTokenRequest('', 'Vendas') },
]

interface Turn {
  perSecond: number
  nodeUs: number
  postgresUs: number
}

interface Portal {
  pid: number
  url: string
  postmaster: number
  headers: Record<string, string>
  turns: Map<Kind, Turn[]>
}

async function start(folder: string, port: number, server: string, cleanUp: CleanUp): Promise<Portal> {
  const portal = await startWithPeople(PEOPLE, server, cleanUp, { folder, port, logLevel: 'info' })
  const authorization = `Bearer ${await signInAsAdmin(portal.url)}`
  const postmaster = await runSql(server, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const status = readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8')
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
  })
  return { ...portal, postmaster, headers: { authorization }, turns: new Map() }
}

/** Returns the processor time of the whole PostgreSQL server in µs, including ended connections. */
function readPostgresTime(postmaster: number): number {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ')
  const ended = readCpuTime(postmaster, true) ?? 0
  return children.reduce((sum, pid) => sum + (readCpuTime(Number(pid)) ?? 0), ended)
}

/** @throws Error when any reply is not 2xx: a server that refuses is fast */
async function load(
  portal: Portal,
  { asked, connections, words = [''] }: Kind,
  seconds: number,
  script: string,
) {
  const { method = 'GET', path, body } = asked
  const headers = { ...portal.headers, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const quoted = (value: string) => `[==[${value}]==]`
  const lines = [
    `wrk.method = ${quoted(method)}`,
    ...(body === undefined ? [] : [`wrk.body = ${quoted(JSON.stringify(body))}`]),
    ...Object.entries(headers).map(([name, value]) => `wrk.headers['${name}'] = ${quoted(value)}`),
  ]
  lines.push(
    `local words, n = { ${words.map(quoted)} }, 0`,
    `request = function() n = n % #words + 1 return wrk.format(nil, ${quoted(path)} .. words[n]) end`,
  )
  writeFileSync(script, lines.join('\n'))
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, portal.url]
  const before = { node: readCpuTime(portal.pid) ?? 0, postgres: readPostgresTime(portal.postmaster) }
  const { stdout } = await promisify(execFile)('wrk', options)
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  if (!requests || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`${method} ${path}: ${stdout}`)
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    nodeUs: ((readCpuTime(portal.pid) ?? 0) - before.node) / requests,
    postgresUs: (readPostgresTime(portal.postmaster) - before.postgres) / requests,
  }
}

function toFigures(kind: Kind, [now, then]: [Portal, Portal]): Figure[] {
  const [ours, theirs] = [now.turns.get(kind) ?? [], then.turns.get(kind) ?? []]
  const middle = (turns: Turn[], name: keyof Turn) => median(turns.map((turn) => turn[name]))
  const ratio = (name: keyof Turn) => middle(ours, name) / middle(theirs, name)
  const speeds = [ours, theirs].map((turns) =>
    formatSpread(
      turns.map(({ perSecond }) => perSecond),
      0,
    ),
  )
  const time = (what: string, name: 'nodeUs' | 'postgresUs'): Figure => ({
    what: `${kind.what}: processor time of ${what} a request`,
    value: middle(ours, name),
    unit: 'µs',
    note: `before ${middle(theirs, name).toFixed(0)}, ${ratio(name).toFixed(2)} ×`,
  })
  return [
    {
      what: `${kind.what}: throughput`,
      value: ratio('perSecond'),
      unit: '×',
      digits: 2,
      atLeast: kind.atLeast,
      note: `${speeds[0]}/s, before ${speeds[1]}/s`,
    },
    time('Node', 'nodeUs'),
    time('PostgreSQL', 'postgresUs'),
  ]
}

await runBench(async (cleanUp) => {
  if (!beside) throw new Error('--beside FOLDER: the built checkout of the release before')
  const server = await openPostgres(cleanUp)
  const script = join(makeTempFolder(cleanUp), 'request.lua')
  const now = await start(root, FIRST_PORT, server, cleanUp)
  const then = await start(beside, FIRST_PORT + 1, server, cleanUp)
  const kinds = KINDS.filter(({ what }) => what.includes(only))
  for (const kind of kinds) {
    for (const portal of [then, now]) await load(portal, kind, 2, script)
    for (let round = 0; round < Number(rounds); round++)
      for (const portal of [then, now]) {
        const turns = portal.turns.get(kind) ?? []
        portal.turns.set(kind, [...turns, await load(portal, kind, Number(seconds), script)])
      }
    say(`${kind.what}: ${toFigures(kind, [now, then])[0]?.value.toFixed(2)} ×`)
  }
  return kinds.flatMap((kind) => toFigures(kind, [now, then]))
})
