import { expect } from 'vitest'
import type { TestPortal } from './test-portal.ts'

export const TEST_METRICS_TOKEN = 'an operator token of the test-suite'

/** Scrapes /api/metrics. @returns `figure` reads a value by name and labels: 'patio_x{route="/api/y"}' */
export async function readMetrics(portal: TestPortal) {
  const reply = await fetch(`${portal.url}/api/metrics`, {
    headers: { authorization: `Bearer ${TEST_METRICS_TOKEN}` },
  })
  const text = await reply.text()
  expect(reply.status, text).toBe(200)
  const lines = text.split('\n').filter((line) => line && !line.startsWith('#'))
  const values = new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  )
  return { reply, text, lines, figure: (name: string) => values.get(name) }
}
