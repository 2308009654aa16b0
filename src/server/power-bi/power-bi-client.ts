import { withTimeout } from '#contract/timing.ts'
import { createCache } from '#server/cache.ts'
import type { Log } from '#server/log.ts'
import { checkReport } from './check-report.ts'
import { classifyFailure, ReportCheckError, toFailureProblem } from './classify-failure.ts'
import { createDirectoryTokens, type DirectoryOptions, isExpiringSoon } from './directory-token.ts'
import { getExportPath, readExport, startExport } from './export-report.ts'
import { NoAnswer, PowerBiRefusal } from './failures.ts'
import { isTemporary, type Step } from './outcomes.ts'
import type { CountCall, EffectiveIdentity, EmbedToken, LastRefresh, PowerBi, ReportRef } from './power-bi.ts'
import {
  type CheckedReport,
  getDatasetPath,
  listReports,
  listWorkspaces,
  type Model,
  readLastRefresh,
  readModelSecurity,
  readReport,
  readWorkspace,
  requestEmbedToken,
  requestRefresh,
  type Workspace,
} from './power-bi-calls.ts'
import { createFileReader, createPowerBiRest } from './power-bi-rest.ts'
import { testReport } from './test-report.ts'

const METADATA_MS = 10 * 60_000
/** Timeouts over all calls of a token, of the first token on a screen, and of a test. */
const TIMEOUTS = { tokenMs: 8_000, firstTokenMs: 15_000, testMs: 7_500 }
const MAX_CACHED = 1_000
const UNKNOWN_REFRESH: LastRefresh = {
  refreshedAt: null,
  failure: null,
  runningSince: null,
}

export interface PowerBiOptions {
  directory: DirectoryOptions
  apiBase: string
  /** The lifetime of embed tokens, which cannot be revoked. */
  tokenMinutes: number
  /** Allows reports without row-level security, which are unfiltered. */
  allowWithoutRls: boolean
  log: Log
  countCall: CountCall
  /** ms since the epoch */
  clock: () => number
  /** Shorter ones for tests. */
  timeouts?: Partial<typeof TIMEOUTS>
}

