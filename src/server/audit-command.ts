// `npm run users`, `npm run access`, `npm run trail`: what auditors ask, without a browser.

import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { ACTION_GROUPS, type Reader, type TrailFilter } from '#contract/audit.ts'
import { ACCESS_ACTIONS, AUDIT_ACTIONS } from '#contract/audit-actions.ts'
import { toCsv } from '#contract/csv.ts'
import {
  describeGrant,
  describeHindrance,
  formatPseudonym,
  formatUnknown,
  nameGiver,
} from '#contract/describe-access.ts'
import { foldText } from '#contract/entitlement-lists.ts'
import { escapeJsonLine, toOneLine } from '#contract/text-rules.ts'
import { isDay } from '#contract/user-rules.ts'
import { readCatalogue } from './catalogue/catalogue.ts'
import type { PublicContext } from './http/context.ts'
import { toFieldError } from './http/problem-error.ts'
import { formatDateTime } from './mail/compose-mail.ts'
import { readAreaAccess, readPersonAccess } from './operations/access-on-day.ts'
import { recordAudit } from './operations/audit.ts'
import { formatReaders } from './operations/audit-handlers.ts'
import { fitColumn, writeTrail } from './operations/export-trail.ts'
import { resolveTrailFilter } from './operations/trail.ts'
import { createCliContext, runDatabaseCommand, withDatabase } from './operator-command.ts'
import { listUserLines } from './users/export-list.ts'
import { readUserData } from './users/export-user.ts'
import { formatCommand } from './version.ts'

const FORMATS =
  '  --csv             para planilhas e com valores inteiros; o texto corta os longos (| less -S)'
const USAGES: Record<string, string> = {
  users: `Uso: ${formatCommand('users')} [--without-second-factor] [--never-signed-in] [--csv]
     ${formatCommand('users')} --data-of QUEM

  --without-second-factor   só quem entra sem a segunda etapa do portal
  --never-signed-in   só quem nunca entrou
  --data-of QUEM    tudo o que o portal guarda dessa pessoa, em JSON: e-mail ou nome
${FORMATS}`,
  access: `Uso: ${formatCommand('access')} --report ÁREA-OU-RELATÓRIO | --person QUEM [--on 2026-11-01] [--csv]

  --report NOME     quem pode ver os relatórios dessa área
  --person QUEM     o que essa pessoa pode ver, e por quê: e-mail ou nome
  --on DIA          como era no fim desse dia; sem ele, agora
${FORMATS}`,
  trail: `Uso: ${formatCommand('trail')} [--since DIA] [--until DIA] [--person QUEM] [--actor QUEM] [--action ATO] [--area ÁREA] [--csv | --json]

  --since, --until  do primeiro ao último dia, em São Paulo: 2026-11-01
  --person QUEM     com quem aconteceu: e-mail, nome, ou o pseudônimo de uma conta excluída
  --actor QUEM      quem fez; portal é o próprio portal, servidor é quem usou estes comandos
  --action ATO      um grupo (${ACTION_GROUPS.join(', ')}) ou o código de um ato, da lista abaixo
  --area ÁREA       o que trata dos relatórios dessa área
${FORMATS}
  --json            uma linha de JSON por registro

Códigos dos atos: ${[...AUDIT_ACTIONS, ...ACCESS_ACTIONS].join(' ').replace(/(.{60,90}) /g, '$1\n  ')}`,
}

const EXITS = `

Termina com 0 se respondeu, 1 se não pôde ler, 2 se a pergunta está errada, 3 se não há nada registrado.`

type Values = Record<string, string | boolean | undefined>
type Command = (context: PublicContext, values: Values) => Promise<string | undefined>

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const OPTIONS: Record<string, Record<string, typeof text | typeof flag>> = {
  users: { csv: flag, 'without-second-factor': flag, 'never-signed-in': flag, 'data-of': text },
  access: { report: text, person: text, on: text, csv: flag },
  trail: {
    since: text,
    until: text,
    person: text,
    actor: text,
    action: text,
    area: text,
    csv: flag,
    json: flag,
  },
}

type Lines = readonly (readonly string[])[]
const toText = (...cells: readonly string[]) => toOneLine(cells.filter(Boolean).join(' · '))
/** Wide enough for most addresses. */
const MAX_WIDTH = 36

/** Formats columns that stay in place: only the last one is never cut. */
function toTable(unsafe: Lines): string {
  const lines = unsafe.map((cells) => cells.map(toOneLine))
  const widths: number[] = []
  for (const cells of lines)
    for (const [index, cell] of cells.entries())
      widths[index] = Math.min(MAX_WIDTH, Math.max(widths[index] ?? 0, cell.length))
  const fit = (cell: string, index: number, { length }: readonly string[]) =>
    index < length - 1 ? fitColumn(cell, widths[index] ?? 0) : cell
  return lines.map((cells) => cells.map(fit).join('  ').trimEnd()).join('\n')
}

