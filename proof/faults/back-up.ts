import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { defineFault, exactly, type FaultRun, startFaultPortal, type Verdict } from '#proof/shared/fault.ts'
import { countLost, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, openPostgres, runSql } from '#proof/shared/postgres.ts'
import { ask } from '#proof/shared/requests.ts'
import { temporaryFolder } from '#proof/shared/run-task.ts'
import { findPostgres } from '#scripts/find-programs.mjs'
import { root } from '#scripts/run-command.mjs'

const MESSAGES = 30

/** The two back-ups of docs/operations.md, taken and brought back. */
export const backUp = defineFault({
  name: 'back-up and restore',
  needsPostgres: true,
  async run(run) {
    return [...(await tryEmbedded(run)), ...(await tryServer(run))]
  },
})

/** With the portal stopped, the data directory is copied; later the copy takes the place of the lost one. */
async function tryEmbedded(run: FaultRun): Promise<Verdict[]> {
  const folder = temporaryFolder(run.cleanUp)
  const env = { DATA_DIR: join(folder, 'data') }
  const { token, marks, stop } = await fill(run, run.port, env)
  await stop()
  cpSync(env.DATA_DIR, join(folder, 'copy'), { recursive: true })
  rmSync(env.DATA_DIR, { recursive: true })
  cpSync(join(folder, 'copy'), env.DATA_DIR, { recursive: true })
  return judge(run, run.port, env, 'embedded', token, marks)
}

/** The lines of docs/operations.md as they stand there: the dump while the portal runs, the others afterwards. */
async function tryServer(run: FaultRun): Promise<Verdict[]> {
  const server = await openPostgres(run.cleanUp)
  const DATA_DIR = temporaryFolder(run.cleanUp)
  const DATABASE_URL = await createDatabase(server, 'backup', run.cleanUp)
  const name = `patio_bench_restored_${process.pid}`
  const restored = new URL(`/${name}`, DATABASE_URL).href
  run.cleanUp(() => runSql(server, (client) => client.query(`drop database if exists ${name} with (force)`)))
  const runLines = await shellFor(DATA_DIR, DATABASE_URL)
  const { dump, restore } = readLines(restored, name)
  const { token, marks, stop } = await fill(run, run.port + 1, { DATABASE_URL, DATA_DIR })
  const dumped = runLines(dump)
  await stop()
  const fault = dumped || runLines(restore)
  const isDone = { promise: 'PostgreSQL: the lines of docs/operations.md work', held: fault === '' }
  if (fault !== '') return [{ ...isDone, seen: fault }]
  const env = { DATABASE_URL: restored, DATA_DIR }
  return [
    { ...isDone, seen: 'they do' },
    ...(await judge(run, run.port + 1, env, 'PostgreSQL', token, marks)),
  ]
}

/** The commands that an operator finds, with a name and an address of this run in the place of the example's. */
function readLines(restored: string, name: string): { dump: string; restore: string } {
  const text = readFileSync(join(root, 'docs', 'operations.md'), 'utf8')
  const section = /## Back-up and restore[\s\S]*?\*\*PostgreSQL\*\*([\s\S]*?)\n\*\*/.exec(text)?.[1] ?? ''
  const lines = [...section.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map((match) => match[1])
    .join('')
    .replace(/postgres(ql)?:\/\/…\/patio_restored/, `'${restored}'`)
    .replaceAll('patio_restored', name)
  const at = lines.indexOf('createdb')
  if (at < 1) throw new Error('docs/operations.md shows no dump and createdb under "Back-up and restore"')
  return { dump: lines.slice(0, at), restore: lines.slice(at) }
}

/** @returns what runs lines and gives what they had to say when one failed, '' otherwise */
async function shellFor(folder: string, databaseUrl: string): Promise<(lines: string) => string> {
  // Links to the server's programs may stand elsewhere, without those of its clients.
  const installed = await findPostgres()
  if (!installed) throw new Error('There is no PostgreSQL 15 or later here.')
  const programs = dirname(realpathSync(join(installed, 'postgres')))
  const env = { PATH: `${programs}${delimiter}${process.env.PATH}`, DATABASE_URL: databaseUrl }
  return (lines) => {
    const { status, stderr } = spawnSync('sh', ['-e', '-c', lines], { cwd: folder, env, encoding: 'utf8' })
    return status === 0 ? '' : `${stderr.trim().split('\n').join(' ')} (${status})`
  }
}

async function fill(run: FaultRun, port: number, env: Record<string, string>) {
  const portal = await startFaultPortal(run, port, env)
  const token = await signInAsAdmin(portal.url)
  const marks: string[] = []
  for (let written = 0; written < MESSAGES; written++) await writeMessage(portal.url, marks)
  return { token, marks, stop: portal.stop }
}

async function judge(
  run: FaultRun,
  port: number,
  env: Record<string, string>,
  where: string,
  token: string,
  marks: string[],
): Promise<Verdict[]> {
  const portal = await startFaultPortal(run, port, env)
  const session = await ask(portal.url, { path: '/api/profiles/me', token })
  const lost = await countLost(portal.url, await signInAsAdmin(portal.url), marks)
  await portal.stop()
  return [
    exactly(`${where}: of ${marks.length} messages missing after the restore`, lost, 0),
    exactly(`${where}: status of a session from before`, session.status, 200),
  ]
}
