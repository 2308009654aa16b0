// `npm run verify-trail`: compares the trail with its chains of hashes, without changes.

import type { Database } from './database/database.ts'
import { CHAIN_NAMES, type Chain } from './operations/trail-chain.ts'
import { type Anchor, type ChainReport, parseAnchor, verifyChain } from './operations/verify-trail.ts'
import { runOperatorCommand, withDatabase } from './operator-command.ts'
import { formatCommand } from './version.ts'

const USAGE = `Uso: ${formatCommand('verify-trail')} [SELO…]   confere a trilha com a sua corrente de selos

  SELO   um que foi guardado fora do banco (métrica ou e-mail), como audit:120:9f2c…

Termina com 0 se está intacta, 2 se algo foi alterado, removido, inserido ou reordenado, 1 se não pôde conferir.`
const FORGED = 2

const NAMES: Record<Chain, string> = { audit: 'Trilha de auditoria', access: 'Registros de acesso' }

await runOperatorCommand(USAGE, async (config, args) => {
  const anchors = args.map(parseAnchor)
  if (!anchors.every((anchor) => anchor !== undefined)) return undefined
  const reports = await withDatabase(config, (database) => verifyChains(database, anchors))
  const isForged = reports.some(([, { faults }]) => faults > 0)
  if (isForged) process.exitCode = FORGED
  return [
    ...reports.map(([chain, report]) => formatReport(NAMES[chain], report)),
    isForged
      ? 'A trilha NÃO confere. Guarde o banco como está e veja docs/operations.md, “The trail”.'
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
