import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort } from '#server/testing/portal-process.ts'
import { counted } from './power-bi.ts'

test('calls without a reply are told apart, and their error goes on to the caller', async () => {
  const counts: unknown[] = []
  const watch = (url: string) =>
    counted(
      (service, outcome, ms) => counts.push([service, outcome, typeof ms]),
      'directory',
      () => fetch(url, { signal: AbortSignal.timeout(200) }),
    )
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const nobodyUrl = `http://127.0.0.1:${await findFreePort()}`
  await expect(watch(silentUrl)).rejects.toThrow(/timeout/)
  await expect(watch(nobodyUrl)).rejects.toThrow()
  await expect(watch(nobodyUrl)).rejects.toThrow()
  silent.closeAllConnections()
  silent.close()
  expect(counts).toEqual([
    ['directory', 'timeout', 'number'],
    ['directory', 'unreachable', 'number'],
    ['directory', 'unreachable', 'number'],
  ])
})
