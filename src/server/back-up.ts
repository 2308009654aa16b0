// `npm run backup -- FILE` and `npm run restore -- FILE`, on the configured database.

import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { createGzip } from 'node:zlib'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type Database, DatabaseOpenError } from './database/database.ts'
import { openDatabase } from './database/open-database.ts'
import { createLog } from './log.ts'
import { formatInstant } from './mail/compose-mail.ts'
import {
  BackUpError,
  type BackUpSummary,
  listDeletedSince,
  recordBackUp,
  restoreBackUp,
  sendHeldMail,
  verifyBackUp,
  writeBackUp,
} from './operations/back-up.ts'
import { fetchServedBackUp } from './operations/back-up-socket.ts'
import { formatCommand } from './version.ts'

const USAGE = `Uso: ${formatCommand('backup')} ARQUIVO
     ${formatCommand('restore')} ARQUIVO [--lost URL|PASTA]   em um banco vazio; --lost: o banco perdido, se ainda responde,
                                                     para listar quem foi excluído depois da cópia
     ${formatCommand('restore')} --send-held-mail             envia os e-mails que a restauração reteve`

/** Owner only: a backup contains everything. */
const FILE_MODE = 0o600

function open(config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Database> {
  return openDatabase(config, createLog('warn'))
}

/** Runs work on the database without time-outs, and closes it. */
async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await open(config)
  const unlimited = await database.openWithoutTimeouts?.()
  try {
    return await work(unlimited ?? database)
  } finally {
    await unlimited?.close()
    await database.close()
  }
}

/** Writes a backup; renames it to the given name only after a trial restore. */
async function backUp(config: Config, file: string): Promise<string> {
  if (existsSync(file)) throw new BackUpError(`${file} já existe. Escolha outro nome.`)
  const part = `${file}.part`
  rmSync(part, { force: true })
  const gzip = createGzip()
  const written = pipeline(gzip, createWriteStream(part, { flags: 'wx', mode: FILE_MODE }))
  const keep = async () => {
    await written
    const summary = await verifyBackUp(part)
    renameSync(part, file)
    return summary
  }
  const take = async () =>
    (config.databaseUrl ? undefined : await fetchServedBackUp(config.dataDir, gzip, keep)) ??
    (await withDatabase(config, async ({ db }) => {
      await writeBackUp(db, gzip)
      const summary = await keep()
      await recordBackUp(db)
      return summary
    }))
  try {
    // A full disk is reported only by the file stream.
    const [summary] = await Promise.all([take(), written])
    return `Cópia gravada em ${file} e restaurada para teste: ${summarize(summary)}.`
  } finally {
    rmSync(part, { force: true })
  }
}

async function restore(config: Config, file: string, lost: string | undefined): Promise<string> {
  return withDatabase(config, async (database) => {
    const summary = await restoreBackUp(database, file)
    const lines = [
      `Cópia de ${formatInstant(new Date(summary.at))} restaurada: ${summarize(summary)}.`,
      `Todos entram de novo com a senha. E-mails que não tinham saído ficam retidos: ${formatCommand('restore')} --send-held-mail.`,
      await describeDeleted(database, lost),
    ]
    return lines.join('\n')
  })
}

async function describeDeleted(restored: Database, place: string | undefined): Promise<string> {
  if (!place)
    return 'Quem foi excluído depois da cópia está de volta. Se o banco perdido ainda responde, --lost mostra quem é.'
  const isUrl = /^postgres(ql)?:/.test(place)
  const lost = await open({ databaseUrl: isUrl ? place : undefined, dataDir: place })
  try {
    const emails = await listDeletedSince(restored.db, lost.db)
    if (emails.length === 0) return 'Ninguém foi excluído depois da cópia.'
    return `Excluídos depois da cópia, a excluir de novo em /admin:\n  ${emails.join('\n  ')}`
  } finally {
    await lost.close()
  }
}

function summarize({ rowCounts }: BackUpSummary): string {
  const count = (table: string, one: string, many: string) => {
    const rows = rowCounts[table] ?? 0
    return `${rows} ${rows === 1 ? one : many}`
  }
  const audit = count('audit_entries', 'registro de auditoria', 'registros de auditoria')
  return `${count('profiles', 'pessoa', 'pessoas')}, ${count('support_messages', 'mensagem', 'mensagens')}, ${audit}`
}

async function run(args: string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { lost: { type: 'string' }, 'send-held-mail': { type: 'boolean' } },
  })
  const [command, name, ...rest] = positionals
  const config = readConfig(process.env)
  if (command === 'restore' && values['send-held-mail'] && !name)
    return `${await withDatabase(config, ({ db }) => sendHeldMail(db))} e-mails serão enviados agora.`
  if (!name || rest.length > 0) throw new BackUpError(USAGE)
  const file = resolve(name)
  if (command === 'backup' && !values.lost) return backUp(config, file)
  if (command === 'restore') return restore(config, file, values.lost)
  throw new BackUpError(USAGE)
}

/** Formats errors that the operator can fix as their message, others with their stack. */
function explain(error: unknown): string {
  if (error instanceof BackUpError || error instanceof ConfigError || error instanceof DatabaseOpenError)
    return error.message
  const { code, message, stack } = error as NodeJS.ErrnoException
  if (code?.startsWith('ERR_PARSE_ARGS')) return USAGE
  return code?.startsWith('E') ? message : (stack ?? message)
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
