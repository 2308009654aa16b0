import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { installLocalStorage, makeSession, openTab, stubFetch } from '#web/testing/browser-parts.ts'

const MINUTE = 60_000
const WARNING = 'Sua sessão expirará em 2 minutos devido à inatividade.'
const EXPIRED = 'Sessão expirada devido à inatividade. Faça login novamente.'

let storage: Map<string, string>
/** The open tabs' windows: a storage event reaches all but the writing one. */
let windows: EventTarget[]

beforeEach(() => {
  vi.unstubAllGlobals()
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('BroadcastChannel', undefined)
  storage = installLocalStorage()
  windows = []
  vi.useFakeTimers({ now: Date.parse('2026-01-05T12:00:00Z') })
  stubFetch(...Array.from({ length: 5 }, () => new Response(null, { status: 204 })))
})
afterEach(() => vi.useRealTimers())

/** Opens a tab of the same browser, with its own window and its own copy of the modules. */
async function openWatchedTab() {
  const page = {
    window: new EventTarget(),
    document: Object.assign(new EventTarget(), {
      visibilityState: 'visible',
      activeElement: { tagName: 'BODY' },
      querySelectorAll: () => [],
    }),
  }
  vi.stubGlobal('window', page.window)
  vi.stubGlobal('document', page.document)
  const tab = await openTab()
  const { watchInactivity } = await import('./inactivity.ts')
  const { recordActivity } = await import('./activity.ts')
  const { toastStore } = await import('#web/ui/toast.tsx')
  windows.push(page.window)
  return {
    ...tab,
    ...page,
    recordActivity,
    watch: watchInactivity,
    pressKey: () => page.window.dispatchEvent(new Event('keydown')),
    titles: () => toastStore.read().map(({ title }) => title),
  }
}

/** Dispatches the storage events that a browser sends to other tabs. */
function dispatchStorageEvents(): void {
  for (const window of windows)
    for (const key of ['patio.session', 'patio.last-activity'])
      window.dispatchEvent(Object.assign(new Event('storage'), { key }))
}