/** Creates the client: msal-node for the directory, REST for the rest. */
export function createPowerBi(options: PowerBiOptions): PowerBi {
  // Checks use a new connection: a cached directory token would hide an expired secret.
  const connect = () => {
    const directory = createDirectoryTokens(options)
    return { rest: createPowerBiRest({ ...options, directory }), directory }
  }
  const { rest, directory } = connect()
  const { tokenMs, firstTokenMs, testMs } = { ...TIMEOUTS, ...options.timeouts }
  const refreshRest = createPowerBiRest({
    ...options,
    directory,
    // Models without a refresh history refuse, which must not raise an alarm.
    countCall: (service, outcome, ms) => outcome !== 'refused' && options.countCall(service, outcome, ms),
  })
  const readFacts = memoize(options.clock, (report: ReportRef) => readReport(rest, report))
  const readSecurity = memoize(options.clock, (model: Model) =>
    readModelSecurity(rest, getDatasetPath(model)),
  )
  const readCapacity = memoize(
    options.clock,
    async ({ id }: { id: string }): Promise<Workspace> => (await readWorkspace(rest, id)) ?? {},
  )
  const openFile = createFileReader({ ...options, directory })
  // Failures are cached too: a retry would not help.
  const readRefresh = memoize(options.clock, (model: Model) =>
    readLastRefresh(refreshRest, getDatasetPath(model)).catch(() => UNKNOWN_REFRESH),
  )
  /** Ids of paginated reports, for which the optimistic request would be wrong. */
  const paginated = new Set<string>()

  async function generate(
    report: ReportRef,
    identity: EffectiveIdentity,
    budgetMs: number,
    maxMinutes = Number.POSITIVE_INFINITY,
  ): Promise<EmbedToken> {
    let step: Step = 'report'
    const { tokenMinutes, allowWithoutRls } = options
    const minutes = Math.min(tokenMinutes, maxMinutes)
    const requestToken = (checked: CheckedReport) =>
      requestEmbedToken(rest, { report: checked, identity, minutes, budgetMs })
    const check = () =>
      checkReport(
        {
          readReport: readFacts,
          readModelSecurity: readSecurity,
          allowWithoutRls,
          onStep: (next) => {
            step = next
          },
        },
        report,
      )
    const { reportId, datasetId } = report
    const canGuess = datasetId && !allowWithoutRls && !paginated.has(reportId)
    try {
      if (!canGuess) return await requestToken(await check())
      // Optimistic: requests the token while checking, and discards it when a check fails.
      const guessed = requestToken({ reportId, datasetId, isPaginated: false, hasRowLevelSecurity: true })
      guessed.catch(() => {})
      const checked = await check()
      if (!checked.isPaginated) return await guessed
      paginated.add(reportId)
      return await requestToken(checked)
    } catch (error) {
      throw toFailureProblem(error, step, identity.roles)
    }
  }

  /** Converts failures of calls that involve no roles. */
  function withProblem<T>(call: Promise<T>, step: Step): Promise<T> {
    return call.catch((error) => {
      throw toFailureProblem(error, step)
    })
  }

  async function findDatasetPath(report: ReportRef): Promise<string> {
    const { model } = await withProblem(readFacts(report), 'report')
    if (!model) throw toFailureProblem(new ReportCheckError('paginated-sources'), 'report')
    return getDatasetPath(model)
  }

  return {
    generateEmbedToken: (report, identity, { isFirst, maxMinutes }) => {
      const ms = isFirst ? firstTokenMs : tokenMs
      return withTimeout(generate(report, identity, ms, maxMinutes), ms, () => {
        throw toFailureProblem(new NoAnswer('power-bi', 'no answer in time'), 'token')
      })
    },
    listWorkspaces: (isCheck) => withProblem(listWorkspaces(isCheck ? connect().rest : rest), 'workspaces'),
    listReports: (workspaceId) => withProblem(listReports(rest, workspaceId), 'report'),
    async readLastRefresh(report) {
      const facts = await readFacts(report).catch(() => undefined)
      return facts?.model ? readRefresh(facts.model) : UNKNOWN_REFRESH
    },
    async startExport(report, identity, wanted) {
      let step: Step = 'report'
      const checks = {
        readReport: readFacts,
        readModelSecurity: readSecurity,
        readWorkspace: (id: string) => readCapacity({ id }),
        onStep: (next: Step) => {
          // What the service refuses after all checks is the export.
          step = next === 'token' ? 'export' : next
        },
      }
      try {
        return await startExport(rest, checks, { report, identity, ...wanted })
      } catch (error) {
        throw toFailureProblem(error, step, identity.roles)
      }
    },
    readExport: (report, exportId) => withProblem(readExport(rest, report, exportId), 'export-status'),
    openExportFile: (report, exportId) =>
      withProblem(openFile(`${getExportPath(report, exportId)}/file`), 'export-file'),
    async readRefresh(report) {
      const path = await findDatasetPath(report)
      return readLastRefresh(refreshRest, path).catch((error) => {
        const { outcome } = classifyFailure(error, 'refresh-history')
        if (error instanceof PowerBiRefusal && !isTemporary(outcome)) return undefined
        throw toFailureProblem(error, 'refresh-history')
      })
    },
    async startRefresh(report) {
      const path = await findDatasetPath(report)
      try {
        await requestRefresh(rest, path)
        return undefined
      } catch (error) {
        const { outcome } = classifyFailure(error, 'refresh')
        const problem = toFailureProblem(error, 'refresh')
        if (outcome !== 'refresh-running' && outcome !== 'no-write-permission') throw problem
        const { message, options } = problem
        return { outcome, message: (outcome !== 'refresh-running' && options.administratorDetail) || message }
      }
    },
    readCertificateEnd: directory.readCredentialEnd,
    async testReport(report, identity) {
      const { rest: fresh, directory: testDirectory } = connect()
      const found = await testReport(fresh, { ...options, testMs }, { report, identity })
      const end = await testDirectory.readCredentialEnd().catch(() => undefined)
      return { ...found, certificateEndsAt: isExpiringSoon(end, options.clock()) ? end : null }
    },
  }
}

/** Caches results by the JSON of their key. */
function memoize<T extends NonNullable<unknown>, K extends object>(
  clock: () => number,
  read: (key: K) => Promise<T>,
): (key: K) => Promise<T> {
  const cache = createCache<T>(clock, {
    max: MAX_CACHED,
    ttl: METADATA_MS,
    fetchMethod: (key) => read(JSON.parse(key)),
  })
  return (key) => cache.fetch(JSON.stringify(key)) as Promise<T>
}
