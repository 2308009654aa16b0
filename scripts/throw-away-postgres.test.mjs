import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findPostgres } from './find-programs.mjs'
import { root } from './run-command.mjs'
import { startTemporaryPostgres } from './throw-away-postgres.mjs'

const hasPostgres = (await findPostgres()) !== undefined

/** @param {string} url */
async function fetchDataFolder(url) {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query("select current_setting('data_directory') as folder")
  await client.end()
  return rows[0].folder
}

/** @param {string} folder */
async function waitUntilGone(folder) {
  for (let tries = 0; existsSync(folder) && tries < 100; tries++) await wait(50)
  return !existsSync(folder)
}

test.runIf(hasPostgres)('the cluster accepts connections until stopped and leaves no files', async () => {
  const cluster = await startTemporaryPostgres()
  if (!cluster) throw new Error('no cluster')
  const folder = await fetchDataFolder(cluster.url)
  expect(existsSync(folder)).toBe(true)
  await cluster.stop()
  expect(existsSync(folder)).toBe(false)
  await expect(fetchDataFolder(cluster.url)).rejects.toThrow()
})

test.runIf(hasPostgres)('the cluster ends with a killed process', async () => {
  const command = [
    'scripts/throw-away-postgres.mjs',
    '--',
    'sh',
    '-c',
    'echo $TEST_DATABASE_URL; exec sleep 5',
  ]
  const env = { ...process.env, TEST_DATABASE_URL: '' }
  const owner = spawn(process.execPath, command, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(owner.stdout, 'data')
  const folder = await fetchDataFolder(String(url).trim())
  owner.kill('SIGKILL')
  expect(await waitUntilGone(folder)).toBe(true)
})
