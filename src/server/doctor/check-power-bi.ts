import { formatLine } from '#contract/health.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { isTemporary } from '#server/power-bi/outcomes.ts'
import type { PowerBi } from '#server/power-bi/power-bi.ts'
import { testSavedReports } from '#server/reports/test-report-setting.ts'
import { checkCredentialEnd } from './check-credential-end.ts'
import { type Check, check, fault, good, type Result, warning } from './run-checks.ts'

/** Time-out of all concurrent tests. */
const REPORTS_MS = 30_000
const MAX_CONCURRENT = 3

/** Checks the directory, the service and every area's report, as 'Testar tudo' in /admin does. */
export function listPowerBiChecks(
  { powerBi: { rlsRoles, ...credential }, mailFrom }: Config,
  powerBi: PowerBi,
  db: Db | undefined,
): Check[] {
  const email = /[^<\s]+@[^>\s]+/.exec(mailFrom)?.[0] ?? 'portal'
  const causes = ['dns', 'corporate-proxy']
  const about = { about: 'Power BI', setting: 'POWERBI_SECRET_ENDS', document: 'docs/power-bi.md' }
  const directory = [
    { ...check('power-bi', 'Power BI', 25_000, () => checkService(powerBi)), causes },
    check('power-bi-secret', 'Segredo do Power BI', 1_000, async () => checkCredentialEnd(credential, about)),
  ]
  if (!db) return directory
  const run = async () => {
    const areas = await testSavedReports({ db, powerBi, rlsRoles }, email)
    if (areas.length === 0)
      return warning('Relatórios: nenhuma área tem um.', 'Cadastre-os em Administração, “Relatórios”.')
    const found: Result[] = []
    for (let first = 0; first < areas.length; first += MAX_CONCURRENT)
      found.push(...(await Promise.all(areas.slice(first, first + MAX_CONCURRENT).map(describeArea))))
    return found
  }
  return [
    ...directory,
    { ...check('report', 'Relatórios', REPORTS_MS, run), causes: [...causes, 'database'] },
  ]
}

async function checkService(powerBi: PowerBi): Promise<Result> {
  try {
    const count = (await powerBi.listWorkspaces(true)).length
    return count === 0
      ? warning(
          'Power BI: as credenciais valem, mas o aplicativo não vê nenhum espaço de trabalho.',
          'Inclua o aplicativo como membro dos espaços de trabalho (docs/power-bi.md).',
        )
      : good(
          `Power BI: as credenciais valem, e o aplicativo vê ${count === 1 ? '1 espaço' : `${count} espaços`} de trabalho.`,
        )
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const detail = error.options.administratorDetail ?? 'O serviço não respondeu como devia.'
    const todo =
      error.code === 'power-bi-rejected'
        ? 'docs/power-bi.md tem a lista do que conferir.'
        : 'Confira se esta máquina chega a login.microsoftonline.com e api.powerbi.com na porta 443 (HTTPS_PROXY).'
    return fault(`Power BI: ${detail}`, todo)
  }
}

type SavedReport = Awaited<ReturnType<typeof testSavedReports>>[number]

async function describeArea({ title, test }: SavedReport): Promise<Result> {
  const { outcome, message } = await test()
  if (outcome === 'not-testable') return good(formatLine([title], 'link de SSO, que só um navegador testa.'))
  const says = formatLine([title], message)
  if (outcome === 'ok' || outcome === 'capacity-unknown') return good(says)
  const isWarning = isTemporary(outcome) || outcome === 'refresh-failed'
  const todo = 'Depois de corrigir, “Testar relatório” em /admin o prova.'
  return { ...(isWarning ? warning(says, todo) : fault(says, todo)), area: title }
}
