import { type FieldProblem, PROBLEMS, type Problem, type ProblemCode } from '#contract/problem.ts'

interface ProblemOptions {
  /** Portuguese sentence for users; defaults to that of the code. */
  detail?: string
  /** Replaces the detail for administrators; may hold the words of another service. */
  administratorDetail?: string
  /** The administrators' detail without the words of another service, which may name a person. */
  fault?: string
  fields?: FieldProblem[]
  retryAfterSeconds?: number
  /** Methods that the path supports, for 405. */
  allow?: string
  cause?: unknown
}

/** An expected failure of a request, converted to a problem response in one place. */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly options: ProblemOptions
  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? PROBLEMS[code][2], { cause: options.cause })
    this.code = code
    this.options = options
  }
}

/** Creates a refusal of one field, whose message is shown next to it. */
export function toFieldError(path: string, message: string): ProblemError {
  return new ProblemError('invalid-input', { detail: message, fields: [{ path, message }] })
}

export function toProblem(error: ProblemError, requestId: string, isAdministrator = false): Problem {
  const [status, title] = PROBLEMS[error.code]
  return {
    type: `urn:patio:problem:${error.code}`,
    title,
    status,
    detail: (isAdministrator && error.options.administratorDetail) || error.message,
    code: error.code,
    requestId,
    ...(error.options.fields && { fields: error.options.fields }),
  }
}
