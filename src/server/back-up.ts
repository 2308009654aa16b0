// `npm run backup -- FILE` and `npm run restore -- FILE`, on the configured database.

import {
  closeSync,
  createWriteStream,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { createGzip } from 'node:zlib'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import { formatInstant } from './mail/compose-mail.ts'
import {
  BackUpError,
  type BackUpSummary,
  hasTables,
  loadTrail,
  recordBackUp,
  recordRestore,
  restoreBackUp,
  sendHeldMail,
  verifyBackUp,
  writeBackUp,
} from './operations/back-up.ts'
import { fetchServedBackUp } from './operations/back-up-socket.ts'
import {
  applyRevocations,
  formatRevocations,
  hasRevocations,
  type LostDatabase,
  listRevocations,
  type Revocations,
} from './operations/revocations.ts'
import { createCliContext, runOperatorCommand, withDatabase } from './operator-command.ts'
import { formatCommand } from './version.ts'

const USAGE = `Uso: ${formatCommand('backup')} ARQUIVO
     ${formatCommand('restore')} ARQUIVO [--lost ONDE [--apply]]   em um banco vazio
     ${formatCommand('restore')} --lost ONDE [--apply]             depois, no banco restaurado
     ${formatCommand('restore')} --send-held-mail                  envia os e-mails que a restauração reteve, e retoma os relatórios por e-mail

--lost lista o que foi retirado depois da cópia: contas, administração, aprovações, acessos, senhas,
segundas etapas, contas Microsoft e convites.
ONDE é o banco perdido (a URL ou a pasta), uma cópia dele, ou um arquivo com o histórico, uma linha de JSON por registro.
--apply retira tudo de novo.`

/** Owner only: a backup contains everything. */
const FILE_MODE = 0o600
/** Suffix of a file that is being written; no other program has it. */
const PART = '.patio.part'
/** Longer than a back-up in progress writes nothing: its trial restore takes seconds. */
const STALE_PART_MS = 60 * 60_000

/** Writes a backup; renames it to the given name only after a trial restore. */
async function backUp(config: Config, file: string): Promise<string> {
  if (existsSync(file)) throw new BackUpError(`${file} já existe. Escolha outro nome.`)
  const part = `${file}${PART}`
  rmSync(part, { force: true })
  removeStaleParts(dirname(file))
  removeOnSignals(part)
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

/** Removes what killed back-ups have left in the folder, under whatever name. */
function removeStaleParts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.endsWith(PART) && Date.now() - statSync(path).mtimeMs > STALE_PART_MS)
      rmSync(path, { force: true })
  }
}

/** Ctrl+C, a closed terminal or a supervisor ends the process without its finally blocks. */
function removeOnSignals(path: string): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      rmSync(path, { force: true })
      process.exit(1)
    })
}

interface RestoreOptions {
  /** URL, folder or file. */
  lost: string | undefined
  apply: boolean
}

async function restore(config: Config, file: string | undefined, options: RestoreOptions): Promise<string> {
  const run = (lost?: LostDatabase) =>
    withDatabase(config, async (database) => {
      if (!file && !(await hasTables(database.db)))
        throw new BackUpError('O banco de destino está vazio. Informe também o ARQUIVO da cópia.')
      const lines = file ? [await restoreFile(database, file)] : []
      if (!lost) return [...lines, WITHOUT_LOST].join('\n')
      const revocations = await listRevocations(database.db, lost)
      lines.push(...formatRevocations(revocations))
      if (!hasRevocations(revocations)) return lines.join('\n')
      lines.push(options.apply ? await apply(database, revocations) : formatApplyHint(options.lost as string))
      return lines.join('\n')
    })
  // Opened before anything is restored.
  return options.lost ? withLostDatabase(options.lost, run) : run()
}

const WITHOUT_LOST =
  'O que foi retirado depois da cópia está de volta: contas excluídas, administração, aprovações, acessos, senhas, segundas etapas, contas Microsoft e convites. --lost mostra o quê.'
const formatApplyHint = (lost: string) =>
  `Antes de iniciar o portal, retire tudo de novo: ${formatCommand('restore')} --lost ${lost.startsWith('postgres') ? 'URL' : lost} --apply`

async function restoreFile(database: Database, file: string): Promise<string> {
  const summary = await restoreBackUp(database, file)
  await recordRestore(await createCliContext(database, 'restore'), summary)
  return [
    `Cópia de ${formatInstant(new Date(summary.at))} restaurada: ${summarize(summary)}.`,
    `Todos entram de novo com a senha. E-mails que não tinham saído e relatórios por e-mail ficam retidos: ${formatCommand('restore')} --send-held-mail.`,
  ].join('\n')
}

/** Opens the lost database, or loads a backup or the trail of it into memory. */
async function withLostDatabase<T>(place: string, work: (lost: LostDatabase) => Promise<T>): Promise<T> {
  const isUrl = /^postgres(ql)?:/.test(place)
  const isFolder = !isUrl && statSync(place).isDirectory()
  if (isFolder && !existsSync(join(place, 'postgres')))
    throw new BackUpError(`${place} não tem um banco de dados do portal. Informe a pasta de DATA_DIR.`)
  if (isUrl || isFolder)
    return withDatabase({ databaseUrl: isUrl ? place : undefined, dataDir: place }, ({ db }) =>
      work({ db, hasPeople: true }),
    )
  const { openPglite } = await import('./database/open-embedded.ts')
  const database = await openPglite({})
  try {
    const hasPeople = isGzip(place)
    if (hasPeople) await restoreBackUp(database, place)
    else await loadTrail(database.db, place)
    return await work({ db: database.db, hasPeople })
  } finally {
    await database.close()
  }
}

function isGzip(file: string): boolean {
  const start = Buffer.alloc(2)
  const descriptor = openSync(file, 'r')
  readSync(descriptor, start)
  closeSync(descriptor)
  return start.toString('hex') === '1f8b'
}

async function apply(database: Database, revocations: Revocations): Promise<string> {
  const context = await createCliContext(database, 'restore')
  const hasAdministrator = await applyRevocations(context, revocations)
  return hasAdministrator
    ? 'Retirado de novo.'
    : `Retirado de novo. Nenhum administrador restou: ${formatCommand('admin')} grant EMAIL, ou create EMAIL.`
}

function summarize({ rowCounts }: BackUpSummary): string {
  const count = (table: string, one: string, many: string) => {
    const rows = rowCounts[table] ?? 0
    return `${rows} ${rows === 1 ? one : many}`
  }
  const audit = count('audit_entries', 'registro de auditoria', 'registros de auditoria')
  return `${count('profiles', 'pessoa', 'pessoas')}, ${count('support_messages', 'mensagem', 'mensagens')}, ${audit}`
}

await runOperatorCommand(USAGE, async (config, args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      lost: { type: 'string' },
      apply: { type: 'boolean', default: false },
      'send-held-mail': { type: 'boolean' },
    },
  })
  const [command, name, ...rest] = positionals
  if (command === 'restore' && values['send-held-mail'] && !name)
    return `${await withDatabase(config, ({ db }) => sendHeldMail(db))} e-mails serão enviados agora. Os relatórios por e-mail voltam aos seus horários.`
  const { lost, apply } = values
  const file = name && resolve(name)
  if (rest.length > 0 || (apply && !lost)) return undefined
  if (command === 'backup' && file && !lost) return backUp(config, file)
  if (command === 'restore' && (file || lost)) return restore(config, file, { lost, apply })
  return undefined
})
