// Runs a temporary PostgreSQL cluster that ends with this process and leaves nothing behind.
// `node scripts/throw-away-postgres.mjs -- <command…>` runs a command
// with TEST_DATABASE_URL set to one, unless it is set already.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { findPostgres } from './find-programs.mjs'
import { failWith, getToolEnv, runCommand } from './run-command.mjs'

const startLimitMs = 30_000
const isRoot = process.getuid?.() === 0

/**
 * Runs the server until its standard input closes, which the kernel ensures even when this
 * process is killed, then removes the folder. $1 programs' folder, $2 cluster's folder, $3 port.
 */
const watchdog = `
exec >"$2/log" 2>&1
"$1/initdb" -D "$2/data" --username=postgres --pwfile="$2/password" --auth=scram-sha-256 \\
  --encoding=UTF8 --locale=C --no-sync </dev/null
{
  "$1/postgres" -D "$2/data" -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories="$2" \\
    -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200 </dev/null
  touch "$2/ended"
} &
cat >/dev/null
while [ ! -e "$2/ended" ]; do
  kill -QUIT "$(head -n 1 "$2/data/postmaster.pid")"
  sleep 0.1
done
cd /
rm -rf "$2"
`

/**
 * @typedef {object} Cluster
 * @property {string} url of its superuser
 * @property {() => Promise<void>} stop ends the server and removes its files
 */

/**
 * The caller checks `TEST_DATABASE_URL` first.
 * @returns {Promise<Cluster | undefined>} undefined when this machine has no PostgreSQL 15 or later
 * @throws {Error} with the server's log when it does not start
 */
export async function startTemporaryPostgres() {
  const programs = await findPostgres()
  if (!programs) return
  return startCluster(programs, isRoot ? findServerUser() : undefined)
}

/**
 * The server refuses to run as root.
 * @param {string} [accounts] text of /etc/passwd
 * @returns {{ uid: number, gid: number }} the user `postgres`, else `nobody`
 */
export function findServerUser(accounts = readFileSync('/etc/passwd', 'utf8')) {
  const lines = accounts.split('\n').map((line) => line.split(':'))
  const account = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody')
  if (!account) throw new Error('Como root, o PostgreSQL dos testes precisa do usuário postgres ou nobody.')
  return { uid: Number(account[2]), gid: Number(account[3]) }
}

/** @param {{ uid: number, gid: number }} [owner] */
function makeFolder(owner) {
  // root's own temporary folder may be inaccessible to others.
  const folder = mkdtempSync(join(owner ? '/tmp' : tmpdir(), 'patio-postgres-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/**
 * @param {string} programs
 * @param {{ uid: number, gid: number }} [owner]
 * @returns {Promise<Cluster>}
 */
async function startCluster(programs, owner) {
  const port = await findFreePort()
  const folder = makeFolder(owner)
  const password = randomBytes(18).toString('base64url')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  // In its own session: Ctrl+C ends the tests first, and the cluster when this process ends.
  const watcher = spawn('sh', ['-c', watchdog, 'sh', programs, folder, String(port)], {
    ...owner,
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(watcher, 'close')
  const stop = async () => {
    watcher.stdin.destroy()
    await ended
  }
  try {
    await waitUntilReady(folder)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`, stop }
}

/**
 * @param {string} folder
 * @throws {Error} with the end of the server's log when it ends or is not ready in time
 */
async function waitUntilReady(folder) {
  const pidFile = join(folder, 'data', 'postmaster.pid')
  for (const limit = Date.now() + startLimitMs; Date.now() < limit; await wait(50)) {
    // Line 8 is the server's own status, for which pg_ctl waits.
    if (readIfExists(pidFile).split('\n')[7]?.trim() === 'ready') return
    if (existsSync(join(folder, 'ended'))) break
  }
  throw new Error(
    `O PostgreSQL dos testes não subiu:\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2000)}`,
  )
}

/** initdb's server also has such a file, and removes it. @param {string} file */
function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** @returns {Promise<number>} a free loopback port */
async function findFreePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
async function runWithPostgres(command, args) {
  const cluster = process.env.TEST_DATABASE_URL ? undefined : await startTemporaryPostgres()
  const url = process.env.TEST_DATABASE_URL || cluster?.url
  if (!url)
    throw new Error('Nenhum PostgreSQL 15 ou mais novo encontrado. Instale um ou defina TEST_DATABASE_URL.')
  try {
    const { status, output } = await runCommand(command, args, {
      env: getToolEnv({ TEST_DATABASE_URL: url }),
    })
    if (output) process.stderr.write(`${output}\n`)
    process.exitCode = status
  } finally {
    await cluster?.stop()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [separator, command, ...args] = process.argv.slice(2)
  if (separator === '--' && command) await runWithPostgres(command, args).catch(failWith)
  else failWith('Uso: node scripts/throw-away-postgres.mjs -- <comando…>')
}
