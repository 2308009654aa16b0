import type { BodyOf } from '#contract/route.ts'
import type { supportRoutes } from '#contract/support.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { cleanLine } from './clean-contact-form.ts'
import { describeBrowser } from './describe-browser.ts'
import { storeMessage } from './store-message.ts'

type ProblemReport = BodyOf<typeof supportRoutes.reportProblem>

const LIMIT = { max: 5, windowSeconds: 600 }
const LONGEST_NAME = 100
const LONGEST_MESSAGE = 1000
/** No word and no id is so long; should the page quote what failed with a token in it, it ends here. */
const TOKENS = /[\w.~+/=-]{40,}/g
const MODES = { secure_sso: 'link seguro (SSO)', service_principal: 'service principal' }

export interface ReportProblemDeps {
  db: Db
  takeFromLimit: TakeFromLimit
  nudgeOutbox: () => void
}

/**
 * Files a message about a report that failed, in the name of the person who saw it.
 * @throws ProblemError rate-limited
 */
export async function reportProblem(
  deps: ReportProblemDeps,
  { profile }: Actor,
  report: ProblemReport,
  request: RequestInfo,
): Promise<void> {
  await deps.takeFromLimit(`problem-report ${profile.user_id}`, LIMIT)
  await storeMessage(deps.db, {
    name: cleanLine(profile.full_name ?? '').slice(0, LONGEST_NAME) || profile.email,
    email: profile.email,
    phone: '—',
    message: writeReport(profile, report, request.userAgent),
  })
  deps.nudgeOutbox()
}

/** What the IT team needs to look into it. */
function writeReport({ marcas, estados }: Actor['profile'], report: ProblemReport, userAgent: string | null) {
  const lines = [
    `Problema no relatório ${report.type}`,
    `Falha: ${report.failure}`,
    `Modo: ${MODES[report.embedMode]}`,
    `Relatório: ${report.reportId || 'não informado'}`,
    `Marcas: ${marcas.join(', ') || 'nenhuma'}`,
    `Estados: ${estados.join(', ') || 'nenhum'}`,
    `Navegador: ${describeBrowser(userAgent)}`,
    `Código da requisição: ${report.requestId || 'não informado'}`,
  ]
  return lines
    .map((line) => cleanLine(line).replace(TOKENS, '…'))
    .join('\n')
    .slice(0, LONGEST_MESSAGE)
}
