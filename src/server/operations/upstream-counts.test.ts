import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort } from '#server/testing/portal-process.ts'
import { createUpstreamCounts } from './upstream-counts.ts'

test('calls without a reply are told apart, and their error goes on to the caller', async () => {
  const upstream = createUpstreamCounts()
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const nobodyUrl = `http://127.0.0.1:${await findFreePort()}`
  const call = (url: string) => () => fetch(url, { signal: AbortSignal.timeout(200) })
  await expect(upstream.watch('directory', call(silentUrl))).rejects.toThrow(/timeout/)
  await expect(upstream.watch('directory', call(nobodyUrl))).rejects.toThrow()
  await expect(upstream.watch('directory', call(nobodyUrl))).rejects.toThrow()
  silent.closeAllConnections()
  silent.close()
  const [figures] = upstream.read()
  expect([...(figures?.byOutcome ?? [])]).toEqual([
    ['timeout', 1],
    ['unreachable', 2],
  ])
  expect(figures?.latencies.buckets.at(-1)).toBe(3)
})
