import { type FieldProblem, PROBLEMS, type Problem, type ProblemCode } from '#contract/problem.ts'

interface ProblemOptions {
  /** Portuguese sentence fit to show; the code's own when left out. */
  detail?: string
  fields?: FieldProblem[]
  retryAfterSeconds?: number
  /** The methods that a path does take, for 405. */
  allow?: string
  cause?: unknown
}

/** The one way in which a request fails on purpose: thrown anywhere, written in one place. */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly options: ProblemOptions
  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? PROBLEMS[code][2], { cause: options.cause })
    this.code = code
    this.options = options
  }
}

/** A refusal for what is wrong with one field, which stands beside that field too. */
export function invalidField(path: string, message: string): ProblemError {
  return new ProblemError('invalid-input', { detail: message, fields: [{ path, message }] })
}

export function problemOf(error: ProblemError, requestId: string): Problem {
  const [status, title] = PROBLEMS[error.code]
  return {
    type: `urn:patio:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.options.fields && { fields: error.options.fields }),
  }
}
