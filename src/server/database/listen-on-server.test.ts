import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { waitFor } from '#server/testing/wait-for.ts'
import { listenOnServer } from './open-server.ts'

/** Starts a server that closes every connection. */
async function startClosingServer() {
  const onConnection = vi.fn()
  const server = createServer((socket) => {
    onConnection()
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { onConnection, url: `postgres://x@127.0.0.1:${(server.address() as AddressInfo).port}/x` }
}

test('listenOnServer retries with one error report, until it is stopped', async () => {
  const { url, onConnection } = await startClosingServer()
  const [onError, onNotification] = [vi.fn(), vi.fn()]
  const stop = listenOnServer({ url, channel: 'a_channel', onNotification, onError })
  await waitFor(() => expect(onConnection.mock.calls.length).toBeGreaterThan(2), { timeout: 5000 })
  expect(onError).toHaveBeenCalledOnce()
  // Its last attempt has failed, and the next is scheduled.
  await wait(50)
  await stop()
  const tries = onConnection.mock.calls.length
  await wait(1500)
  expect(onConnection).toHaveBeenCalledTimes(tries)
  expect(onNotification).not.toHaveBeenCalled()
})
