import { fsyncSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { Kysely, PGliteDialect } from 'kysely'
import { type Database, DatabaseOpenError } from './database.ts'
import { lockDirectory } from './directory-lock.ts'
import type { Tables } from './schema.ts'

/** PGlite starts with fsync off; without -F, and with fsync reaching the disk, a power cut loses nothing acknowledged. */
const DURABLE_START = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]

interface EmscriptenModule {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => void } }
}

/** The ordinary file system of PGlite, whose fsync does nothing, with an fsync that reaches the disk. */
class DurableNodeFS extends NodeFS {
  override async init(pg: PGlite, options: Parameters<NodeFS['init']>[1]) {
    const { emscriptenOpts } = await super.init(pg, options)
    const makeDurable = (module: unknown) => {
      ;(module as EmscriptenModule).NODEFS.stream_ops.fsync = (stream) => fsyncSync(stream.nfd)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...asList(emscriptenOpts.preRun), makeDurable] } }
  }
}

function asList<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/**
 * Opens the embedded database in a directory that this process claims for itself.
 * @throws DatabaseOpenError when the directory is in use or cannot be written
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const release = lockDirectory(dataDir)
  try {
    const database = await openPglite({
      fs: new DurableNodeFS(join(dataDir, 'postgres')),
      startParams: DURABLE_START,
    })
    return {
      ...database,
      async close() {
        await database.close()
        release()
      },
    }
  } catch (error) {
    release()
    throw new DatabaseOpenError(
      `Não foi possível abrir o banco embutido em ${dataDir}: ${(error as Error).message}`,
    )
  }
}

/** Makes a PGlite with what the migrations ask for. */
export function createPglite(options: PGliteOptions): Promise<PGlite> {
  return PGlite.create({ ...options, extensions: { pg_trgm } })
}

/** Opens PGlite with the given options; tests pass an in-memory one. */
export async function openPglite(options: PGliteOptions): Promise<Database> {
  const pglite = await createPglite(options)
  return {
    kind: 'embedded',
    db: new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) }),
    async runPrepared<Row>(statement: { text: string }, values: unknown[]) {
      const result = await pglite.query<Row>(statement.text, values)
      return result.rows
    },
    listen(channel, onWake) {
      const listening = pglite.listen(channel, () => onWake())
      listening.then(onWake, () => {})
      return async () => (await listening)()
    },
    close: () => pglite.close(),
  }
}
