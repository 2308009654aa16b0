import type { KyselyPlugin } from 'kysely'
import type { Database } from '#server/database/database.ts'

/** Counts the queries of a database, how many run at once at most, and the rows that Kysely's return. */
export function countQueries(database: Database) {
  const seen = { queries: 0, running: 0, mostAtOnce: 0, rows: 0 }
  const start = () => {
    seen.queries++
    seen.mostAtOnce = Math.max(seen.mostAtOnce, ++seen.running)
  }
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      start()
      return node
    },
    async transformResult({ result }) {
      seen.running--
      seen.rows += result.rows.length
      return result
    },
  }
  const runPrepared: Database['runPrepared'] = async (...given) => {
    start()
    try {
      return await database.runPrepared(...given)
    } finally {
      seen.running--
    }
  }
  return { seen, database: { ...database, db: database.db.withPlugin(plugin), runPrepared } }
}
