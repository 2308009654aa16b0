import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerWith, installLocalStorage, openTab, sessionOf } from '#web/testing/browser-parts.ts'

const MINUTE = 60_000
const WARNING = 'Sua sessão expirará em 2 minutos devido à inatividade.'
const EXPIRED = 'Sessão expirada devido à inatividade. Faça login novamente.'

let storage: Map<string, string>
/** The windows of the tabs that are open, for what the browser tells all but the one that wrote. */
let windows: EventTarget[]

beforeEach(() => {
  vi.unstubAllGlobals()
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('BroadcastChannel', undefined)
  storage = installLocalStorage()
  windows = []
  vi.useFakeTimers({ now: Date.parse('2026-01-05T12:00:00Z') })
  answerWith(...Array.from({ length: 5 }, () => new Response(null, { status: 204 })))
})
afterEach(() => vi.useRealTimers())

/** A tab of the same browser, with its own window and its own copy of the modules. */
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
  const { noteActivity } = await import('./activity.ts')
  const { toastStore } = await import('#web/ui/toast.tsx')
  windows.push(page.window)
  return {
    ...tab,
    ...page,
    noteActivity,
    watch: watchInactivity,
    press: () => page.window.dispatchEvent(new Event('keydown')),
    titles: () => toastStore.read().map(({ title }) => title),
  }
}

/** What the browser does for the other tabs when local storage has changed. */
function spreadStorage(): void {
  for (const window of windows)
    for (const key of ['patio.session', 'patio.last-activity'])
      window.dispatchEvent(Object.assign(new Event('storage'), { key }))
}

