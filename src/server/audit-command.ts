// `npm run users`, `npm run access`, `npm run trail`: what auditors ask, without a browser.

import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { ACTION_GROUPS, type TrailFilter } from '#contract/audit.ts'
import { ACCESS_ACTIONS, AUDIT_ACTIONS } from '#contract/audit-actions.ts'
import { toCsv } from '#contract/csv.ts'
import { describeGrant, describeHindrance, formatUnknown } from '#contract/describe-change.ts'
import { foldText } from '#contract/entitlement-lists.ts'
import { isDay } from '#contract/user-rules.ts'
import { readCatalogue } from './catalogue/catalogue.ts'
import { startDatabaseClock } from './database/database-clock.ts'
import type { PublicContext } from './http/context.ts'
import { formatDateTime } from './mail/compose-mail.ts'
import { readAreaAccess, readPersonAccess } from './operations/access-on-day.ts'
import { createCliRequest } from './operations/admin-commands.ts'
import { recordAudit } from './operations/audit.ts'
import { formatReaders } from './operations/audit-handlers.ts'
import { writeTrail } from './operations/export-trail.ts'
import { runOperatorCommand, withDatabase } from './operator-command.ts'
import { listUserLines } from './users/export-list.ts'
import { formatCommand } from './version.ts'

const FORMATS = '  --csv             para planilhas, em vez de texto'
const USAGES: Record<string, string> = {
  users: `Uso: ${formatCommand('users')} [--csv]

${FORMATS}`,
  access: `Uso: ${formatCommand('access')} --report ÁREA-OU-RELATÓRIO | --person E-MAIL [--on 2026-11-01] [--csv]

  --report NOME     quem pode ver os relatórios dessa área
  --person E-MAIL   o que essa pessoa pode ver, e por quê
  --on DIA          como era no fim desse dia; sem ele, agora
${FORMATS}`,
  trail: `Uso: ${formatCommand('trail')} [--since DIA] [--until DIA] [--person QUEM] [--actor QUEM] [--action ATO] [--area ÁREA] [--csv | --json]

  --person QUEM     com quem aconteceu: e-mail, ou o pseudônimo de uma conta excluída
  --actor QUEM      quem fez; portal é o próprio portal
  --action ATO      ${ACTION_GROUPS.join(', ')} ou o código de um ato, como approval-given
${FORMATS}
  --json            uma linha de JSON por registro`,
}

type Values = Record<string, string | boolean | undefined>
type Command = (context: PublicContext, values: Values) => Promise<string | undefined>

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const OPTIONS: Record<string, Record<string, typeof text | typeof flag>> = {
  users: { csv: flag },
  access: { report: text, person: text, on: text, csv: flag },
  trail: {
    ...{ since: text, until: text, person: text, actor: text, action: text, area: text },
    ...{ csv: flag, json: flag },
  },
}

const toText = (lines: readonly (readonly string[])[]) =>
  lines.map((cells) => cells.filter(Boolean).join(' · ')).join('\n')
const write = (lines: readonly (readonly string[])[], { csv }: Values) =>
  csv ? toCsv(lines).trimEnd() : toText(lines)

const COMMANDS: Record<string, Command> = {
  async users(context, values) {
    const lines = await listUserLines(context.db, {}, context.clock())
    await recordAudit(context, { action: 'list-exported', after: { people: lines.length - 1 } })
    return write(lines, values)
  },
  async access(context, values) {
    const { report, person, on } = values
    if (typeof report === typeof person || (typeof on === 'string' && !isDay(on))) return undefined
    const asked = { now: context.clock(), ...(typeof on === 'string' && { on }) }
    if (typeof report === 'string') {
      const area = await findArea(context, report)
      if (!area) return `Não há área nem relatório com o nome ${report}.`
      const found = await readAreaAccess(context.db, { slug: area.code, ...asked })
      const after = { type: area.label, people: found.readers.length, ...(on && { on }) }
      await recordAudit(context, { action: 'access-exported', after })
      if (values.csv) return formatReaders(found).trimEnd()
      if (!found.known) return 'Não há registro deste dia.'
      const lines = found.readers.map(({ email, user_id, ...grant }) => [
        email ?? user_id,
        ...formatGrant(grant),
      ])
      return toText([
        [describeReaders(found.readers.length, typeof on === 'string', area.label)],
        ...lines,
        ...(found.unknown > 0 ? [[formatUnknown(found.unknown)]] : []),
      ])
    }
    const profile = await context.db
      .selectFrom('profiles')
      .select(['user_id', 'email'])
      .where('email', '=', String(person).toLowerCase())
      .executeTakeFirst()
    if (!profile) return `Não há conta com o e-mail ${person}.`
    await recordAudit(context, { action: 'access-exported', target: profile })
    const found = await readPersonAccess(context.db, { userId: profile.user_id, ...asked })
    if (!found.known) return 'Não há registro deste dia.'
    const lines = found.areas.map((area) => [area.type, ...formatGrant(area)])
    const hindrance = found.hindrance ? describeHindrance(found.hindrance, typeof on === 'string') : ''
    return write([[found.email, hindrance], ...lines], values)
  },
  async trail(context, values) {
    const { since: from, until: to, person, actor, action, area, csv, json } = values
    const isKnown = [...ACTION_GROUPS, ...AUDIT_ACTIONS, ...ACCESS_ACTIONS].includes(action as never)
    const days = [from, to].filter((day) => typeof day === 'string')
    if ((action && !isKnown) || !days.every(isDay)) return undefined
    const given = Object.entries({ from, to, person, actor, action, area }).filter(([, value]) => value)
    const filter: TrailFilter = Object.fromEntries(given)
    const format = csv ? 'csv' : json ? 'jsonl' : 'text'
    await recordAudit(context, { action: 'trail-exported', after: { format } })
    for await (const part of writeTrail(context.db, filter, format))
      if (!process.stdout.write(part)) await once(process.stdout, 'drain')
    return ''
  },
}

function describeReaders(count: number, isPast: boolean, area: string): string {
  const can = isPast ? ['podia', 'podiam'] : ['pode', 'podem']
  return `${count} ${count === 1 ? `pessoa ${can[0]}` : `pessoas ${can[1]}`} ver ${area}`
}

interface Grant {
  since: string | null
  through: string | null
  until: string | null
}

const formatGrant = ({ since, through, until }: Grant) => [
  since ? `desde ${formatDateTime(new Date(since))}` : 'desde antes do registro',
  describeGrant(through),
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
await runOperatorCommand(USAGES[name] ?? Object.values(USAGES).join('\n\n'), async (config, [, ...args]) => {
  const command = COMMANDS[name]
  const options = OPTIONS[name]
  if (!command || !options) return undefined
  const { values } = parseArgs({ args, options })
  return withDatabase(config, async (database) => {
    const { now: clock, stop } = await startDatabaseClock(database)
    stop()
    return command({ db: database.db, clock, request: createCliRequest(name) }, values as Values)
  })
})
