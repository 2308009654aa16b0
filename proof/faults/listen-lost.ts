import { setTimeout as wait } from 'node:timers/promises'
import { defineFault, exactly, startOnPostgres } from '#proof/shared/fault.ts'
import { timeUntil, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { runSql } from '#proof/shared/postgres.ts'
import { followChanges } from '#proof/shared/streams.ts'

const CUTS = { short: 3, whole: 20 }

/** The connection that listens for changes is cut again and again while messages come in. */
export const listenLost = defineFault({
  name: 'LISTEN connection lost',
  needsPostgres: true,
  async run(run) {
    const { databaseUrl, portal } = await startOnPostgres(run, 'listen')
    const stream = await followChanges(portal.url, await signInAsAdmin(portal.url))
    const marks: string[] = []
    let cuts = 0
    for (let round = 0; round < (run.isShort ? CUTS.short : CUTS.whole); round++) {
      await Promise.all([writeMessage(portal.url, marks), writeMessage(portal.url, marks)])
      cuts += await cutListener(databaseUrl)
      await Promise.all([writeMessage(portal.url, marks), writeMessage(portal.url, marks)])
      await wait(150)
    }
    const written = await idsOf(databaseUrl, marks)
    const missed = () => written.filter((id) => !stream.ids.includes(id)).length
    await timeUntil(async () => missed() === 0, 10_000)
    const isOpen = stream.isOpen()
    stream.close()
    return [
      { promise: 'the listening connection was really cut', held: cuts > 0, seen: `${cuts} times` },
      exactly(`of ${written.length} new messages missed by the stream`, missed(), 0),
      { promise: 'the stream stays open', held: isOpen, seen: isOpen ? 'open' : 'closed' },
    ]
  },
})

/** @returns how many connections were cut */
function cutListener(databaseUrl: string): Promise<number> {
  return runSql(databaseUrl, async (client) => {
    const { rowCount } = await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen %' and pid <> pg_backend_pid()`)
    return rowCount ?? 0
  })
}

function idsOf(databaseUrl: string, marks: string[]): Promise<string[]> {
  return runSql(databaseUrl, async (client) => {
    const { rows } = await client.query('select id from support_messages where message = any($1)', [marks])
    return rows.map(({ id }) => id as string)
  })
}
