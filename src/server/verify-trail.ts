// `npm run verify-trail`: compares the trail with its chains of hashes, without changes.

import { readFileSync } from 'node:fs'
import type { Database } from './database/database.ts'
import { CHAIN_NAMES, type Chain } from './operations/trail-chain.ts'
import { type Anchor, type ChainReport, findAnchors, verifyChain } from './operations/verify-trail.ts'
import { runDatabaseCommand, withDatabase } from './operator-command.ts'
import { formatCommand } from './version.ts'

const USAGE = `Uso: ${formatCommand('verify-trail')} [SELO | ARQUIVO]…   confere a trilha com a sua corrente de selos

  SELO      um que foi guardado fora do banco (AUDIT_HASH_MAIL), como audit:120:9f2c…
  ARQUIVO   um texto com selos, como os e-mails guardados

Termina com 0 se está intacta, 1 se não pôde conferir, 2 se algo foi alterado, removido, inserido ou reordenado,
3 se um selo guardado só confere com uma restauração registrada.`
const FORGED = 2
const RESTORED = 3

const NAMES: Record<Chain, string> = { audit: 'Trilha de auditoria', access: 'Registros de acesso' }

await runDatabaseCommand(USAGE, async (config, args) => {
  const found = args.map((arg) => findAnchors(/^(audit|access):/.test(arg) ? arg : readFileSync(arg, 'utf8')))
  if (found.some((anchors) => anchors.length === 0)) return undefined
  const anchors = found.flat()
  const reports = await withDatabase(config, (database) => verifyChains(database, anchors))
  const isForged = reports.some(([, { faults }]) => faults > 0)
  const isRestored = reports.some(([, { restored }]) => restored > 0)
  if (isForged || isRestored) process.exitCode = isForged ? FORGED : RESTORED
  return [
    ...reports.map(([chain, report]) => formatReport(NAMES[chain], report)),
    isForged
      ? 'A trilha NÃO confere. Guarde o banco como está e veja docs/operations.md, “The trail”.'
      : isRestored
        ? 'A trilha confere, se houve essa restauração e se esses selos são de antes dela.'
        : formatAdvice(reports.map(([, report]) => report)),
  ].join('\n')
})

/** In one snapshot: the portal goes on writing. */
function verifyChains({ db }: Database, anchors: Anchor[]): Promise<[Chain, ChainReport][]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const reports: [Chain, ChainReport][] = []
      for (const name of CHAIN_NAMES) {
        const own = anchors.filter(({ chain }) => chain === name)
        reports.push([name, await verifyChain(transaction, name, own)])
      }
      return reports
    })
}

function formatAdvice(reports: ChainReport[]): string {
  const anchors = reports.flatMap(({ position, anchor }) => (position > 0 ? [anchor] : []))
  return anchors.length === 0
    ? 'Ainda não há o que conferir: os selos começam com o portal no ar.'
    : `A trilha confere. Guarde fora do banco: ${anchors.join(' ')}`
}

function formatReport(name: string, report: ChainReport): string {
  const { entries, erasures, unsealed, checkpoint, position, faults, findings, notes } = report
  const count = (number: number, one: string, many: string) =>
    `${number.toLocaleString('pt-BR')} ${number === 1 ? one : many}`
  if (position === 0) return `${name}: ainda sem selos (${count(unsealed, 'linha', 'linhas')}).`
  const parts = [
    `${count(entries, 'linha conferida', 'linhas conferidas')}`,
    `selos ${checkpoint + 1} a ${position}`,
    ...(checkpoint > 0
      ? [`os ${checkpoint.toLocaleString('pt-BR')} anteriores saíram com o prazo de guarda`]
      : []),
    ...(erasures > 0
      ? [`${count(erasures, 'linha selada', 'linhas seladas')} de novo após exclusão de pessoas`]
      : []),
    ...(unsealed > 0 ? [`${count(unsealed, 'linha', 'linhas')} ainda sem selo`] : []),
  ]
  const more = faults > findings.length ? [`  - e mais ${faults - findings.length}`] : []
  return [
    `${name}: ${parts.join('; ')}. ${faults === 0 ? 'Intacta.' : `${count(faults, 'falha', 'falhas')}:`}`,
    ...findings.map((finding) => `  - ${finding}`),
    ...more,
    ...notes.map((note) => `  (${note})`),
  ].join('\n')
}