async function openSignedInTab() {
  const tab = await openWatchedTab()
  tab.adoptSession(sessionOf(1, { expiresIn: 3_600 }))
  tab.watch()
  return tab
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('watchInactivity', () => {
  it('warns after 28 minutes and signs out after 30, saying why', async () => {
    const tab = await openSignedInTab()
    await pass(28 * MINUTE - 1_000)
    expect(tab.titles()).toEqual([])
    await pass(1_000)
    expect(tab.titles()).toEqual([WARNING])
    await pass(2 * MINUTE - 1_000)
    expect(tab.titles()).toEqual([WARNING])
    expect(tab.getSession()).toBeDefined()
    await pass(1_000)
    expect(tab.getSession()).toBeUndefined()
    expect(tab.titles()).toContain(EXPIRED)
    await pass(60 * MINUTE)
    expect(tab.titles()).toEqual([EXPIRED])
  })

  it.each(['mousedown', 'keydown', 'scroll', 'wheel', 'touchstart', 'click'])(
    'starts anew on %s, and takes the warning away',
    async (name) => {
      const tab = await openSignedInTab()
      await pass(29 * MINUTE)
      expect(tab.titles()).toEqual([WARNING])
      tab.window.dispatchEvent(new Event(name))
      expect(tab.titles()).toEqual([])
      await pass(28 * MINUTE - 1_000)
      expect(tab.titles()).toEqual([])
      await pass(2 * MINUTE)
      expect(tab.getSession()).toBeDefined()
      await pass(1_000)
      expect(tab.getSession()).toBeUndefined()
    },
  )

  it('takes the warning away on a move of the mouse, but not for one that rests', async () => {
    const tab = await openSignedInTab()
    const move = (screenX: number) =>
      tab.window.dispatchEvent(Object.assign(new Event('mousemove'), { screenX, screenY: 0 }))
    move(1)
    await pass(29 * MINUTE)
    move(5)
    move(5)
    expect(tab.titles()).toEqual([WARNING])
    move(6)
    expect(tab.titles()).toEqual([])
    await pass(28 * MINUTE - 1_000)
    expect(tab.titles()).toEqual([])
  })

  it('counts a click into a report’s frame, but not leaving for another window', async () => {
    const tab = await openSignedInTab()
    await pass(20 * MINUTE)
    tab.document.activeElement = { tagName: 'IFRAME' }
    tab.window.dispatchEvent(new Event('blur'))
    await pass(20 * MINUTE)
    expect(tab.getSession()).toBeDefined()
    tab.document.activeElement = { tagName: 'BODY' }
    tab.window.dispatchEvent(new Event('blur'))
    await pass(10 * MINUTE)
    expect(tab.getSession()).toBeUndefined()
  })

  it('counts what a report tells of', async () => {
    const tab = await openSignedInTab()
    await pass(20 * MINUTE)
    tab.noteActivity()
    await pass(20 * MINUTE)
    expect(tab.getSession()).toBeDefined()
  })

  it('counts across tabs, and both say why it ended', async () => {
    const one = await openSignedInTab()
    const two = await openWatchedTab()
    two.watch()
    await pass(20 * MINUTE)
    two.press()
    spreadStorage()
    await pass(20 * MINUTE)
    expect(one.getSession()).toBeDefined()
    expect(one.titles()).toEqual([])
    await pass(8 * MINUTE)
    expect([one.titles(), two.titles()]).toEqual([[WARNING], [WARNING]])
    two.press()
    spreadStorage()
    expect([one.titles(), two.titles()]).toEqual([[], []])
    await pass(30 * MINUTE)
    spreadStorage()
    expect([one.getSession(), two.getSession()]).toEqual([undefined, undefined])
    expect([one.titles(), two.titles()]).toEqual([[EXPIRED], [EXPIRED]])
  })

  it('ends a session at once in a tab opened again after 31 minutes, without a request as its owner', async () => {
    const first = await openWatchedTab()
    first.adoptSession(sessionOf(1))
    windows = []
    vi.setSystemTime(Date.now() + 31 * MINUTE)
    const requests = answerWith()
    const again = await openWatchedTab()
    again.watch()
    expect(again.getSession()).toBeUndefined()
    expect(again.titles()).toEqual([EXPIRED])
    await pass(MINUTE)
    expect(requests).toEqual([])
  })

  it('keeps one opened again after 29 minutes, warning at once', async () => {
    const first = await openWatchedTab()
    first.adoptSession(sessionOf(1, { expiresIn: 3_600 }))
    windows = []
    vi.setSystemTime(Date.now() + 29 * MINUTE)
    const again = await openWatchedTab()
    again.watch()
    expect(again.getSession()).toBeDefined()
    expect(again.titles()).toEqual([WARNING])
  })

  it('is not fooled by the first move after a computer has slept', async () => {
    const tab = await openSignedInTab()
    vi.setSystemTime(Date.now() + 45 * MINUTE)
    tab.window.dispatchEvent(new Event('mousemove'))
    expect(tab.getSession()).toBeUndefined()
    expect(tab.titles()).toEqual([EXPIRED])
  })

  it('is not kept alive by a clock that was set back', async () => {
    const tab = await openSignedInTab()
    vi.setSystemTime(Date.now() - 5 * 60 * MINUTE)
    await pass(31 * MINUTE)
    expect(tab.getSession()).toBeUndefined()
  })

  it('never renews a session whose time is over', async () => {
    const tab = await openWatchedTab()
    tab.adoptSession(sessionOf(1, { expiresIn: 600 }))
    vi.setSystemTime(Date.now() + 31 * MINUTE)
    const requests = answerWith(Response.json(sessionOf(2)))
    await tab.refreshSession()
    expect(requests).toEqual([])
  })

  it('tells the server while it can, and writes to storage once a second at most', async () => {
    const requests = answerWith(new Response(null, { status: 204 }))
    const tab = await openSignedInTab()
    await pass(5_000)
    const before = storage.get('patio.last-activity')
    tab.press()
    const written = storage.get('patio.last-activity')
    expect(written).not.toBe(before)
    await pass(500)
    tab.press()
    expect(storage.get('patio.last-activity')).toBe(written)
    await pass(30 * MINUTE)
    expect(requests).toMatchObject([
      { path: '/api/auth/logout?scope=local', authorization: 'Bearer access-1' },
    ])
  })

  it('says nothing when the person signs out themselves', async () => {
    const tab = await openSignedInTab()
    await pass(29 * MINUTE)
    tab.press()
    await tab.signOut()
    await pass(60 * MINUTE)
    expect(tab.titles()).toEqual([])
  })
})
