import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { checkTime, defineFault, type FaultRun, type Verdict, verify } from '#proof/shared/fault.ts'
import { findSystemProgram, startHaproxy } from '#proof/shared/haproxy.ts'
import { countLost, sendAtRate, writeMessage } from '#proof/shared/load.ts'
import { addSessions } from '#proof/shared/people.ts'
import { prepareDatabase, runSql } from '#proof/shared/postgres.ts'
import { createSecret, type RunningProcess, runProcess, waitUntilAnswers } from '#proof/shared/processes.ts'
import { type Answer, send } from '#proof/shared/requests.ts'
import { type CleanUp, makeTempFolder } from '#proof/shared/run-task.ts'
import { buildReleases, toReleaseName } from '#scripts/release.mjs'
import { root } from '#scripts/run-command.mjs'
import { REAL_ENVIRONMENT } from '#server/testing/portal-process.ts'

const OUT = join(root, '.cache', 'release', 'upgrade')
const BEFORE = '8.0.0'
const AFTER = '8.1.0'
const ARCH = process.arch === 'arm64' ? 'arm64' : 'x64'
/** nobody: owns neither the files nor anything else of this project. */
const USER = { uid: 65534, gid: 65534 }
const PEOPLE = 5
const IS_ALONE = 'FAULTS_ALONE'
/** HAProxy checks once a second. */
const SEEN_MS = 3_000
const READY_MS = 20_000

/**
 * Builds both releases and restarts itself in a network namespace with loopback only.
 * @returns whether that is now so
 */
export async function isolateNetwork(): Promise<boolean> {
  if (process.env[IS_ALONE]) return true
  for (const version of [BEFORE, AFTER]) await buildReleases({ archs: [ARCH], version, out: OUT })
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
    return findSystemProgram('haproxy') ? undefined : 'there is no HAProxy here'
  },
  async run(run) {
    const releases = [unpack(BEFORE, run.cleanUp), unpack(AFTER, run.cleanUp, addMigration)] as const
    const env = await createEnvironment(run)
    const ports = [run.port + 1, run.port + 2]
    const portals = []
    for (const port of ports) portals.push(await startRelease(releases[0], port, env, run.cleanUp))
    const url = await startHaproxy({ port: run.port, portals: ports }, run.cleanUp)
    const [administrator = '', ...tokens] = await addSessions(
      env.DATABASE_URL,
      env.SESSION_SECRET,
      PEOPLE,
      'Vendas',
    )
    await makeAdministrator(env.DATABASE_URL)
    const marks: string[] = []
    const load = startLoad(url, tokens, marks)
    for (const [index, port] of ports.entries()) {
      await wait(SEEN_MS)
      await portals[index]?.stop()
      await startRelease(releases[1], port, env, run.cleanUp)
    }
    await wait(SEEN_MS)
    const answers = (await Promise.all(load.map((each) => each.stop()))).flat()
    const versions = await Promise.all(ports.map(readVersion))
    return [
      ...judge(answers),
      verify(`of ${marks.length} acknowledged messages lost`, await countLost(url, administrator, marks), 0),
      verify(`portals that say that they are ${AFTER}`, versions.filter((is) => is === AFTER).length, 2),
      verify('files that the portal’s user may write in its release', countWritable(releases), 0),
      verify('ways out of this network', countRoutes(), 0),
    ]
  },
})

/** Unpacks a release into a folder that is read-only, even for root. */
function unpack(version: string, cleanUp: CleanUp, change = (_: string) => {}): string {
  const folder = mkdtempSync('/tmp/patio-release-')
  cleanUp(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('chmod', ['755', folder])
  const name = toReleaseName(ARCH, version)
  execFileSync('sha256sum', ['--check', '--quiet', '--ignore-missing', 'SHA256SUMS'], { cwd: OUT })
  execFileSync('tar', ['-xzf', join(OUT, `${name}.tar.gz`), '-C', folder])
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
    sendAtRate(25, () =>
      send(url, { path: '/api/profiles/me', token: tokens[next() % tokens.length] as string }),
    ),
    sendAtRate(100, () => send(url, { path: '/login' })),
    sendAtRate(50, () => {
      const number = next()
      return writeMessage(url, marks, undefined, `127.1.${(number >> 8) & 255}.${number & 255}`)
    }),
  ]
}

function judge(answers: Answer[]): Verdict[] {
  const failed = answers.filter(({ status }) => status !== 200 && status !== 201)
  const describeFailure = ({ status, error, body }: Answer) =>
    error ?? `${status}${body.startsWith('<') ? ' by HAProxy' : ''}`
  const kinds = Object.entries(Object.groupBy(failed, describeFailure)).map(
    ([kind, of = []]) => `${of.length} × ${kind}`,
  )
  return [
    {
      promise: `of ${answers.length} requests through HAProxy failed in any way = 0`,
      held: answers.length > 100 && failed.length === 0,
      seen: `${failed.length} ${kinds.join(', ')}`.trim(),
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
