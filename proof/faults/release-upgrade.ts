import { execFileSync, spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import { openChromium } from '#proof/shared/chromium.ts'
import {
  checkTime,
  defineFault,
  type FaultRun,
  NotTriedError,
  type Verdict,
  verify,
} from '#proof/shared/fault.ts'
import { findSystemProgram, startHaproxy } from '#proof/shared/haproxy.ts'
import { countLost, sendAtRate, waitUntil, writeMessage } from '#proof/shared/load.ts'
import { loadPages } from '#proof/shared/page-loads.ts'
import { openSessions } from '#proof/shared/people.ts'
import { prepareDatabase, runSql } from '#proof/shared/postgres.ts'
import { createSecret, type RunningProcess, runProcess, waitUntilAnswers } from '#proof/shared/processes.ts'
import { type Answer, send } from '#proof/shared/requests.ts'
import { type CleanUp, makeTempFolder } from '#proof/shared/run-task.ts'
import { startCaddy, startNginx } from '#proof/shared/web-servers.ts'
import { buildReleases, toReleaseName } from '#scripts/release.mjs'
import { root } from '#scripts/run-command.mjs'
import { REAL_ENVIRONMENT } from '#server/testing/portal-process.ts'

const OUT = join(root, '.cache', 'release', 'upgrade')
const AFTER = '8.1.0'
const ARCH = process.arch === 'arm64' ? 'arm64' : 'x64'
/** The archive of an earlier release, such as 0.2.0; otherwise one is built from these sources. */
const GIVEN = process.env.FAULTS_BEFORE
const BEFORE = GIVEN ? basename(GIVEN).replace(/^patio-|-linux-.*$/g, '') : '8.0.0'
const getArchive = (version: string) =>
  version === BEFORE && GIVEN ? GIVEN : join(OUT, `${toReleaseName(ARCH, version)}.tar.gz`)
/** nobody: owns neither the files nor anything else of this project. */
const USER = { uid: 65534, gid: 65534 }
const PEOPLE = 5
const IS_ALONE = 'FAULTS_ALONE'
/** HAProxy checks once a second. */
const SEEN_MS = 3_000
const READY_MS = 20_000
/** Failed requests prove nothing where the database takes longer to answer a new connection. */
const BUSY_MS = 1_000
/** Pages loaded behind each proxy while both versions run; a tenth as many before and after. */
const LOADS = 100
const SHORT_LOADS = 10
/** Half a minute after the last replica of the version before, this version's own page is served. */
const NEW_PAGE_MS = 60_000

/**
 * Builds both releases and restarts itself in a network namespace with loopback only.
 * @returns whether that is now so
 */
export async function isolateNetwork(): Promise<boolean> {
  if (process.env[IS_ALONE]) return true
  if (!GIVEN) {
    await buildReleases({ archs: [ARCH], version: BEFORE, out: OUT })
    renameAssets(getArchive(BEFORE))
  }
  await buildReleases({ archs: [ARCH], version: AFTER, out: OUT, previous: getArchive(BEFORE) })
  const script = 'ip link set lo up && exec "$@"'
  const { TEST_DATABASE_URL: _, ...env } = process.env
  const program = ['sh', '-c', script, 'sh', process.execPath, ...process.argv.slice(1)]
  const { status } = spawnSync('unshare', ['--net', '--mount', ...program], {
    stdio: 'inherit',
    env: { ...env, [IS_ALONE]: 'yes' },
  })
  process.exitCode = status ?? 1
  return false
}

/** Two portals of a release are replaced by the next one in turn, under load. */
export const releaseUpgrade = defineFault({
  name: 'release replaced by the next one, under load',
  needsPostgres: true,
  async cannotRun() {
    if (process.getuid?.() !== 0) return 'it becomes other users, which only root may'
    if (!existsSync(join(OUT, 'SHA256SUMS'))) return 'the releases are not there'
    const missing = ['haproxy', 'nginx', 'caddy'].filter((name) => !findSystemProgram(name))
    return missing.length > 0 ? `there is no ${missing.join(', no ')} here` : undefined
  },
  async run(run) {
    const releases = [unpack(BEFORE, run.cleanUp), unpack(AFTER, run.cleanUp, addMigration)] as const
    const env = await createEnvironment(run)
    const ports: [number, number] = [run.port + 1, run.port + 2]
    const portals: RunningProcess[] = []
    for (const port of ports) portals.push(await startRelease(releases[0], port, env, run.cleanUp))
    const url = await startHaproxy({ port: run.port, portals: ports }, run.cleanUp)
    const proxies = [
      url,
      await startNginx({ port: run.port + 3, portals: ports }, run.cleanUp),
      await startCaddy({ port: run.port + 4, portals: ports }, run.cleanUp),
    ]
    const browser = await openChromium(run.cleanUp)
    const people = createPeople(env)
    // An earlier version's schema lacks what a session of this one has.
    if (!GIVEN) await people.add()
    const count = run.isShort ? SHORT_LOADS : LOADS
    const loadAll = (each: number) => loadBehindProxies(browser, proxies, each, people.session())
    const marks: string[] = []
    const load = startLoad(url, people.tokens, marks)
    const stopMeasuring = measureDatabase(env.DATABASE_URL)
    const before = await loadAll(count / 10)
    await replace(0)
    await people.add()
    const beside = await loadAll(count)
    await replace(1)
    const hasOwnPages = async () => {
      const entries = await Promise.all(ports.map((port) => readEntry(`http://127.0.0.1:${port}`)))
      return !entries.includes(before.entry)
    }
    const ownPage = await waitUntil(hasOwnPages, NEW_PAGE_MS)
    const after = await loadAll(count / 10)
    async function replace(index: 0 | 1) {
      await wait(SEEN_MS)
      await portals[index]?.stop()
      await startRelease(releases[1], ports[index], env, run.cleanUp)
      await wait(SEEN_MS)
    }
    const answers = (await Promise.all(load.map((each) => each.stop()))).flat()
    const slowest = await stopMeasuring()
    const pages = [before, beside, after].flatMap(({ verdicts }) => verdicts)
    if (answers.some(hasFailed) && slowest > BUSY_MS) {
      const dead = pages.map(({ promise, seen }) => `${promise}: ${seen}`).join(', ')
      throw new NotTriedError(
        `this machine is too busy: PostgreSQL took ${Math.round(slowest)} ms for a connection, ${describeFailures(answers)}; ${dead}`,
      )
    }
    const versions = await Promise.all(ports.map(readVersion))
    return [
      ...judge(answers),
      ...pages,
      checkTime('own page after the last replica of the version before', ownPage, NEW_PAGE_MS),
      verify(
        `of ${marks.length} acknowledged messages lost`,
        await countLost(url, people.administrator(), marks),
        0,
      ),
      verify(`portals that say that they are ${AFTER}`, versions.filter((is) => is === AFTER).length, 2),
      verify('files that the portal’s user may write in its release', countWritable(releases), 0),
      verify('ways out of this network', countRoutes(), 0),
    ]
  },
})

/** Gives the built files of a release other names, so that two releases of the same sources share none. */
function renameAssets(archive: string): void {
  const folder = mkdtempSync('/tmp/patio-release-')
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  const name = readdirSync(folder)[0] as string
  const dist = join(folder, name, 'dist')
  const assets = join(dist, 'web/assets')
  for (const file of readdirSync(assets)) if (/\.(br|gz)$/.test(file)) rmSync(join(assets, file))
  const names = readdirSync(assets)
  const all = new RegExp(names.map((each) => each.replaceAll('.', '\\.')).join('|'), 'g')
  const texts = names.filter((each) => /\.(js|css)$/.test(each)).map((each) => join(assets, each))
  for (const file of [...texts, join(dist, 'web/index.html'), join(dist, 'prerender/screens.json')])
    writeFileSync(file, readFileSync(file, 'utf8').replace(all, 'before-$&'))
  for (const each of names) renameSync(join(assets, each), join(assets, `before-${each}`))
  execFileSync('tar', ['-czf', archive, '-C', folder, name])
  rmSync(folder, { recursive: true })
}

/** Loads pages of visitors and of signed-in people behind every proxy. */
async function loadBehindProxies(browser: Browser, proxies: string[], each: number, session?: string) {
  const verdicts: Verdict[] = []
  let entry = ''
  for (const url of proxies) {
    const list = (path: string) => Array.from({ length: Math.ceil(each / 2) }, () => url + path)
    const visitors = await loadPages(browser, list('/login'))
    const people = await loadPages(browser, list('/power-bi'), session)
    const [dead, total] = [visitors.dead + people.dead, visitors.total + people.total]
    const entries = Object.keys({ ...visitors.entries, ...people.entries })
    entry = entries[0] ?? ''
    verdicts.push({ ...verify(`of ${total} pages dead`, dead, 0), seen: `${dead}; ${entries.join(' and ')}` })
  }
  return { verdicts, entry }
}

/** Reads which entry script the page names. */
async function readEntry(url: string): Promise<string> {
  const { body } = await send(url, { path: '/login' })
  return /<script type="module"[^>]* src="([^"]+)"/.exec(body)?.[1] ?? ''
}

