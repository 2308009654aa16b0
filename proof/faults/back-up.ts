import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { defineFault, type FaultRun, startFaultPortal, type Verdict, verify } from '#proof/shared/fault.ts'
import { countLost, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, openPostgres } from '#proof/shared/postgres.ts'
import { send } from '#proof/shared/requests.ts'
import { makeTempFolder } from '#proof/shared/run-task.ts'
import { compileCache, root } from '#scripts/run-command.mjs'

const MESSAGES = 30

/** A back-up as in docs/operations.md, taken while the portal runs and restored into an empty location. */
export const backUp = defineFault({
  name: 'back-up and restore',
  needsPostgres: true,
  async run(run) {
    const folder = makeTempFolder(run.cleanUp)
    const server = await openPostgres(run.cleanUp)
    const createOne = (name: string) => createDatabase(server, name, run.cleanUp)
    return [
      ...(await testBackUp(run, run.port, 'embedded', join(folder, 'embedded.backup'), [
        { DATA_DIR: join(folder, 'first') },
        { DATA_DIR: join(folder, 'second') },
      ])),
      ...(await testBackUp(run, run.port + 1, 'PostgreSQL', join(folder, 'server.backup'), [
        { DATA_DIR: folder, DATABASE_URL: await createOne('lost') },
        { DATA_DIR: folder, DATABASE_URL: await createOne('restored') },
      ])),
    ]
  },
})

type Env = Record<string, string>

async function testBackUp(run: FaultRun, port: number, where: string, file: string, [from, to]: [Env, Env]) {
  const { token, marks, stop } = await fill(run, port, from)
  const dumped = runCommand('backup', file, from)
  await stop()
  const fault = dumped || runCommand('restore', file, to)
  const isDone = { promise: `${where}: npm run backup and npm run restore work`, held: fault === '' }
  if (fault !== '') return [{ ...isDone, seen: fault }]
  const others = verify(`${where}: rights of others to the file`, statSync(file).mode & 0o77, 0)
  return [{ ...isDone, seen: 'they do' }, others, ...(await judge(run, port, to, where, token, marks))]
}

/**
 * Runs a command.
 * @returns its output when it failed, '' otherwise
 */
function runCommand(command: string, file: string, env: Env): string {
  const args = [join(root, 'src/server/back-up.ts'), command, file]
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...env },
    encoding: 'utf8',
  })
  return status === 0 ? '' : `${stderr.trim().split('\n').join(' ')} (${status})`
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
  const session = await send(portal.url, { path: '/api/profiles/me', token })
  const lost = await countLost(portal.url, await signInAsAdmin(portal.url), marks)
  await portal.stop()
  return [
    verify(`${where}: of ${marks.length} messages missing after the restore`, lost, 0),
    verify(`${where}: status of a session from before`, session.status, 401),
  ]
}
