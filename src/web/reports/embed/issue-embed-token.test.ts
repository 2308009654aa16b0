import { expect, it } from 'vitest'
import { PROBLEMS, type ProblemCode } from '#contract/problem.ts'
import { ApiError, NetworkError } from '#web/http/api.ts'
import { outcomeOf } from './issue-embed-token.ts'

function problem(code: ProblemCode): ApiError {
  const [status, title, detail] = PROBLEMS[code]
  return new ApiError({ type: 'about:blank', title, status, detail, code, requestId: 'r' }, status)
}

const passing = (code: ProblemCode) =>
  ({ kind: 'failed', detail: PROBLEMS[code][2], isPaused: false, retryAfterMs: 0 }) as const

it.each([
  ['no-scope', { kind: 'no-scope' }],
  ['report-not-found', { kind: 'refused', detail: PROBLEMS['report-not-found'][2] }],
  ['not-approved', { kind: 'refused' }],
  ['unauthenticated', { kind: 'refused' }],
  ['rate-limited', passing('rate-limited')],
  ['capacity-paused', { ...passing('capacity-paused'), isPaused: true }],
  ['power-bi-rejected', { kind: 'rejected', detail: PROBLEMS['power-bi-rejected'][2] }],
  ['power-bi-unavailable', passing('power-bi-unavailable')],
] as const)('classifies the problem %s', (code, outcome) => {
  expect(outcomeOf(problem(code))).toEqual(outcome)
})

it('classifies a lost connection as a transient failure', () => {
  const error = new NetworkError()
  expect(outcomeOf(error)).toEqual({ kind: 'failed', detail: error.message })
})
