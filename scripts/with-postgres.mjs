// `node scripts/with-postgres.mjs -- <command…>`: runs a command with TEST_DATABASE_URL naming a PostgreSQL, the one
// that is set already or else a throw-away cluster.
import { failWith } from './fail-with.mjs'
import { toolEnvironment } from './pinned-node.mjs'
import { runCommand } from './run-command.mjs'
import { startThrowAwayPostgres } from './throw-away-postgres.mjs'

const [separator, ...rest] = process.argv.slice(2)
const [command, ...args] = separator === '--' ? rest : process.argv.slice(2)

/** @param {string} program */
async function runWithPostgres(program) {
  const cluster = process.env.TEST_DATABASE_URL ? undefined : await startThrowAwayPostgres()
  const url = process.env.TEST_DATABASE_URL || cluster?.url
  if (!url)
    throw new Error('Nenhum PostgreSQL 15 ou mais novo encontrado. Instale um ou defina TEST_DATABASE_URL.')
  try {
    const { status, output } = await runCommand(program, args, {
      env: toolEnvironment({ TEST_DATABASE_URL: url }),
    })
    if (output) process.stderr.write(`${output}\n`)
    process.exitCode = status
  } finally {
    await cluster?.stop()
  }
}

if (command) await runWithPostgres(command).catch(failWith)
else failWith('Uso: node scripts/with-postgres.mjs -- <comando…>')
