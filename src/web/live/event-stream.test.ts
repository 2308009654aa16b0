import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '#web/http/send-request.ts'
import { problem, stubFetch } from '#web/testing/browser-parts.ts'
import { createEventParser, openEventStream, readEvents } from './event-stream.ts'

afterEach(() => vi.unstubAllGlobals())

function parse(pieces: string[]): string[] {
  const found: string[] = []
  const push = createEventParser({
    onData: (data) => found.push(data),
    onRetry: (ms) => found.push(`retry ${ms}`),
  })
  for (const piece of pieces) push(piece)
  return found
}

describe('createEventParser', () => {
  it('returns the data of complete events only', () => {
    expect(
      parse(['retry: 1000\n\n: heartbeat\n\nid: 7\ndata: {"a":1}\n\ndata:x\ndata: y\n\ndata: unfinished']),
    ).toEqual(['retry 1000', '{"a":1}', 'x\ny'])
  })

  it('parses the same events for any chunks and line endings', () => {
    const whole = 'id: 1\ndata: um\n\n: beat\n\ndata: dois\ndata: linhas\n\n'
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length)), fc.constantFrom('\n', '\r\n'), (cuts, ending) => {
        const text = whole.replaceAll('\n', ending)
        const places = [0, ...cuts.sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
        expect(parse(pieces)).toEqual(['um', 'dois\nlinhas'])
      }),
    )
  })
})

describe('openEventStream', () => {
  const open = () => openEventStream('/api/x', 'token', new AbortController().signal)

  it('sends the token in a header and reads the events', async () => {
    const reply = new Response('data: ção\n\n', { headers: { 'content-type': 'text/event-stream' } })
    const requests = stubFetch(reply)
    const found: string[] = []
    let pieces = 0
    await readEvents(await open(), {
      onData: (data) => found.push(data),
      onRetry: () => {},
      onBytes: () => {
        pieces += 1
      },
    })
    expect(found).toEqual(['ção'])
    expect(pieces).toBeGreaterThan(0)
    expect(requests).toEqual([{ path: '/api/x', authorization: 'Bearer token', body: undefined }])
  })

  it('throws for a refusal and for a response that is no event stream', async () => {
    stubFetch(problem(429, 'rate-limited', { 'retry-after': '7' }), new Response('<html>'))
    await expect(open()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 7 })
    await expect(open()).rejects.toBeInstanceOf(ApiError)
  })
})
