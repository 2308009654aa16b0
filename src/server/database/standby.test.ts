import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findPostgres } from '#scripts/find-programs.mjs'
import { findServerUser, startTemporaryPostgres } from '#scripts/throw-away-postgres.mjs'
import { findFreePort } from '#server/testing/portal-process.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { migrate } from './migrate.ts'
import { openServer } from './open-server.ts'

const SLOW = 120_000

/** Starts a standby of a server, stopped after the test. */
async function startStandby(primaryUrl: string) {
  // The path may be a link; the other programs are in the real directory.
  const programs = dirname(realpathSync(join((await findPostgres()) as string, 'postgres')))
  const owner = process.getuid?.() === 0 ? findServerUser() : undefined
  const folder = mkdtempSync('/tmp/patio-standby-')
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const [data, port] = [join(folder, 'data'), await findFreePort()]
  const options = { ...owner, cwd: folder, stdio: 'ignore' as const }
  execFileSync(
    join(programs, 'pg_basebackup'),
    ['-d', primaryUrl, '-D', data, '-R', '-c', 'fast', '--no-sync'],
    options,
  )
  chmodSync(folder, 0o755)
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    // At least the primary's number.
    'max_connections=200',
  ]
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  const server = spawn(join(programs, 'postgres'), args, options)
  const ended = once(server, 'exit')
  onTestFinished(async () => {
    server.kill('SIGQUIT')
    await ended
    rmSync(folder, { recursive: true })
  })
  return {
    host: `127.0.0.1:${port}`,
    promote: () => execFileSync(join(programs, 'pg_ctl'), ['promote', '-w', '-D', data], options),
  }
}

test.skipIf(!process.env.TEST_DATABASE_URL)(
  'openServer chooses the writable one of a primary and its standby',
  async () => {
    const primary = await startTemporaryPostgres()
    if (!primary) throw new Error('a server to test on, and no programs of one')
    onTestFinished(primary.stop)
    const standby = await startStandby(primary.url)
    const { host } = new URL(primary.url)
    const alone = () =>
      openServer({ url: primary.url.replace(host, standby.host), onConnectionError: () => {} })
    await waitFor(() => expect(alone()).rejects.toThrow(/o servidor só aceita leitura/), { timeout: 30_000 })
    const url = `${primary.url.replace(host, `${standby.host},${host}`)}?target_session_attrs=read-write`
    const database = await openServer({ url, onConnectionError: () => {} })
    onTestFinished(database.close)
    await migrate(database.db)
    const write = (name: string) =>
      database.db.insertInto('portal_facts').values({ name, value: 'x' }).execute()
    await write('before')
    await primary.stop()
    standby.promote()
    await waitFor(() => write('after'), { timeout: 20_000, interval: 100 })
    const facts = await database.db.selectFrom('portal_facts').select('name').execute()
    expect(facts.map(({ name }) => name)).toContain('after')
  },
  SLOW,
)
