import { chmodSync, fsyncSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PGlite, type PGliteOptions, types } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { Kysely, PGliteDialect } from 'kysely'
import type { Log } from '#server/log.ts'
import { type Database, DatabaseOpenError } from './database.ts'
import { lockDirectory } from './directory-lock.ts'
import type { Tables } from './schema.ts'

/** PGlite turns fsync off by default; with fsync, a power cut loses no acknowledged write. */
const DURABLE_START = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]

interface EmscriptenModule {
  NODEFS: {
    stream_ops: { fsync?: (stream: { nfd: number }) => void }
    node_ops: { setattr: (node: unknown, attributes: { mode?: number }) => void }
  }
}

/** Permission bits of group and others. */
const GROUP_AND_OTHERS = 0o077

/**
 * PGlite's file system, with an fsync that reaches the disk (PGlite's does nothing) and with files
 * that only the owner may access (PGlite's are world-writable).
 */
export class DurableNodeFS extends NodeFS {
  override async init(pg: PGlite, options: Parameters<NodeFS['init']>[1]) {
    const { emscriptenOpts } = await super.init(pg, options)
    const patch = (module: unknown) => {
      const { stream_ops, node_ops } = (module as EmscriptenModule).NODEFS
      stream_ops.fsync = (stream) => fsyncSync(stream.nfd)
      const { setattr } = node_ops
      node_ops.setattr = (node, { mode, ...rest }) =>
        setattr(node, mode === undefined ? rest : { ...rest, mode: mode & ~GROUP_AND_OTHERS })
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [emscriptenOpts.preRun ?? [], patch].flat() } }
  }
}

/**
 * Opens the embedded database in a directory locked for this process.
 * @throws DatabaseOpenError if the directory is in use or not writable
 */
export async function openEmbedded(dataDir: string, log?: Log): Promise<Database> {
  const release = lockDirectory(dataDir)
  try {
    restrictPermissions(dataDir, log)
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

/** Removes permissions of other users from an existing data directory. */
function restrictPermissions(dataDir: string, log: Log | undefined): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return
  const postgres = join(dataDir, 'postgres')
  const files = readdirSync(dataDir).includes('postgres')
    ? [
        postgres,
        ...readdirSync(postgres, { recursive: true, encoding: 'utf8' }).map((name) => join(postgres, name)),
      ]
    : []
  // A sticky directory, such as /tmp, is shared.
  const isShared = (lstatSync(dataDir).mode & 0o1000) !== 0
  const open = [...(isShared ? [] : [dataDir]), ...files].filter((file) => {
    const stat = lstatSync(file)
    return !stat.isSymbolicLink() && (stat.mode & GROUP_AND_OTHERS) !== 0
  })
  if (open.length === 0) return
  try {
    for (const file of open) chmodSync(file, lstatSync(file).mode & 0o700)
    log?.warn(
      { dataDir, count: open.length },
      'data directory was open to other users of this machine, now closed',
    )
  } catch (error) {
    log?.warn({ dataDir, err: error }, 'data directory is open to other users of this machine')
  }
}

/** Creates a PGlite with the extensions that the migrations need. */
export function createPglite(options: PGliteOptions): Promise<PGlite> {
  // As text, so that no time zone shifts the day.
  return PGlite.create({ ...options, parsers: { [types.DATE]: String }, extensions: { pg_trgm } })
}

/** Longest time that queries may run without a turn of the event loop. */
const MAX_TURN_MS = 10

/** Queries follow one another in microtasks, so that a queue of them would hold up all requests. */
function yieldBetweenQueries(pglite: PGlite): void {
  const run = pglite.execProtocolRaw.bind(pglite)
  let turnedAt = 0
  pglite.execProtocolRaw = async (...given) => {
    if (performance.now() - turnedAt > MAX_TURN_MS) {
      await setImmediate()
      turnedAt = performance.now()
    }
    return run(...given)
  }
}

/** Opens PGlite with the given options; tests pass an in-memory one. */
export async function openPglite(options: PGliteOptions): Promise<Database> {
  const pglite = await createPglite(options)
  yieldBetweenQueries(pglite)
  return {
    kind: 'embedded',
    db: new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) }),
    runPrepared: async <Row>(text: string, values: unknown[]) => (await pglite.query<Row>(text, values)).rows,
    listen(channel, onNotification) {
      const listening = pglite.listen(channel, () => onNotification())
      listening.then(onNotification, () => {})
      return async () => (await listening)()
    },
    close: () => pglite.close(),
  }
}
