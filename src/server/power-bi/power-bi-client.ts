import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import { createDirectoryTokens, type DirectoryOptions } from './directory-token.ts'
import type { EffectiveIdentity, EmbedToken, PowerBi, ReportRef } from './power-bi.ts'
import { createPowerBiRest, PowerBiRefusal, type PowerBiRest } from './power-bi-rest.ts'
import { rememberFor } from './remember-for.ts'

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
  /** ms since the epoch */
  clock: () => number
}

/** The real client: msal-node for the directory, REST for the rest. */
export function createPowerBi(options: PowerBiOptions): PowerBi {
  const rest = createPowerBiRest(
    options.apiBase,
    createDirectoryTokens(options.directory, options.clock),
    options.log,
  )
  const readDatasetId = rememberFor(METADATA_MS, options.clock, async (path) => {
    const report = await rest.call('GET', path)
    if (typeof report.datasetId !== 'string') throw unreadable('report without datasetId')
    return report.datasetId
  })
  const readNeedsIdentity = rememberFor(METADATA_MS, options.clock, async (path) => {
    const dataset = await rest.call('GET', path)
    return dataset.isEffectiveIdentityRequired === true
  })

  async function generate(report: ReportRef, identity: EffectiveIdentity): Promise<EmbedToken> {
    const group = `/groups/${encodeURIComponent(report.workspaceId)}`
    const reportPath = `${group}/reports/${encodeURIComponent(report.reportId)}`
    const datasetId = report.datasetId ?? (await readDatasetId(reportPath))
    const needsIdentity = readNeedsIdentity(`${group}/datasets/${encodeURIComponent(datasetId)}`)
    const request = (identities: object[] | undefined) =>
      requestToken(rest, `${reportPath}/GenerateToken`, {
        accessLevel: 'View',
        datasetId,
        lifetimeInMinutes: options.tokenMinutes,
        ...(identities && { identities }),
      })
    const withIdentity = [{ ...identity, datasets: [datasetId] }]
    if (options.allowWithoutRls) return request((await needsIdentity) ? withIdentity : undefined)
    // Both at once: the token is thrown away when the dataset turns out to have no row-level security.
    const [isProtected, token] = await Promise.all([needsIdentity, request(withIdentity)])
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

async function requestToken(rest: PowerBiRest, path: string, body: object): Promise<EmbedToken> {
  const { token, expiration } = await rest.call('POST', path, body)
  const expiresAt = Date.parse(String(expiration))
  if (typeof token !== 'string' || token === '' || Number.isNaN(expiresAt)) throw unreadable('no token')
  return { token, expiresAt }
}

function unreadable(what: string): ProblemError {
  return new ProblemError('power-bi-unavailable', { retryAfterSeconds: 10, cause: new Error(what) })
}

function withoutRls(cause?: unknown): ProblemError {
  return new ProblemError('power-bi-rejected', {
    detail:
      'O modelo deste relatório não tem segurança em nível de linha (RLS). O administrador precisa criar a função de RLS no modelo antes de publicá-lo no portal.',
    cause,
  })
}

/** Says in one sentence what is wrong and who mends it. */
function explainRefusal(refusal: PowerBiRefusal): ProblemError {
  const words = `${refusal.code} ${refusal.message}`
  if (/shouldn't have effective identity|not.*effective identity.*supported|without.*RLS/i.test(words))
    return withoutRls(refusal)
  const detail = /identity|role/i.test(words)
    ? 'O Power BI recusou a identidade deste acesso. O administrador precisa conferir as funções de RLS do modelo.'
    : refusal.status === 401 || refusal.status === 403
      ? 'O portal não tem permissão neste espaço de trabalho do Power BI. O administrador precisa incluí-lo como membro.'
      : refusal.status === 404
        ? 'O Power BI não encontrou este relatório. O administrador precisa conferir os IDs configurados.'
        : undefined
  return new ProblemError('power-bi-rejected', { ...(detail && { detail }), cause: refusal })
}
