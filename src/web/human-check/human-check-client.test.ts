import { beforeEach, describe, expect, it, vi } from 'vitest'
import { installLocalStorage, stubFetch } from '#web/testing/browser-parts.ts'
import { toastStore } from '#web/ui/toast.tsx'
import { createHumanCheckClient } from './human-check-client.ts'

let now = 0
const widget = { solve: vi.fn<() => Promise<string | undefined>>(), reset: vi.fn() }
const createClient = () =>
  createHumanCheckClient(
    () => widget,
    () => now,
  )

beforeEach(() => {
  vi.unstubAllGlobals()
  vi.resetAllMocks()
  installLocalStorage()
  now = 0
})

describe('createHumanCheckClient', () => {
  it('exchanges an answer once, ahead of the submit', async () => {
    const requests = stubFetch(Response.json({ success: true, pass: 'p1' }))
    const client = createClient()
    await client.receiveAnswer('a1')
    await client.receiveAnswer('a1')
    now = 99_000
    expect(await client.getPass()).toEqual({ kind: 'passed', pass: 'p1' })
    expect(requests).toMatchObject([{ path: '/api/functions/verify-recaptcha', body: { token: 'a1' } }])
  })

  it('requests a new answer when the pass is too old', async () => {
    stubFetch(Response.json({ success: true, pass: 'p1' }), Response.json({ success: true, pass: 'p2' }))
    const client = createClient()
    await client.receiveAnswer('a1')
    now = 101_000
    widget.solve.mockResolvedValue('a2')
    expect(await client.getPass()).toEqual({ kind: 'passed', pass: 'p2' })
    expect(widget.reset).toHaveBeenCalledOnce()
  })

  it.each([
    ['success false', Response.json({ success: false })],
    ['a failing call', new TypeError('fetch failed')],
  ])('on %s shows a toast and resets the widget', async (_, answer) => {
    stubFetch(answer)
    widget.solve.mockResolvedValue('a1')
    expect(await createClient().getPass()).toEqual({ kind: 'failed' })
    expect(widget.reset).toHaveBeenCalledOnce()
    expect(toastStore.read().at(-1)).toMatchObject({ kind: 'error', title: 'Falha na verificação reCAPTCHA' })
  })

  it('passes the answer itself on while the exchange is rate limited', async () => {
    stubFetch(Response.json({ code: 'rate-limited' }, { status: 429 }))
    widget.solve.mockResolvedValue('a1')
    expect(await createClient().getPass()).toEqual({ kind: 'passed', pass: 'a1' })
    expect(widget.reset).not.toHaveBeenCalled()
  })

  it('returns unsolved when the widget has no answer', async () => {
    widget.solve.mockResolvedValue(undefined)
    expect(await createClient().getPass()).toEqual({ kind: 'unsolved' })
  })

  it('discards the pass on reset', async () => {
    stubFetch(Response.json({ success: true, pass: 'p1' }))
    const client = createClient()
    await client.receiveAnswer('a1')
    client.reset()
    expect(await client.getPass()).toEqual({ kind: 'unsolved' })
  })
})
