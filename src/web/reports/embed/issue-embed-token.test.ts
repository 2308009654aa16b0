import { expect, it } from 'vitest'
import { PROBLEMS, type ProblemCode } from '#contract/problem.ts'
import { ApiError, NetworkError } from '#web/http/api.ts'
import { outcomeOf } from '#web/reports/use-token-book.ts'

function problem(code: ProblemCode): ApiError {
  const [status, title, detail] = PROBLEMS[code]
  return new ApiError({ type: 'about:blank', title, status, detail, code, requestId: 'r' }, status)
}

it.each([
  ['no-scope', { kind: 'no-scope' }],
  ['report-not-found', { kind: 'refused', detail: PROBLEMS['report-not-found'][2] }],
  ['not-approved', { kind: 'refused' }],
  ['unauthenticated', { kind: 'refused' }],
  ['rate-limited', { kind: 'failed', detail: PROBLEMS['rate-limited'][2] }],
  ['power-bi-rejected', { kind: 'rejected', detail: PROBLEMS['power-bi-rejected'][2] }],
  ['power-bi-unavailable', { kind: 'failed', detail: PROBLEMS['power-bi-unavailable'][2] }],
] as const)('%s', (code, outcome) => {
  expect(outcomeOf(problem(code))).toEqual(outcome)
})

it('a lost connection may pass', () => {
  const error = new NetworkError()
  expect(outcomeOf(error)).toEqual({ kind: 'failed', detail: error.message })
})
