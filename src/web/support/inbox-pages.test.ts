import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MessageChange, SupportMessage } from '#contract/support.ts'
import {
  appendPage,
  changeMessage,
  type FetchedPage,
  type Inbox,
  limitOf,
  noteChange,
  PAGE_SIZE,
  replacePage,
  rowsOf,
  startInbox,
} from './inbox-pages.ts'

/** The server's list, newest first, by numbers: a greater one is newer. */
type Stored = Map<number, boolean>

function fetchFrom(stored: Stored, cursor: string | undefined, limit: number): FetchedPage {
  const numbers = [...stored.keys()]
    .sort((a, b) => b - a)
    .filter((n) => cursor === undefined || n < Number(cursor))
  const items = numbers.slice(0, limit).map((n) => messageOf(n, stored.get(n) ?? false))
  const last = items.at(-1)
  return { items, total: stored.size, next: numbers.length > limit && last ? last.id : null }
}

function messageOf(number: number, is_read: boolean): SupportMessage {
  const rest = { name: 'Ana', email: 'a@b.co', phone: '1', message: 'x', created_at: '2026-01-01T00:00:00Z' }
  return { id: String(number), is_read, ...rest }
}

function load(stored: Stored, pages: number): Inbox {
  let inbox = startInbox(fetchFrom(stored, undefined, PAGE_SIZE))
  for (let page = 1; page < pages; page += 1) {
    const cursor = inbox.pages.at(-1)?.next
    if (cursor) inbox = appendPage(inbox, cursor, fetchFrom(stored, cursor, PAGE_SIZE))
  }
  return inbox
}

/** Fetches whatever is out of date until nothing is, as the screen does. */
function refresh(inbox: Inbox, stored: Stored): Inbox {
  let current = inbox
  for (let round = 0; round < 50; round += 1) {
    const page = current.pages.find(({ misses }) => misses > 0)
    if (!page) return current
    current = replacePage(current, page, fetchFrom(stored, page.cursor, limitOf(page)))
  }
  throw new Error('it never ends')
}

const numbered = (count: number): Stored => new Map(Array.from({ length: count }, (_, n) => [n + 1, false]))
const idsOf = (inbox: Inbox) => rowsOf(inbox).map(({ message }) => message.id)
const changed = (...ids: number[]): MessageChange => ({ kind: 'changed', ids: ids.map(String) })

describe('the pages of the inbox', () => {
  it('take a new message in by fetching the newest page alone', () => {
    const stored = numbered(200)
    const inbox = load(stored, 3)
    stored.set(201, false)
    const noted = noteChange(inbox, changed(201))
    expect(noted.pages.map(({ misses }) => misses)).toEqual([1, 0, 0])
    const [newest] = noted.pages
    if (!newest) throw new Error('no page')
    const fresh = replacePage(noted, newest, fetchFrom(stored, undefined, PAGE_SIZE))
    expect(idsOf(fresh)).toEqual(idsOf(load(stored, 4)).slice(0, 151))
    expect(fresh.total).toBe(201)
  })

  it('keep every message that new ones push out of the newest page', () => {
    const stored = numbered(200)
    let inbox = load(stored, 3)
    for (const upTo of [240, 260]) {
      for (let n = stored.size + 1; n <= upTo; n += 1) stored.set(n, false)
      const noted = noteChange(inbox, changed(upTo))
      const [newest] = noted.pages
      if (!newest) throw new Error('no page')
      inbox = replacePage(noted, newest, fetchFrom(stored, undefined, PAGE_SIZE))
      expect(idsOf(inbox)).toEqual(fetchFrom(stored, undefined, upTo - 50).items.map(({ id }) => id))
    }
    expect(inbox.pages.map(({ items }) => items.length)).toEqual([50, 20, 90, 50])
  })

  it('start anew when more has come than a page holds', () => {
    const stored = numbered(120)
    const inbox = noteChange(load(stored, 3), changed(1))
    for (let n = 121; n <= 200; n += 1) stored.set(n, false)
    const [newest] = inbox.pages
    if (!newest) throw new Error('no page')
    const fresh = replacePage(inbox, newest, fetchFrom(stored, undefined, PAGE_SIZE))
    expect(fresh.pages).toHaveLength(1)
    expect(idsOf(fresh)[0]).toBe('200')
  })

  it('stay out of date when they change while they are fetched', () => {
    const stored = numbered(60)
    const asked = noteChange(load(stored, 1), changed(60))
    const [page] = asked.pages
    if (!page) throw new Error('no page')
    const meanwhile = noteChange(asked, changed(59))
    expect(replacePage(meanwhile, page, fetchFrom(stored, undefined, PAGE_SIZE)).pages[0]?.misses).toBe(1)
  })

  it('take one message out or change it', () => {
    const inbox = load(numbered(60), 2)
    const without = changeMessage(inbox, '5', () => undefined)
    expect(idsOf(without)).not.toContain('5')
    expect(without.total).toBe(59)
    const read = changeMessage(inbox, '5', (message) => ({ ...message, is_read: true }))
    expect(rowsOf(read).find(({ message }) => message.id === '5')?.message.is_read).toBe(true)
    expect(read.total).toBe(60)
    expect(appendPage(inbox, 'elsewhere', fetchFrom(numbered(3), undefined, 3))).toBe(inbox)
  })

  it('show what is stored after any changes, without a gap and nothing twice', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 70 }) }),
      fc.record({ kind: fc.constant('delete' as const), place: fc.nat(400) }),
      fc.record({ kind: fc.constant('read' as const), place: fc.nat(400) }),
      fc.record({ kind: fc.constant('break' as const), place: fc.nat(400) }),
    )
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.nat(6),
        fc.array(step, { maxLength: 12 }),
        (size, pages, steps) => {
          const stored = numbered(size)
          let inbox = load(stored, pages + 1)
          let newest = size
          for (const each of steps) {
            const ids: number[] = []
            if (each.kind === 'add')
              for (let n = 0; n < each.count; n += 1) {
                newest += 1
                stored.set(newest, false)
                ids.push(newest)
              }
            else {
              const at = [...stored.keys()][each.place % Math.max(1, stored.size)]
              if (at === undefined) continue
              if (each.kind === 'delete') stored.delete(at)
              else stored.set(at, true)
              ids.push(at)
            }
            inbox = refresh(
              noteChange(inbox, each.kind === 'break' ? { kind: 'stale' } : changed(...ids)),
              stored,
            )
            const rows = rowsOf(inbox).map(({ message }) => message)
            const expected = fetchFrom(stored, undefined, rows.length).items
            expect(rows).toEqual(expected)
            expect(inbox.total).toBe(stored.size)
            if (inbox.pages.at(-1)?.next === null) expect(rows).toHaveLength(stored.size)
          }
        },
      ),
    )
  })
})
