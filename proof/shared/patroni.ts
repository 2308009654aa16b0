import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { findPostgres } from '#scripts/find-programs.mjs'
import { findServerUser } from '#scripts/throw-away-postgres.mjs'
import { findSystemProgram } from './haproxy.ts'
import { waitUntil } from './load.ts'
import { send } from './requests.ts'
import { type CleanUp, makeTempFolder } from './run-task.ts'

const NODES = 3
/** A node silent for this long loses its role; Patroni's minimum. */
const TTL_SECONDS = 20
const UP_MS = 120_000

export interface PatroniNode {
  name: string
  port: number
  restPort: number
  /** Starts Patroni, which starts PostgreSQL. */
  start(): void
  /** Stops both as an operator does, and waits. */
  stop(): Promise<void>
  /** Kills Patroni, PostgreSQL and all their processes at once, as when the machine dies. */
  kill(): Promise<void>
  /** Suspends the processes, connections stay open; `thaw` resumes them. */
  freeze(): void
  thaw(): void
}

export interface PatroniCluster {
  nodes: readonly PatroniNode[]
  readRoles(): Promise<{ leader?: PatroniNode; standby?: PatroniNode; streaming: number }>
  /** Waits for a leader, a synchronous standby and another streaming one. */
  waitUntilComplete(): Promise<void>
  switchOver(): Promise<void>
}

/**
 * Before 3.0.3, with etcd's v3 API, a primary that wakes up too late overwrites the new leader's
 * key, and what was written meanwhile is lost (patroni/patroni#2689); the v2 API compares first.
 */
function needsEtcd2(): boolean {
  const text = execFileSync(findSystemProgram('patroni') as string, ['--version'], { encoding: 'utf8' })
  const version = text.match(/\d+/g)?.map(Number) ?? []
  const [major = 0, minor = 0, patch = 0] = version
  return major * 1e6 + minor * 1e3 + patch < 3_000_003
}

/** etcd's and PostgreSQL's programs refuse to run as root. */
interface Owner {
  uid?: number
  gid?: number
}

/** Returns what this machine lacks for a cluster, or undefined. */
export async function findMissing(): Promise<string | undefined> {
  const missing = ['etcd', 'patroni', 'haproxy'].filter((name) => !findSystemProgram(name))
  if (!(await findPostgres())) missing.push('PostgreSQL')
  return missing.length > 0 ? `there is no ${missing.join(', no ')} here` : undefined
}

/**
 * Starts three PostgreSQL nodes under Patroni with a
 * synchronous standby, and one etcd. They end with the run.
 */
export async function startPatroni(firstPort: number, cleanUp: CleanUp): Promise<PatroniCluster> {
  const owner: Owner = process.getuid?.() === 0 ? findServerUser() : {}
  const folder = makeTempFolder(cleanUp)
  chmodSync(folder, 0o755)
  const own = (path: string) => {
    mkdirSync(path, { mode: 0o700 })
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid)
    return path
  }
  // Patroni needs more programs than those in a folder of links.
  const programs = dirname(realpathSync(join((await findPostgres()) as string, 'postgres')))
  const etcdUrl = await startEtcd(own(join(folder, 'etcd')), owner, firstPort, cleanUp)
  const nodes = Array.from({ length: NODES }, (_, index) => {
    const port = firstPort + 2 + index * 2
    const home = own(join(folder, `node-${index + 1}`))
    const node = { name: `node-${index + 1}`, port, restPort: port + 1 }
    const file = join(home, 'patroni.json')
    writeFileSync(file, JSON.stringify(configure(node, home, programs, etcdUrl), null, 1))
    chmodSync(file, 0o644)
    return { ...node, ...runNode(file, join(home, 'data'), owner) }
  })
  for (const node of nodes) {
    node.start()
    cleanUp(node.kill)
    endWithRun(node.killNow, cleanUp)
  }
  const cluster = observe(nodes)
  await cluster.waitUntilComplete()
  return cluster
}

async function startEtcd(folder: string, owner: Owner, port: number, cleanUp: CleanUp): Promise<string> {
  const url = `http://127.0.0.1:${port}`
  const peer = `http://127.0.0.1:${port + 1}`
  const own = ['--listen-client-urls', url, '--advertise-client-urls', url]
  const peers = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer]
  const data = ['--data-dir', join(folder, 'data'), '--initial-cluster', `default=${peer}`]
  const args = [...data, ...own, ...peers, ...(needsEtcd2() ? ['--enable-v2'] : [])]
  const child = spawn(findSystemProgram('etcd') as string, args, { ...owner, cwd: folder, stdio: 'ignore' })
  endWithRun(() => child.kill('SIGKILL'), cleanUp)
  const isUp = async () => (await send(url, { path: '/health' })).status === 200
  if (!Number.isFinite(await waitUntil(isUp, UP_MS))) throw new Error('etcd did not come up')
  return url
}

