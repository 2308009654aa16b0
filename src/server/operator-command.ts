import { toLines } from '#contract/text-rules.ts'
import { type Config, ConfigError, readConfig, readDatabasePlace } from './config.ts'
import { type Database, DatabaseOpenError } from './database/database.ts'
import { startDatabaseClock } from './database/database-clock.ts'
import { openDatabase } from './database/open-database.ts'
import { explainDatabaseFailure, findCause } from './doctor/explain-error.ts'
import type { PublicContext } from './http/context.ts'
import { ProblemError } from './http/problem-error.ts'
import { createLog } from './log.ts'
import { AdminError, createCliRequest } from './operations/admin-commands.ts'
import { BackUpError } from './operations/back-up.ts'

/** Runs work on a database without time-outs, and closes it. */
export async function withDatabase<T>(place: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(place, createLog('warn'))
  const unlimited = await database.openWithoutTimeouts?.()
  try {
    return await work(unlimited ?? database)
  } finally {
    await unlimited?.close()
    await database.close()
  }
}

/** Creates the context of a command, by the database's clock; its entries come from the terminal. */
export async function createCliContext(database: Database, command: string): Promise<PublicContext> {
  const { now: clock, stop } = await startDatabaseClock(database)
  stop()
  return { db: database.db, clock, request: createCliRequest(command) }
}

/**
 * Runs a command of the operator, and writes its output or what is wrong.
 * @param run returns the output; undefined for wrong arguments. It may set the exit code
 */
export const runOperatorCommand = (usage: string, run: Run<Config>) => runCommand(usage, readConfig, run)

/** The same for a command that needs no setting but the database's. */
export const runDatabaseCommand = (usage: string, run: Run<Place>) =>
  runCommand(usage, readDatabasePlace, run)

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>
type Run<C> = (config: C, args: string[]) => Promise<string | undefined>

async function runCommand<C extends Place>(
  usage: string,
  read: (environment: NodeJS.ProcessEnv) => C,
  run: Run<C>,
): Promise<void> {
  let config: C | undefined
  // `less` and `head` close it early.
  process.stdout.once('error', () => process.exit())
  try {
    config = read(process.env)
    const output = await run(config, process.argv.slice(2))
    if (output !== undefined) {
      process.stdout.write(`${output}\n`)
      return
    }
    process.stderr.write(`${usage}\n`)
  } catch (error) {
    process.stderr.write(`${toLines(explain(error, usage, config?.databaseUrl))}\n`)
    const { code } = error as NodeJS.ErrnoException
    // A question that cannot be answered as it is asked, not a fault.
    if (error instanceof ProblemError || code?.startsWith('ERR_PARSE_ARGS')) {
      process.exitCode = 2
      return
    }
  }
  process.exitCode = 1
}

/** Formats known errors as what happened and what to do, others with their stack. */
function explain(error: unknown, usage: string, databaseUrl: string | undefined): string {
  if ([AdminError, BackUpError, ConfigError, ProblemError].some((kind) => error instanceof kind))
    return (error as Error).message
  const { code, path, message, stack } = error as NodeJS.ErrnoException
  if (code?.startsWith('ERR_PARSE_ARGS')) {
    const [, option] = /'(-*[^' ]+)/.exec(message) ?? []
    const says = code.endsWith('OPTION_VALUE') ? 'Falta o valor de' : 'Não há a opção'
    return option === '--help' ? usage : `${says} ${option}.\n\n${usage}`
  }
  const failure = databaseUrl && !path ? explainDatabaseFailure(error, databaseUrl) : undefined
  if (failure) return failure
  const cause = findCause(error)
  if (error instanceof DatabaseOpenError) {
    const todo = /em uso/.test(message)
      ? 'O banco embutido é de um processo só: pare o portal e tente de novo.'
      : cause?.todo
    return todo ? `${message}\n${todo}` : message
  }
  return cause
    ? `${path ?? 'Banco de dados'}: ${cause.says} (${code}). ${cause.todo}`
    : `Erro inesperado. Relate estas linhas:\n${stack ?? message}`
}