const COMMANDS: Record<string, Command> = {
  async users(context, values) {
    const { 'data-of': person } = values
    if (typeof person === 'string') {
      const { person: userId = '' } = await resolveTrailFilter(context.db, { person })
      const data = await context.db.transaction().execute((db) => readUserData({ ...context, db }, userId))
      return escapeJsonLine(JSON.stringify(data, null, 2))
    }
    const filter = {
      ...(values['without-second-factor'] && { secondFactor: false }),
      ...(values['never-signed-in'] && { lastAccess: 'never' as const }),
    }
    const lines = await listUserLines(context.db, filter, context.clock())
    const after = { people: lines.length - 1, ...filter }
    await recordAudit(context, { action: 'list-exported', after })
    return values.csv ? toCsv(lines).trimEnd() : toTable(lines)
  },
  async access(context, values) {
    const { report, person, on } = values
    if (typeof report === typeof person) return undefined
    checkDay('on', on)
    const asked = { now: context.clock(), ...(typeof on === 'string' && { on }) }
    if (typeof report === 'string') {
      const area = await findArea(context, report)
      if (!area) throw toFieldError('report', `Não há área nem relatório com o nome “${report}”.`)
      const found = await readAreaAccess(context.db, { slug: area.code, ...asked })
      const after = { type: area.label, people: found.readers.length, ...(on && { on }) }
      await recordAudit(context, { action: 'access-exported', after })
      if (!found.known) process.exitCode = NOTHING
      if (values.csv) return formatReaders(found).trimEnd()
      if (!found.known) return 'Não há registro deste dia.'
      const lines = found.readers.map(({ email, user_id, marcas, estados, ...grant }) => [
        email ?? formatPseudonym(user_id),
        ...formatGrant(grant),
        [...marcas, ...estados].join(', '),
      ])
      return [
        describeReaders(found.readers.length, typeof on === 'string', area.label),
        toTable(lines),
        found.unknown > 0 ? formatUnknown(found.unknown) : '',
      ]
        .filter(Boolean)
        .join('\n')
    }
    const { person: userId = '' } = await resolveTrailFilter(context.db, { person: String(person) })
    const found = await readPersonAccess(context.db, { userId, ...asked })
    const target = { user_id: userId, email: found.email }
    await recordAudit(context, { action: 'access-exported', target })
    if (!found.known) process.exitCode = NOTHING
    if (!found.known) return 'Não há registro deste dia.'
    const lines = found.areas.map((area) => [area.type, ...formatGrant(area)])
    const hindrance = found.hindrance ? describeHindrance(found.hindrance, typeof on === 'string') : ''
    const scope = [...found.marcas, ...found.estados].join(', ')
    if (values.csv) return toCsv([[found.email, hindrance, scope], ...lines]).trimEnd()
    return `${toText(found.email, hindrance, scope)}\n${toTable(lines)}`.trimEnd()
  },
  async trail(context, values) {
    const { since: from, until: to, person, actor, action, area, csv, json } = values
    const actions: readonly string[] = [...ACTION_GROUPS, ...AUDIT_ACTIONS, ...ACCESS_ACTIONS]
    if (typeof action === 'string' && !actions.includes(action))
      throw toFieldError('action', `Não há ato nem grupo com o código “${action}”.\n\n${USAGES.trail}`)
    checkDay('since', from)
    checkDay('until', to)
    const given = Object.entries({ from, to, person, actor, action, area }).filter(([, value]) => value)
    const filter: TrailFilter = await resolveTrailFilter(context.db, Object.fromEntries(given))
    const format = csv ? 'csv' : json ? 'jsonl' : 'text'
    await recordAudit(context, { action: 'trail-exported', after: { format } })
    let parts = 0
    for await (const part of writeTrail(context.db, filter, format)) {
      if (part) parts++
      if (!process.stdout.write(part)) await once(process.stdout, 'drain')
    }
    if (parts > (csv ? 1 : 0)) return ''
    process.exitCode = NOTHING
    process.stderr.write('Nada registrado com estes filtros.\n')
    return ''
  },
}

/** The exit code of a question that was understood and of which nothing is registered. */
const NOTHING = 3

/** @throws ProblemError for what is no day */
function checkDay(option: string, day: Values[string]): void {
  if (typeof day === 'string' && !isDay(day))
    throw toFieldError(option, `--${option}: “${day}” não é um dia; escreva como 2026-11-01.`)
}

function describeReaders(count: number, isPast: boolean, area: string): string {
  const can = isPast ? ['podia', 'podiam'] : ['pode', 'podem']
  return `${count} ${count === 1 ? `pessoa ${can[0]}` : `pessoas ${can[1]}`} ver ${area}`
}

type Grant = Pick<Reader, 'since' | 'through' | 'templates' | 'by' | 'until'>

const formatGrant = ({ since, by, until, ...grant }: Grant) => [
  since ? `desde ${formatDateTime(new Date(since))}` : 'desde antes do registro',
  since ? describeGrant(grant) : '',
  since && by ? nameGiver(by) : '',
  until ? `até ${until.split('-').reverse().join('/')}` : 'sem prazo',
]

/** Finds the area of that label or slug, or the one that has a further report of that name. */
async function findArea({ db }: PublicContext, name: string) {
  const { types } = await readCatalogue(db)
  const wanted = foldText(name)
  const reports = await db
    .selectFrom('further_reports')
    .select(['type', 'name'])
    .where('deleted_at', 'is', null)
    .execute()
  const slug = reports.find((report) => foldText(report.name) === wanted)?.type
  return types.find(({ code, label }) => code === wanted || foldText(label) === wanted || code === slug)
}

const name = process.argv[2] ?? ''
const usage = (USAGES[name] ?? Object.values(USAGES).join('\n\n')) + EXITS
await runDatabaseCommand(usage, async (config, [, ...args]) => {
  const command = COMMANDS[name]
  const options = OPTIONS[name]
  if (!command || !options) return undefined
  const { values } = parseArgs({ args, options })
  return withDatabase(config, async (database) =>
    command(await createCliContext(database, name), values as Values),
  )
})
