import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import { withinMs } from '#server/timing.ts'
import { createDirectoryTokens, type DirectoryOptions } from './directory-token.ts'
import {
  type CountCall,
  classifyRefusal,
  type EffectiveIdentity,
  type EmbedToken,
  type PowerBi,
  PowerBiRefusal,
  type ReportRef,
} from './power-bi.ts'
import {
  createPowerBiRest,
  datasetPathOf,
  readNeedsIdentity,
  readReport,
  reportPathOf,
  requestEmbedToken,
  unreadable,
} from './power-bi-rest.ts'
import { testReport } from './test-report.ts'

const METADATA_MS = 10 * 60_000
const ALL_CALLS_MS = 8_000
const MAX_REMEMBERED = 1_000

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
  const connect = () => {
    const directory = createDirectoryTokens(options)
    return createPowerBiRest({ ...options, directory })
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
        return await withinMs(generate(report, identity), ALL_CALLS_MS, () => {
          throw unreadable('no answer in time')
        })
      } catch (error) {
        throw error instanceof PowerBiRefusal ? explainRefusal(error) : error
      }
    },
    // A connection of its own, because a remembered directory token would hide that the secret has expired.
    testReport: (report, identity) => testReport(connect(), options, { report, identity }),
  }
}

/**
 * Remembers an asynchronous answer by its key for a while; callers at the same time share one flight,
 * failures are never remembered.
 * @param ms how long an answer stays good
 * @param clock ms since the epoch
 */
function rememberFor<T>(
  ms: number,
  clock: () => number,
  read: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const entries = new Map<string, { answer: Promise<T>; until: number }>()
  return (key) => {
    const known = entries.get(key)
    if (known && known.until > clock()) return known.answer
    const answer = read(key)
    answer.catch(() => {
      if (entries.get(key)?.answer === answer) entries.delete(key)
    })
    if (entries.size >= MAX_REMEMBERED) entries.delete(entries.keys().next().value as string)
    entries.set(key, { answer, until: clock() + ms })
    return answer
  }
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
