import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROFILE_FIELDS } from '#contract/users.ts'
import { root } from '#scripts/run-command.mjs'
import { DIRECTOR } from './people.ts'
import { runSql } from './postgres.ts'
import { type RunningProcess, runProcess, waitUntilAnswers } from './processes.ts'
import { say } from './run-task.ts'

const FOLDER = join(root, 'proof', 'bench', 'peers')
const run = promisify(execFile)

/** Whether node_modules holds the versions that package.json pins. */
function isInstalled(): boolean {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.entries(dependencies).every(([name, version]) => {
    const file = join(FOLDER, 'node_modules', name, 'package.json')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version
  })
}

/** Installs the peers and the load generator, which the project itself does not need, when they are missing. */
export async function installPeers(): Promise<void> {
  if (isInstalled()) return
  say('installing proof/bench/peers …')
  await run('npm', ['ci', '--no-fund', '--no-audit'], { cwd: FOLDER, shell: process.platform === 'win32' })
}

interface Load {
  url: string
  headers: Record<string, string>
  connections: number
  seconds: number
}

export interface LoadResult {
  requests: number
  perSecond: number
  p99Ms: number
}

/**
 * Loads an address with autocannon, in a process of its own.
 * @throws Error when any reply is not 2xx: a server that refuses is fast
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const limit = { timeout: (load.seconds + 30) * 1000 }
  const { stdout } = await run(process.execPath, [join(FOLDER, 'run-load.mjs'), JSON.stringify(load)], limit)
  const result = JSON.parse(stdout) as LoadResult & { failures: number }
  if (result.failures > 0) throw new Error(`${result.failures} replies of ${load.url} were not 2xx`)
  return result
}

/** The profile's columns in the portal's own table, and the policy for own rows as lite's PATTERNS.md writes it. */
async function schemaLike(portalDatabaseUrl: string): Promise<string> {
  const { rows } = await runSql(portalDatabaseUrl, (client) =>
    client.query<{ columns: string }>(
      `select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ') as columns
      from pg_attribute where attrelid = 'profiles'::regclass and attname = any($1)`,
      [PROFILE_FIELDS],
    ),
  )
  return `
  do $$ begin
    if not exists (select from pg_roles where rolname = 'authenticated') then create role authenticated nologin; end if;
  end $$;
  create table profiles (${rows[0]?.columns}, primary key (id), unique (user_id));
  alter table profiles enable row level security;
  create policy "select own" on profiles for select to authenticated using (auth.uid() = user_id);`
}

/** Where lite answers the signed-in person's own profile, and the headers that this takes. */
interface StartedLite extends RunningProcess {
  profileUrl: string
  headers: Record<string, string>
}

/** Starts @supabase/lite on a database of its own with the portal's profiles in it and one of them signed in. */
export async function startLite(
  port: number,
  databaseUrl: string,
  portalDatabaseUrl: string,
): Promise<StartedLite> {
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    JWT_SECRET: 'a secret of this run alone, 32 or more',
    SCHEMA: await schemaLike(portalDatabaseUrl),
  }
  const started = runProcess(process.execPath, ['proof/bench/peers/serve-lite.mjs'], { env })
  const url = `http://127.0.0.1:${port}`
  await waitUntilAnswers(`${url}/auth/v1/health`, started)
  const { access_token, user } = await signUp(url)
  await copyProfiles(portalDatabaseUrl, databaseUrl, user.id)
  return {
    ...started,
    profileUrl: `${url}/rest/v1/profiles?select=*&user_id=eq.${user.id}`,
    headers: { authorization: `Bearer ${access_token}`, accept: 'application/vnd.pgrst.object+json' },
  }
}

interface LiteSession {
  access_token: string
  user: { id: string }
}

async function signUp(url: string): Promise<LiteSession> {
  const reply = await fetch(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(DIRECTOR),
  })
  if (!reply.ok) throw new Error(`lite's sign-up answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as LiteSession
}

/** The same rows as the portal's, the signed-in person's under the id that lite has given out. */
async function copyProfiles(portalDatabaseUrl: string, databaseUrl: string, userId: string): Promise<void> {
  const columns = PROFILE_FIELDS.map((name) =>
    name === 'user_id' ? 'case when email = $1 then $2 else user_id end as user_id' : name,
  )
  const { rows } = await runSql(portalDatabaseUrl, (client) =>
    client.query(`select ${columns} from profiles`, [DIRECTOR.email, userId]),
  )
  await runSql(databaseUrl, async (client) => {
    await client.query('insert into profiles select * from json_populate_recordset(null::profiles, $1)', [
      JSON.stringify(rows),
    ])
    await client.query('analyze')
  })
}

/** Starts the bare server on the portal's own database. @returns the address that answers this user's profile */
export async function startBareNode(
  port: number,
  databaseUrl: string,
  userId: string,
): Promise<RunningProcess & { profileUrl: string }> {
  const env = { DATABASE_URL: databaseUrl, PORT: String(port), COLUMNS: PROFILE_FIELDS.join(', ') }
  const started = runProcess(process.execPath, ['proof/bench/peers/serve-bare-node.ts'], { env })
  const profileUrl = `http://127.0.0.1:${port}/${userId}`
  await waitUntilAnswers(profileUrl, started)
  return { ...started, profileUrl }
}
