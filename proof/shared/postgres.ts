import pg from 'pg'
import { startTemporaryPostgres } from '#scripts/throw-away-postgres.mjs'
import { type CleanUp, makeTempFolder } from './run-task.ts'

/**
 * Returns the PostgreSQL server of TEST_DATABASE_URL, or
 * starts a temporary cluster that ends with the run.
 */
export async function openPostgres(cleanUp: CleanUp): Promise<string> {
  if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL
  const cluster = await startTemporaryPostgres()
  if (!cluster)
    throw new Error('There is no PostgreSQL 15 or later here; install one or set TEST_DATABASE_URL.')
  cleanUp(cluster.stop)
  return cluster.url
}

/** Runs statements on a temporary connection. */
export async function runSql<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Creates an empty database on the server, dropped when the run ends.
 * @returns its URL
 */
export async function createDatabase(serverUrl: string, name: string, cleanUp: CleanUp): Promise<string> {
  const unique = `patio_bench_${name}_${process.pid}`
  await runSql(serverUrl, (client) => client.query(`create database ${unique}`))
  cleanUp(() => runSql(serverUrl, (client) => client.query(`drop database ${unique} with (force)`)))
  const url = new URL(serverUrl)
  url.pathname = `/${unique}`
  return url.href
}

/**
 * Creates an empty PostgreSQL database and an empty data
 * directory; both are removed when the run ends.
 * @returns the two as a portal's environment
 */
export async function prepareDatabase(
  name: string,
  cleanUp: CleanUp,
): Promise<{ DATABASE_URL: string; DATA_DIR: string }> {
  const DATABASE_URL = await createDatabase(await openPostgres(cleanUp), name, cleanUp)
  return { DATABASE_URL, DATA_DIR: makeTempFolder(cleanUp) }
}
