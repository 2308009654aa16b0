import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '#server/log.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { type EventStream, encodeEvent, openEventStream } from './event-stream.ts'
import type { HttpEnv } from './implement.ts'
import { listen } from './listen.ts'

let server: Server
let url: string
const streams: EventStream[] = []
let ended = 0
beforeAll(async () => {
  const app = new Hono<HttpEnv>()
  app.get('/events', (context) =>
    openEventStream(context, (stream) => {
      streams.push(stream)
      return () => {
        ended++
      }
    }),
  )
  const headers: [string, string][] = [['X-Content-Type-Options', 'nosniff']]
  server = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    headers,
    requestLog: createLog('silent'),
    countRequest: () => {},
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** A stream whose client reads nothing. */
async function openUnread() {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.pause()
  const count = streams.length
  socket.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n')
  await waitFor(() => expect(streams.length).toBe(count + 1))
  return { socket, stream: streams.at(-1) as EventStream }
}

test('headers are sent before the first event', async () => {
  const reply = await fetch(url)
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toBe('text/event-stream')
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
  streams.at(-1)?.write(encodeEvent({ a: 'linha\n' }))
  streams.at(-1)?.close()
  expect(await reply.text()).toBe('data: {"a":"linha\\n"}\n\n')
})

test('a client that does not read is disconnected, and later writes do nothing', async () => {
  const { socket, stream } = await openUnread()
  const before = ended
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const chunk = new Uint8Array(1_000_000)
  for (let count = 0; count < 50 && ended === before; count++) {
    stream.write(chunk)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await waitFor(() => expect(ended).toBe(before + 1))
  stream.write(chunk)
  stream.close()
  socket.resume()
  await closed
})

test('a client that does not read is disconnected ten seconds after the close', async () => {
  const { socket, stream } = await openUnread()
  const before = ended
  stream.write(new Uint8Array(20_000_000))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  stream.close()
  vi.advanceTimersByTime(10_000)
  vi.useRealTimers()
  await waitFor(() => expect(ended).toBe(before + 1))
  socket.destroy()
})

test('the end of a stream is reported once, from either side', async () => {
  const before = ended
  const { socket } = await openUnread()
  socket.destroy()
  await waitFor(() => expect(ended).toBe(before + 1))
  const { stream } = await openUnread()
  stream.close()
  stream.close()
  stream.write(encodeEvent({}))
  await waitFor(() => expect(ended).toBe(before + 2))
})

test('HEAD gets the headers and opens no stream', async () => {
  const count = streams.length
  const reply = await fetch(url, { method: 'HEAD' })
  expect(reply.headers.get('content-type')).toBe('text/event-stream')
  expect(streams).toHaveLength(count)
})
