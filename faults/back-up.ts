import { execFileSync } from 'node:child_process'
import { cpSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ask } from '#bench/support/ask.ts'
import { newSecret } from '#bench/support/new-secret.ts'
import { createDatabase, openPostgres } from '#bench/support/open-postgres.ts'
import { signInAsAdmin } from '#bench/support/sign-in-as-admin.ts'
import { temporaryFolder } from '#bench/support/temporary-folder.ts'
// @ts-expect-error: a plain script without types
import { findPostgres } from '#scripts/find-postgres.mjs'
import { defineFault, exactly, type FaultRun, type Verdict } from './support/fault.ts'
import { writeMessage } from './support/load.ts'
import { countLost, startFaultPortal } from './support/portal.ts'

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
  const env = { DATA_DIR: join(folder, 'data'), SESSION_SECRET: newSecret() }
  const { token, marks, stop } = await fill(run, run.port, env)
  await stop()
  cpSync(env.DATA_DIR, join(folder, 'copy'), { recursive: true })
  rmSync(env.DATA_DIR, { recursive: true })
  cpSync(join(folder, 'copy'), env.DATA_DIR, { recursive: true })
  return judge(run, run.port, env, 'embedded', token, marks)
}

/** `pg_dump` while the portal runs, `pg_restore` into a new database. */
async function tryServer(run: FaultRun): Promise<Verdict[]> {
  const server = await openPostgres(run.cleanUp)
  const SESSION_SECRET = newSecret()
  const DATA_DIR = temporaryFolder(run.cleanUp)
  const DATABASE_URL = await createDatabase(server, 'backup', run.cleanUp)
  const { token, marks, stop } = await fill(run, run.port + 1, { DATABASE_URL, DATA_DIR, SESSION_SECRET })
  const dump = join(DATA_DIR, 'patio.dump')
  // Links to the server's programs may stand elsewhere, without those of its clients.
  const programs = dirname(realpathSync(join(await findPostgres(), 'postgres')))
  execFileSync(join(programs, 'pg_dump'), ['--format=custom', `--file=${dump}`, DATABASE_URL])
  await stop()
  const restored = await createDatabase(server, 'restored', run.cleanUp)
  execFileSync(join(programs, 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${restored}`, dump])
  return judge(
    run,
    run.port + 1,
    { DATABASE_URL: restored, DATA_DIR, SESSION_SECRET },
    'PostgreSQL',
    token,
    marks,
  )
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
