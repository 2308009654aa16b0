import { expect } from 'vitest'
import type { Problem } from '#contract/problem.ts'

/** Words of untranslated messages. */
const ENGLISH = /\b(invalid|expected|unexpected|unrecognized|must|too|required|received|the)\b/i
const INNARDS = /node_modules|\.[jt]s:\d|\bat \w+.*\(|Error:/

/**
 * Asserts that a reply is a problem: 4xx, RFC 9457 JSON, in Portuguese, without internals.
 * @returns the problem
 */
export function expectProblem(
  reply: { status: number; contentType: string | null; text: string },
  what: string,
): Problem {
  expect(reply.status, `${what}: ${reply.text}`).toBeGreaterThanOrEqual(400)
  expect(reply.status, `${what}: ${reply.text}`).toBeLessThan(500)
  expect(reply.contentType, what).toBe('application/problem+json')
  expect(reply.text, what).not.toMatch(INNARDS)
  const problem = JSON.parse(reply.text) as Problem
  expect(problem, what).toMatchObject({ status: reply.status, type: `urn:patio:problem:${problem.code}` })
  expect(problem.detail, what).toMatch(/^[A-ZÀ-Ú].{5,}/)
  for (const text of [problem.detail, ...(problem.fields ?? []).map((field) => field.message)])
    expect(text, what).not.toMatch(ENGLISH)
  return problem
}
