import { expect, it } from 'vitest'
import { PROBLEMS, type ProblemCode } from '#contract/problem.ts'
import { ApiError, NetworkError } from '#web/http/api.ts'
import { toFailureOutcome } from './issue-embed-token.ts'

function problem(code: ProblemCode): ApiError {
  const [status, title, detail] = PROBLEMS[code]
  return new ApiError({ type: 'about:blank', title, status, detail, code, requestId: 'r' }, status)
}

const createFailure = (code: ProblemCode) =>
  ({ kind: 'failed', detail: PROBLEMS[code][2], isPaused: false, retryAfterMs: 0 }) as const

it.each([
  ['no-scope', { kind: 'no-scope' }],
  ['report-not-found', { kind: 'refused', detail: PROBLEMS['report-not-found'][2] }],
  ['not-approved', { kind: 'refused' }],
  ['unauthenticated', { kind: 'refused' }],
  ['rate-limited', createFailure('rate-limited')],
  ['capacity-paused', { ...createFailure('capacity-paused'), isPaused: true }],
  ['power-bi-rejected', { kind: 'rejected', detail: PROBLEMS['power-bi-rejected'][2] }],
  ['power-bi-unavailable', createFailure('power-bi-unavailable')],
] as const)('classifies the problem %s', (code, outcome) => {
  expect(toFailureOutcome(problem(code))).toEqual(outcome)
})

it('classifies a lost connection as a transient failure', () => {
  const error = new NetworkError()
  expect(toFailureOutcome(error)).toEqual({ kind: 'failed', detail: error.message })
})
