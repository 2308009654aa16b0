import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import { classifyRefusal } from './classify-refusal.ts'
import type { CountCall } from './count-calls.ts'
import { createDirectoryTokens, type DirectoryOptions } from './directory-token.ts'
import { PowerBiRefusal } from './failures.ts'
import type { EffectiveIdentity, EmbedToken, PowerBi, ReportRef } from './power-bi.ts'
import { createPowerBiRest } from './power-bi-rest.ts'
import { rememberFor } from './remember-for.ts'
import {
  datasetPathOf,
  readNeedsIdentity,
  readReport,
  reportPathOf,
  requestEmbedToken,
  unreadable,
} from './report-calls.ts'
import { testReport } from './test-report.ts'

const METADATA_MS = 10 * 60_000
const ALL_CALLS_MS = 8_000

export interface PowerBiOptions {
  directory: DirectoryOptions
  apiBase: string
  /** Shortens the life of embed tokens, which cannot be recalled. */
  tokenMinutes: number
  /** Lets reports without row-level security through, unfiltered. */
  allowWithoutRls: boolean
  log: Log
  countCall: CountCall
  /** ms since the epoch */
  clock: () => number
}

/** The real client: msal-node for the directory, REST for the rest. */
export function createPowerBi(options: PowerBiOptions): PowerBi {
  /** With a directory token of its own: none is there before the first call. */
  const connect = () => {
    const directory = createDirectoryTokens(options.directory, options.countCall, options.clock)
    return createPowerBiRest(options.apiBase, directory, options.countCall, options.log)
  }
  const rest = connect()
  const rememberDatasetId = rememberFor(METADATA_MS, options.clock, async (path) => {
    const { datasetId } = await readReport(rest, path)
    return datasetId
  })
  const rememberNeedsIdentity = rememberFor(METADATA_MS, options.clock, (path) =>
    readNeedsIdentity(rest, path),
  )

  async function generate(report: ReportRef, identity: EffectiveIdentity): Promise<EmbedToken> {
    const reportPath = reportPathOf(report)
    const datasetId = report.datasetId ?? (await rememberDatasetId(reportPath))
    const needsIdentity = rememberNeedsIdentity(datasetPathOf(report, datasetId))
    const request = (whose: EffectiveIdentity | undefined) =>
      requestEmbedToken(rest, reportPath, { datasetId, identity: whose, minutes: options.tokenMinutes })
    if (options.allowWithoutRls) return request((await needsIdentity) ? identity : undefined)
    // Both at once: the token is thrown away when the dataset turns out to have no row-level security.
    const [isProtected, token] = await Promise.all([needsIdentity, request(identity)])
    if (!isProtected) throw withoutRls()
    return token
  }

  return {
    async generateEmbedToken(report, identity) {
      try {
        return await withinBudget(generate(report, identity))
      } catch (error) {
        throw error instanceof PowerBiRefusal ? explainRefusal(error) : error
      }
    },
    // A connection of its own, because a remembered directory token would hide that the secret has expired.
    testReport: (report, identity) => testReport(connect(), options, report, identity),
  }
}

/** The caller waits no longer than this for all calls together; what is under way still ends by itself. */
function withinBudget<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unreadable('no answer in time')), ALL_CALLS_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function withoutRls(cause?: unknown): ProblemError {
  return new ProblemError('power-bi-rejected', {
    detail:
      'O modelo deste relatório não tem segurança em nível de linha (RLS). O administrador precisa criar a função de RLS no modelo antes de publicá-lo no portal.',
    cause,
  })
}

const DETAILS = {
  identity:
    'O Power BI recusou a identidade deste acesso. O administrador precisa conferir as funções de RLS do modelo.',
  access:
    'O portal não tem permissão neste espaço de trabalho do Power BI. O administrador precisa incluí-lo como membro.',
  ids: 'O Power BI não encontrou este relatório. O administrador precisa conferir os IDs configurados.',
  capacity: 'A capacidade do Power BI está pausada. O administrador precisa retomá-la.',
}

/** Says in one sentence what is wrong and who mends it. */
function explainRefusal(refusal: PowerBiRefusal): ProblemError {
  const outcome = classifyRefusal(refusal, 'token')
  if (outcome === 'identity-forbidden') return withoutRls(refusal)
  // It may be resumed at any time, so it is worth trying again.
  if (outcome === 'capacity-paused')
    return new ProblemError('power-bi-unavailable', {
      detail: DETAILS.capacity,
      retryAfterSeconds: 60,
      cause: refusal,
    })
  const detail = /identity|role/i.test(`${refusal.code} ${refusal.message}`)
    ? DETAILS.identity
    : outcome === 'no-workspace-access'
      ? DETAILS.access
      : outcome === 'report-not-found' || outcome === 'dataset-not-found' || outcome === 'dataset-mismatch'
        ? DETAILS.ids
        : undefined
  return new ProblemError('power-bi-rejected', { ...(detail && { detail }), cause: refusal })
}
