import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort } from '#server/testing/portal-process.ts'
import { measureCall } from './power-bi.ts'

test('calls without a reply are counted by cause, and their error is rethrown', async () => {
  const counts: unknown[] = []
  const callMeasured = (url: string) =>
    measureCall(
      (service, outcome, ms) => counts.push([service, outcome, typeof ms]),
      'directory',
      () => fetch(url, { signal: AbortSignal.timeout(200) }),
    )
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const closedUrl = `http://127.0.0.1:${await findFreePort()}`
  await expect(callMeasured(silentUrl)).rejects.toThrow(/timeout/)
  await expect(callMeasured(closedUrl)).rejects.toThrow()
  await expect(callMeasured(closedUrl)).rejects.toThrow()
  silent.closeAllConnections()
  silent.close()
  expect(counts).toEqual([
    ['directory', 'timeout', 'number'],
    ['directory', 'unreachable', 'number'],
    ['directory', 'unreachable', 'number'],
  ])
})
