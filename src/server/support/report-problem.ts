import type { BodyOf } from '#contract/route.ts'
import type { supportRoutes } from '#contract/support.ts'
import { cleanLine } from '#contract/text-rules.ts'
import { findArea, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { lockProfile } from '#server/users/user-queries.ts'
import { storeMessage } from './send-message.ts'

type ProblemReport = BodyOf<typeof supportRoutes.reportProblem>

const LIMIT = { max: 5, windowSeconds: 600 }
const DAILY_LIMIT = { max: 20, windowSeconds: 86_400 }
const MAX_NAME = 100
const MAX_MESSAGE = 1000
const MAX_UNKNOWN_BROWSER = 80
/** Removes tokens that the page may quote; no word and no id is so long. */
const TOKENS = /[\w.~+/=-]{40,}/g
const MODES = { secure_sso: 'link seguro (SSO)', service_principal: 'service principal' }
/** Checked in this order, because most browsers also claim to be Chrome and Safari. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

export interface ReportProblemContext extends Context {
  consumeRateLimit: ConsumeRateLimit
}

/**
 * Stores a message about a failed report, in the name of the caller.
 * @throws ProblemError rate-limited, invalid-input for an unknown area, unauthenticated when deleted
 */
export async function reportProblem(context: ReportProblemContext, report: ProblemReport): Promise<void> {
  const { profile } = context.actor
  findArea(await readCatalogue(context.db), { label: report.type })
  await context.consumeRateLimit(`problem-report ${profile.user_id}`, LIMIT)
  await context.consumeRateLimit(`problem-report-daily ${profile.user_id}`, DAILY_LIMIT)
  await context.db.transaction().execute(async (db) => {
    // A message written during a deletion would stay.
    if (!(await lockProfile(db, profile.user_id))) throw new ProblemError('unauthenticated')
    await storeMessage(db, {
      name: cleanLine(profile.full_name ?? '').slice(0, MAX_NAME) || profile.email,
      email: profile.email,
      phone: '—',
      message: writeReport(context, report),
    })
  })
}

/** Formats the details for the IT team. */
function writeReport({ actor, request }: Context, report: ProblemReport): string {
  const { marcas, estados } = actor.profile
  const lines = [
    `Problema no relatório ${report.type}`,
    `Falha: ${report.failure}`,
    `Modo: ${MODES[report.embedMode]}`,
    `Relatório: ${report.reportId || 'não informado'}`,
    `Marcas: ${marcas.join(', ') || 'nenhuma'}`,
    `Estados: ${estados.join(', ') || 'nenhum'}`,
    `Navegador: ${describeBrowser(request.userAgent)}`,
    `Código da requisição: ${report.requestId || 'não informado'}`,
  ]
  return lines
    .map((line) => cleanLine(line).replace(TOKENS, '…'))
    .join('\n')
    .slice(0, MAX_MESSAGE)
}

/** Shortens a User-Agent to 'Chrome 141, Windows', or truncates an unknown one. */
export function describeBrowser(userAgent: string | null): string {
  if (!userAgent) return 'não informado'
  for (const [pattern, name] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1]
    if (!version) continue
    const system = SYSTEMS.find(([of]) => of.test(userAgent))?.[1]
    return system ? `${name} ${version}, ${system}` : `${name} ${version}`
  }
  return userAgent.slice(0, MAX_UNKNOWN_BROWSER)
}
