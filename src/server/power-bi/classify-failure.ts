import { formatList } from '#contract/format-list.ts'
import { formatDuration } from '#contract/timing.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { DirectoryRefusal, NoAnswer, PowerBiRefusal, ProxyReply } from './failures.ts'
import { CALLS, isTemporary, OUTCOMES, type Outcome, OWNERS, type Step } from './outcomes.ts'

/** A report that checkReport does not allow. */
export class ReportCheckError extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super(outcome)
    this.outcome = outcome
  }
}

/** What became of a call that failed. */
export interface Failure {
  outcome: Outcome
  step: Step
  /** The code of the service or the directory. */
  code: string | null
  /** The id of the refused request, for Microsoft's support. */
  requestId: string | null
  /** The words of the service, for administrators alone. */
  answer: string | null
  retryAfterSeconds?: number | undefined
}

const NOT_FOUND: Partial<Record<Step, Outcome>> = {
  report: 'report-not-found',
  dataset: 'dataset-not-found',
  refresh: 'dataset-not-found',
  // Report and model were readable: stackoverflow.com/questions/64109695.
  token: 'not-a-member',
  export: 'not-a-member',
}

const DENIED: Partial<Record<Step, Outcome>> = {
  workspaces: 'api-closed',
  report: 'no-workspace-access',
  dataset: 'no-model-access',
  refresh: 'no-write-permission',
  // Report and model were readable: the tenant's switch for embedding is off, or the role too low.
  token: 'embedding-off',
  // The same for exports, which only some capacities have.
  export: 'export-off',
}

function findByWords(words: string, step: Step): Outcome | undefined {
  const outcomes = Object.keys(OUTCOMES) as Outcome[]
  return outcomes.find((outcome) => {
    const { words: pattern, steps } = OUTCOMES[outcome]
    return pattern?.test(words) && (steps?.includes(step) ?? true)
  })
}

/** Words come first, because statuses are ambiguous: an overloaded capacity may answer 400. */
function classifyRefusal({ status, code, message }: PowerBiRefusal, step: Step): Outcome {
  const known = findByWords(`${code} ${message}`, step)
  if (known) return known
  // 430 is Fabric's: learn.microsoft.com/fabric/data-engineering/spark-job-concurrency-and-queueing.
  if (status === 429 || status === 430) return 'rate-limited'
  if (status === 408 || status >= 500) return 'service-down'
  if (status === 404) return NOT_FOUND[step] ?? 'refused'
  return ((status === 401 || status === 403) && DENIED[step]) || 'refused'
}

function classifyDirectoryRefusal({ status, error, message }: DirectoryRefusal, step: Step): Outcome {
  const known = findByWords(`${error} ${message}`, step)
  if (known) return known
  if (status === 429 || status >= 500) return 'directory-busy'
  return error === 'invalid_client' && !/AADSTS/.test(message) ? 'bad-credentials' : 'directory-refused'
}

/** Classifies the failure of a call; throws errors on that are no failure of it. */
export function classifyFailure(error: unknown, step: Step): Failure {
  const nothing = { step, code: null, requestId: null, answer: null }
  if (error instanceof ReportCheckError) return { ...nothing, outcome: error.outcome }
  if (error instanceof ProxyReply)
    return { ...nothing, outcome: 'foreign-answer', code: `HTTP ${error.status} de ${error.host}` }
  if (error instanceof NoAnswer) {
    const code = findSystemCode(error.cause)
    const { host } = error.cause as { host?: string }
    if (code) return { ...nothing, outcome: 'unreachable', code: host ? `${code} de ${host}` : code }
    return { ...nothing, outcome: error.service === 'directory' ? 'directory-silent' : 'service-down' }
  }
  const isOfService = error instanceof PowerBiRefusal
  if (!isOfService && !(error instanceof DirectoryRefusal)) throw error
  const outcome = isOfService ? classifyRefusal(error, step) : classifyDirectoryRefusal(error, step)
  const code = (isOfService ? error.code : findDirectoryCode(error)) || `HTTP ${error.status}`
  return {
    outcome,
    step,
    code: code.startsWith('HTTP') && !isTemporary(outcome) ? null : code,
    requestId: /^[\w-]{1,60}$/.exec(error.requestId ?? '')?.[0] ?? null,
    answer: error.message || null,
    retryAfterSeconds: error.retryAfterSeconds,
  }
}

/** Returns the number of a directory's refusal, such as AADSTS7000222. */
const findDirectoryCode = ({ message }: Error) => /AADSTS\d{1,10}/.exec(message)?.[0]

/** Returns the first error code among the causes: why a connection failed. */
function findSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : findSystemCode(error.cause)
}

type Described = Pick<Failure, 'outcome' | 'code' | 'requestId' | 'retryAfterSeconds'> & { step?: Step }

/**
 * Describes a failure in one sentence with code and request id: what happened, and for administrators
 * what is to be done by whom; for readers only who mends it.
 */
export function describeFailure(
  { outcome, step = 'report', code, requestId, retryAfterSeconds }: Described,
  { roles, to }: { roles: readonly string[]; to: 'administrators' | 'readers' },
): string {
  const { text, readers } = OUTCOMES[outcome]
  const quoted = [code && `código ${code}`, requestId && `pedido ${requestId}`].filter(Boolean).join(', ')
  const named = formatList(roles.map((role) => `“${role}”`))
  const [fault = '', todo] = text
    .replaceAll('{roles}', roles.length === 1 ? `a função ${named}` : `as funções ${named}`)
    .replace('{call}', CALLS[step])
    .split(/: (?=\{(?:it|portal|power-bi)\})/)
  const owner = OWNERS[/^\{(.*?)\}/.exec(todo ?? '')?.[1] as keyof typeof OWNERS] as string | undefined
  const happened = quoted ? `${fault} (${quoted})` : fault
  const pause = retryAfterSeconds && formatDuration(retryAfterSeconds)
  if (todo && to === 'administrators') return `${happened}: ${todo.replace(/^\{.*?\}/, `${owner} precisa`)}.`
  if (readers) return `${happened}. ${readers}`
  if (to === 'administrators') return `${happened}: espere ${pause ?? 'alguns minutos'} e tente de novo.`
  if (isTemporary(outcome)) return `${happened}. Tente novamente em ${pause ?? 'instantes'}.`
  return `${happened}. Avise o administrador do portal${owner && owner !== OWNERS.portal ? `: quem resolve é ${owner}` : ''}.`
}

/** Formats the words of the service as administrators read them. */
const formatAnswer = ({ answer, code }: Failure) =>
  answer ? ` O que o ${code?.startsWith('AADSTS') ? 'Microsoft Entra' : 'Power BI'} respondeu: ${answer}` : ''

/** Converts the failure of a call to a problem, whose sentence differs for administrators. */
export function toFailureProblem(error: unknown, step: Step, roles: readonly string[] = []): ProblemError {
  const failure = classifyFailure(error, step)
  const { outcome, retryAfterSeconds } = failure
  const { pauseSeconds } = OUTCOMES[outcome]
  const fault = describeFailure(failure, { roles, to: 'administrators' })
  const options = {
    detail: describeFailure(failure, { roles, to: 'readers' }),
    administratorDetail: fault + formatAnswer(failure),
    fault,
    cause: error,
  }
  if (pauseSeconds === undefined) return new ProblemError('power-bi-rejected', options)
  const code = outcome === 'capacity-paused' ? 'capacity-paused' : 'power-bi-unavailable'
  return new ProblemError(code, { ...options, retryAfterSeconds: retryAfterSeconds ?? pauseSeconds })
}
