import { hostname } from 'node:os'
import { sql } from 'kysely'
import { formatList } from '#contract/format-list.ts'
import type { Db } from '#server/database/schema.ts'
import { isConnected } from '#server/database/watch-version.ts'
import { VERSION } from '#server/version.ts'
import { type Check, check, good, type Result, warning } from './run-checks.ts'
import { GONE_AFTER_SECONDS } from './service-status.ts'

const WITHIN_MS = 25_000
const MAX_CLOCK_SKEW_MS = 2_000

/** Checks what the replicas in service say of themselves: their versions and clocks. */
export const createReplicaCheck = (db: Db): Check =>
  check('replicas', 'Réplicas', WITHIN_MS, async () => {
    const { rows } = await sql<{ host: string; version: string; ahead: number }>`
      select host, version, clock_ahead_ms as ahead from replicas
      where seen_at > now() - make_interval(secs => ${GONE_AFTER_SECONDS}) order by version, host`.execute(db)
    // This machine's clock is compared with the server's address.
    const clocks = rows
      .filter(({ host }) => host !== hostname())
      .flatMap(({ host, ahead }) => describeClock(`Relógio de ${host}`, ahead, 'banco de dados'))
    const found = [...(await describeVersions(db, rows)), ...clocks]
    if (found.length > 0) return found
    return good(
      rows.length === 0 ? 'Réplicas: nenhuma no ar.' : `Réplicas: ${rows.length} no ar, versão ${VERSION}.`,
    )
  })

/** @param aheadMs how far it is ahead of `other` */
export function describeClock(about: string, aheadMs: number, other: string): Result[] {
  if (Math.abs(aheadMs) <= MAX_CLOCK_SKEW_MS) return []
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1).replace('.', ',')
  return [
    warning(
      `${about}: ${seconds} s ${aheadMs > 0 ? 'adiantado' : 'atrasado'} em relação ao ${other}.`,
      'Ligue a sincronização de hora (NTP) nas duas máquinas.',
    ),
  ]
}

async function describeVersions(db: Db, rows: { host: string; version: string }[]): Promise<Result[]> {
  const versions = Object.groupBy(rows, ({ version }) => version)
  const named = Object.entries(versions).map(
    ([version, all = []]) => `a ${version} em ${formatList([...new Set(all.map(({ host }) => host))])}`,
  )
  if (rows.length > 0 && !versions[VERSION]) named.push(`a ${VERSION} neste comando`)
  // 0.2 says nothing of itself; goes with 0.4.
  if (await isConnected(db, '0.2.0')) named.unshift('a 0.2')
  if (named.length < 2) return []
  return [
    warning(
      `Réplicas: versões lado a lado: ${formatList(named)}.`,
      'Termine a atualização: reinicie cada réplica com a versão nova, uma por vez.',
    ),
  ]
}
