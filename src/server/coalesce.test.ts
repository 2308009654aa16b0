import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { coalesce } from './timing.ts'

test('begins at once, then rests after each run', async () => {
  const work = vi.fn(async () => {})
  const { wake, stop } = coalesce(work, 20)
  const start = performance.now()
  wake()
  expect(work).toHaveBeenCalledOnce()
  while (performance.now() < start + 100) {
    wake()
    await turn()
  }
  expect(work.mock.calls.length).toBeGreaterThan(1)
  expect(work.mock.calls.length).toBeLessThanOrEqual((performance.now() - start) / 20 + 2)
  await stop()
})

test('runs once more for whoever asks while it runs, and for nobody after the stop', async () => {
  let finish = () => {}
  const work = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve
      }),
  )
  const { wake, stop } = coalesce(work, 1)
  wake()
  for (let count = 0; count < 5; count++) wake()
  expect(work).toHaveBeenCalledTimes(1)
  finish()
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2))
  wake()
  const stopped = stop()
  finish()
  await stopped
  wake()
  await wait(20)
  expect(work).toHaveBeenCalledTimes(2)
})