/** Ends it with the run, also when interrupted. */
function endWithRun(end: () => void, cleanUp: CleanUp): void {
  process.once('exit', end)
  cleanUp(() => {
    process.off('exit', end)
    end()
  })
}

function configure(
  { name, port, restPort }: { name: string; port: number; restPort: number },
  home: string,
  programs: string,
  etcdUrl: string,
) {
  const at = (number: number) => `127.0.0.1:${number}`
  return {
    scope: 'patio',
    name,
    restapi: { listen: at(restPort), connect_address: at(restPort) },
    [needsEtcd2() ? 'etcd' : 'etcd3']: { hosts: [etcdUrl.replace('http://', '')] },
    bootstrap: {
      dcs: {
        ttl: TTL_SECONDS,
        loop_wait: 2,
        retry_timeout: 3,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: at(port),
      connect_address: at(port),
      data_dir: join(home, 'data'),
      bin_dir: programs,
      pgpass: join(home, 'pgpass'),
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
      parameters: { unix_socket_directories: home },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
      ],
    },
  }
}

function runNode(file: string, data: string, owner: Owner) {
  let child: ChildProcess | undefined
  const hasEnded = () => !child || child.exitCode !== null || child.signalCode !== null
  const processes = () => [...(hasEnded() ? [] : listTree(child?.pid)), ...listTree(readPidFile(data))]
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of new Set(processes()))
      try {
        process.kill(pid, signal)
      } catch {}
  }
  return {
    start() {
      child = spawn(findSystemProgram('patroni') as string, [file], {
        ...owner,
        cwd: join(file, '..'),
        stdio: 'ignore',
      })
    },
    async stop() {
      if (hasEnded()) return
      const ended = once(child as ChildProcess, 'exit')
      child?.kill('SIGTERM')
      await ended
    },
    async kill() {
      const ended = hasEnded() ? undefined : once(child as ChildProcess, 'exit')
      signalAll('SIGKILL')
      await ended
    },
    killNow: () => signalAll('SIGKILL'),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  }
}

function readPidFile(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    // The PID file of a killed server may refer to another process by now.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) ? pid : undefined
  } catch {
    return undefined
  }
}

/** Lists a process and its descendants. */
function listTree(pid: number | undefined): number[] {
  if (pid === undefined) return []
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readParent(name) === pid)
  return [pid, ...children.flatMap((child) => listTree(Number(child)))]
}

function readParent(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

interface Member {
  name: string
  role: string
  state: string
}

function observe(nodes: readonly PatroniNode[]): PatroniCluster {
  async function readRoles() {
    for (const node of nodes) {
      const { status, body } = await send(`http://127.0.0.1:${node.restPort}`, {
        path: '/cluster',
        timeoutMs: 1_000,
      })
      if (status !== 200) continue
      const { members } = JSON.parse(body) as { members: Member[] }
      const find = (role: string) => {
        const member = members.find(
          (each) => each.role === role && ['running', 'streaming'].includes(each.state),
        )
        return nodes.find(({ name }) => name === member?.name)
      }
      const [leader, standby] = [find('leader'), find('sync_standby')]
      const streaming = members.filter(
        ({ role, state }) => role !== 'leader' && /running|streaming/.test(state),
      ).length
      return { ...(leader && { leader }), ...(standby && { standby }), streaming }
    }
    return { streaming: 0 }
  }
  async function waitUntilComplete() {
    const isWhole = async () => {
      const { leader, standby, streaming } = await readRoles()
      if (!leader || !standby || streaming !== NODES - 1) return false
      // Patroni's own records may be out of date.
      const primary = await send(`http://127.0.0.1:${leader.restPort}`, {
        path: '/primary',
        timeoutMs: 1_000,
      })
      return primary.status === 200
    }
    if (!Number.isFinite(await waitUntil(isWhole, UP_MS))) throw new Error('the cluster did not become whole')
  }
  return {
    nodes,
    readRoles,
    waitUntilComplete,
    async switchOver() {
      const { leader, standby } = await readRoles()
      const answer = await send(`http://127.0.0.1:${leader?.restPort}`, {
        method: 'POST',
        path: '/switchover',
        body: { leader: leader?.name, candidate: standby?.name },
        timeoutMs: 60_000,
      })
      if (answer.status !== 200) throw new Error(`no switch-over: ${answer.status} ${answer.body}`)
    },
  }
}