/** People with sessions, of whom the first is an administrator. */
function createPeople({ DATABASE_URL, SESSION_SECRET }: Record<'DATABASE_URL' | 'SESSION_SECRET', string>) {
  const tokens: string[] = []
  let [first, second] = [] as { access_token: string }[]
  return {
    /** Grows while the load runs. */
    tokens,
    administrator: () => first?.access_token ?? '',
    session: () => second && JSON.stringify(second),
    async add() {
      if (first) return
      const sessions = await openSessions(DATABASE_URL, SESSION_SECRET, PEOPLE, 'Vendas')
      await makeAdministrator(DATABASE_URL)
      ;[first, second] = sessions
      tokens.push(...sessions.slice(1).map(({ access_token }) => access_token))
    },
  }
}

/** Unpacks a release into a folder that is read-only, even for root. */
function unpack(version: string, cleanUp: CleanUp, change = (_: string) => {}): string {
  const folder = mkdtempSync('/tmp/patio-release-')
  cleanUp(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('chmod', ['755', folder])
  const name = toReleaseName(ARCH, version)
  execFileSync('sha256sum', ['--check', '--quiet', '--ignore-missing', 'SHA256SUMS'], { cwd: OUT })
  execFileSync('tar', ['-xzf', getArchive(version), '-C', folder])
  change(join(folder, name))
  execFileSync('mount', ['--bind', folder, folder])
  execFileSync('mount', ['-o', 'remount,ro,bind', folder])
  cleanUp(() => execFileSync('umount', [folder]))
  return join(folder, name)
}

/** Adds a migration to the next version. */
function addMigration(release: string): void {
  const statement = 'alter table support_messages add column later text;\n'
  writeFileSync(join(release, 'migrations', '9000-later.sql'), statement)
}

async function createEnvironment(run: FaultRun) {
  const { DATABASE_URL } = await prepareDatabase('upgrade', run.cleanUp)
  const DATA_DIR = join(makeTempFolder(run.cleanUp), 'data')
  execFileSync('chmod', ['755', join(DATA_DIR, '..')])
  mkdirSync(DATA_DIR)
  chownSync(DATA_DIR, USER.uid, USER.gid)
  const settings = { TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'silent', SESSION_SECRET: createSecret() }
  return { ...REAL_ENVIRONMENT, ...settings, DATABASE_URL, DATA_DIR }
}

async function startRelease(
  release: string,
  port: number,
  env: Record<string, string>,
  cleanUp: CleanUp,
): Promise<RunningProcess> {
  const settings = Object.entries({ ...env, PORT: port, PATH: '/usr/bin:/bin' }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const ids = ['--reuid', String(USER.uid), '--regid', String(USER.gid), '--clear-groups']
  const args = [...ids, 'env', '-i', ...settings, join(release, 'bin/patio'), 'start']
  const started = runProcess('setpriv', args, { cwd: '/' })
  cleanUp(started.stop)
  await waitUntilAnswers(`http://127.0.0.1:${port}/api/health/ready`, started)
  return started
}

/** Makes the first person with a session an administrator. */
async function makeAdministrator(databaseUrl: string): Promise<void> {
  await runSql(databaseUrl, (client) =>
    client.query(`insert into user_roles (user_id, role)
      select user_id, 'admin' from profiles where email = 'carga1@grupopatio.com.br'
      on conflict (user_id) do update set role = 'admin'`),
  )
}

/**
 * Sends reads, page loads and messages; each message has its
 * own client address, because of rate limits.
 */
function startLoad(url: string, tokens: string[], marks: string[]) {
  let turn = 0
  const next = () => turn++
  return [
    sendAtRate(25, () => {
      const token = tokens[next() % (tokens.length || 1)]
      return send(url, token ? { path: '/api/profiles/me', token } : { path: '/login' })
    }),
    sendAtRate(100, () => send(url, { path: '/login' })),
    sendAtRate(50, () => {
      const number = next()
      return writeMessage(url, marks, undefined, `127.1.${(number >> 8) & 255}.${number & 255}`)
    }),
  ]
}

/** Measures how long the database takes for a connection. @returns a function that ends it */
function measureDatabase(url: string): () => Promise<number> {
  let slowest = 0
  let isOver = false
  async function measure() {
    while (!isOver) {
      const startedAt = performance.now()
      await runSql(url, (client) => client.query('select 1')).catch(() => {})
      slowest = Math.max(slowest, performance.now() - startedAt)
      await wait(200)
    }
  }
  const measuring = measure()
  return async () => {
    isOver = true
    await measuring
    return slowest
  }
}

const hasFailed = ({ status }: Answer) => status !== 200 && status !== 201

/** Tells HAProxy's own answers from the portal's, which have a code. */
function describeFailures(answers: Answer[]): string {
  const describe = ({ status, error, body }: Answer) =>
    error ?? `${status} ${/"code":"([^"]+)"/.exec(body)?.[1] ?? 'by HAProxy'}`
  const kinds = Object.entries(Object.groupBy(answers.filter(hasFailed), describe))
  return kinds.map(([kind, of = []]) => `${of.length} × ${kind}`).join(', ') || '0'
}

function judge(answers: Answer[]): Verdict[] {
  return [
    {
      promise: `of ${answers.length} requests through HAProxy failed in any way = 0`,
      held: answers.length > 100 && !answers.some(hasFailed),
      seen: describeFailures(answers),
    },
    checkTime('slowest of them', Math.max(...answers.map(({ ms }) => ms)), READY_MS),
  ]
}

async function readVersion(port: number): Promise<string> {
  const { body } = await send(`http://127.0.0.1:${port}`, { path: '/api/health/ready' })
  return (JSON.parse(body) as { version: string }).version
}

function countWritable(releases: readonly string[]): number {
  const find = ['--reuid', String(USER.uid), '--clear-groups', '--regid', String(USER.gid), 'find']
  const found = execFileSync('setpriv', [...find, ...releases, '-writable', '-not', '-type', 'l'], {
    encoding: 'utf8',
  })
  return found.split('\n').filter(Boolean).length
}

const countRoutes = () =>
  execFileSync('ip', ['route'], { encoding: 'utf8' }).split('\n').filter(Boolean).length