async function openSignedInTab() {
  const tab = await openWatchedTab()
  tab.adoptSession(makeSession(1, { expiresIn: 3_600 }))
  tab.watch()
  return tab
}
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('watchInactivity', () => {
  it('warns after 28 minutes, signs out after 30 and shows why', async () => {
    const tab = await openSignedInTab()
    await advance(28 * MINUTE - 1_000)
    expect(tab.titles()).toEqual([])
    await advance(1_000)
    expect(tab.titles()).toEqual([WARNING])
    await advance(2 * MINUTE - 1_000)
    expect(tab.titles()).toEqual([WARNING])
    expect(tab.getSession()).toBeDefined()
    await advance(1_000)
    expect(tab.getSession()).toBeUndefined()
    expect(tab.titles()).toContain(EXPIRED)
    await advance(60 * MINUTE)
    expect(tab.titles()).toEqual([EXPIRED])
  })

  it.each(['mousedown', 'keydown', 'scroll', 'wheel', 'touchstart', 'click'])(
    'restarts the time on %s and closes the warning',
    async (name) => {
      const tab = await openSignedInTab()
      await advance(29 * MINUTE)
      expect(tab.titles()).toEqual([WARNING])
      tab.window.dispatchEvent(new Event(name))
      expect(tab.titles()).toEqual([])
      await advance(28 * MINUTE - 1_000)
      expect(tab.titles()).toEqual([])
      await advance(2 * MINUTE)
      expect(tab.getSession()).toBeDefined()
      await advance(1_000)
      expect(tab.getSession()).toBeUndefined()
    },
  )

  it('closes the warning on a mouse move, but not for a mouse that rests', async () => {
    const tab = await openSignedInTab()
    const move = (screenX: number) =>
      tab.window.dispatchEvent(Object.assign(new Event('mousemove'), { screenX, screenY: 0 }))
    move(1)
    await advance(29 * MINUTE)
    move(5)
    move(5)
    expect(tab.titles()).toEqual([WARNING])
    move(6)
    expect(tab.titles()).toEqual([])
    await advance(28 * MINUTE - 1_000)
    expect(tab.titles()).toEqual([])
  })

  it('counts a click into a report’s frame, but not a switch to another window', async () => {
    const tab = await openSignedInTab()
    await advance(20 * MINUTE)
    tab.document.activeElement = { tagName: 'IFRAME' }
    tab.window.dispatchEvent(new Event('blur'))
    await advance(20 * MINUTE)
    expect(tab.getSession()).toBeDefined()
    tab.document.activeElement = { tagName: 'BODY' }
    tab.window.dispatchEvent(new Event('blur'))
    await advance(10 * MINUTE)
    expect(tab.getSession()).toBeUndefined()
  })

  it('counts activity that a report emits', async () => {
    const tab = await openSignedInTab()
    await advance(20 * MINUTE)
    tab.recordActivity()
    await advance(20 * MINUTE)
    expect(tab.getSession()).toBeDefined()
  })

  it('counts activity across tabs and shows the reason in each', async () => {
    const one = await openSignedInTab()
    const two = await openWatchedTab()
    two.watch()
    await advance(20 * MINUTE)
    two.pressKey()
    dispatchStorageEvents()
    await advance(20 * MINUTE)
    expect(one.getSession()).toBeDefined()
    expect(one.titles()).toEqual([])
    await advance(8 * MINUTE)
    expect([one.titles(), two.titles()]).toEqual([[WARNING], [WARNING]])
    two.pressKey()
    dispatchStorageEvents()
    expect([one.titles(), two.titles()]).toEqual([[], []])
    await advance(30 * MINUTE)
    dispatchStorageEvents()
    expect([one.getSession(), two.getSession()]).toEqual([undefined, undefined])
    expect([one.titles(), two.titles()]).toEqual([[EXPIRED], [EXPIRED]])
  })

  it('signs out at once in a tab reopened after 31 minutes, before any request', async () => {
    const first = await openWatchedTab()
    first.adoptSession(makeSession(1))
    windows = []
    vi.setSystemTime(Date.now() + 31 * MINUTE)
    const requests = stubFetch()
    const again = await openWatchedTab()
    again.watch()
    expect(again.getSession()).toBeUndefined()
    expect(again.titles()).toEqual([EXPIRED])
    await advance(MINUTE)
    expect(requests).toEqual([])
  })

  it('keeps the session of a tab reopened after 29 minutes and warns at once', async () => {
    const first = await openWatchedTab()
    first.adoptSession(makeSession(1, { expiresIn: 3_600 }))
    windows = []
    vi.setSystemTime(Date.now() + 29 * MINUTE)
    const again = await openWatchedTab()
    again.watch()
    expect(again.getSession()).toBeDefined()
    expect(again.titles()).toEqual([WARNING])
  })

  it('signs out at the first move after the computer slept past the limit', async () => {
    const tab = await openSignedInTab()
    vi.setSystemTime(Date.now() + 45 * MINUTE)
    tab.window.dispatchEvent(new Event('mousemove'))
    expect(tab.getSession()).toBeUndefined()
    expect(tab.titles()).toEqual([EXPIRED])
  })

  it('counts 30 minutes from when the clock was set back', async () => {
    const tab = await openSignedInTab()
    vi.setSystemTime(Date.now() - 5 * 60 * MINUTE)
    await advance(31 * MINUTE)
    expect(tab.getSession()).toBeUndefined()
  })

  it('signs out 30 minutes after the last activity when the clock is set back meanwhile', async () => {
    const tab = await openSignedInTab()
    await advance(20 * MINUTE)
    vi.setSystemTime(Date.now() - 5 * 60 * MINUTE)
    await advance(8 * MINUTE)
    expect(tab.titles()).toEqual([WARNING])
    await advance(2 * MINUTE)
    expect(tab.getSession()).toBeUndefined()
  })

  it('keeps an active session when the clock is set back by less than 30 minutes', async () => {
    const tab = await openSignedInTab()
    await advance(20 * MINUTE)
    vi.setSystemTime(Date.now() - 20 * MINUTE)
    tab.pressKey()
    await advance(20 * MINUTE)
    tab.pressKey()
    await advance(20 * MINUTE)
    expect(tab.getSession()).toBeDefined()
  })

  it('does not refresh a session that has timed out', async () => {
    const tab = await openWatchedTab()
    tab.adoptSession(makeSession(1, { expiresIn: 600 }))
    vi.setSystemTime(Date.now() + 31 * MINUTE)
    const requests = stubFetch(Response.json(makeSession(2)))
    await tab.refreshSession()
    expect(requests).toEqual([])
  })

  it('signs out at the server too, and writes to storage at most once a second', async () => {
    const requests = stubFetch(new Response(null, { status: 204 }))
    const tab = await openSignedInTab()
    await advance(5_000)
    const before = storage.get('patio.last-activity')
    tab.pressKey()
    const written = storage.get('patio.last-activity')
    expect(written).not.toBe(before)
    await advance(500)
    tab.pressKey()
    expect(storage.get('patio.last-activity')).toBe(written)
    await advance(30 * MINUTE)
    expect(requests).toMatchObject([
      { path: '/api/auth/logout?scope=local', authorization: 'Bearer access-1' },
    ])
  })

  it('shows no toast when the person signs out', async () => {
    const tab = await openSignedInTab()
    await advance(29 * MINUTE)
    tab.pressKey()
    await tab.signOut()
    await advance(60 * MINUTE)
    expect(tab.titles()).toEqual([])
  })
})
