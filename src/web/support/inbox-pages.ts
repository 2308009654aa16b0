import type { MessageChange, SupportMessage } from '#contract/support.ts'

/** What the server answers for a part of the list. */
export interface FetchedPage {
  items: SupportMessage[]
  total: number
  next: string | null
}

/** A part of the list as it was last fetched: what comes after its cursor. */
export interface InboxPage {
  /** Undefined for the newest messages. */
  cursor: string | undefined
  items: readonly SupportMessage[]
  next: string | null
  /** How many changes it may not show yet. */
  misses: number
}

/** The messages loaded so far, newest first, in parts that are fetched again one by one when they change. */
export interface Inbox {
  pages: readonly InboxPage[]
  total: number
}

export const PAGE_SIZE = 50
/** The server gives no more at once. */
const LARGEST_PAGE = 100

/** How many messages to ask for when a page is fetched again. */
export function limitOf(page: Pick<InboxPage, 'items'>): number {
  return Math.max(PAGE_SIZE, page.items.length)
}

/** A list of which only the newest part is known. */
export function startInbox(fetched: FetchedPage): Inbox {
  return { pages: [pageOf(undefined, fetched)], total: fetched.total }
}

/** The list with one more part at its end; unchanged when its end has moved meanwhile. */
export function appendPage(inbox: Inbox, cursor: string, fetched: FetchedPage): Inbox {
  if (inbox.pages.at(-1)?.next !== cursor) return inbox
  return { pages: [...inbox.pages, pageOf(cursor, fetched)], total: fetched.total }
}

/** Notes what has changed: the newest part always may have, others when they hold a message that did. */
export function noteChange(inbox: Inbox, change: MessageChange): Inbox {
  const isMissing = (page: InboxPage) =>
    page.cursor === undefined ||
    change.kind === 'stale' ||
    page.items.some(({ id }) => change.ids.includes(id))
  const pages = inbox.pages.map((page) => (isMissing(page) ? { ...page, misses: page.misses + 1 } : page))
  return { ...inbox, pages }
}

/**
 * Puts a part that was fetched again in its place.
 * @param asked the part as it was when it was asked for; what has changed since is still missing
 */
export function replacePage(inbox: Inbox, asked: InboxPage, fetched: FetchedPage): Inbox {
  const index = inbox.pages.findIndex(({ cursor }) => cursor === asked.cursor)
  const current = inbox.pages[index]
  if (!current) return inbox
  const fresh = { ...pageOf(asked.cursor, fetched), misses: Math.max(0, current.misses - asked.misses) }
  const following = asked.cursor === undefined ? followingOf(inbox, fresh) : inbox.pages.slice(index + 1)
  const pages = [...inbox.pages.slice(0, index), fresh, ...(fresh.next === null ? [] : following)]
  return { pages, total: fetched.total }
}

/**
 * What follows the newest part after it was fetched again. New messages have pushed its older ones out: they
 * become a part of their own, or join the next one, so that nothing further down has to be fetched.
 */
function followingOf({ pages }: Inbox, fresh: InboxPage): InboxPage[] {
  const lastId = fresh.items.at(-1)?.id
  const index = pages.findIndex(({ items }) => items.some(({ id }) => id === lastId))
  const reached = pages[index]
  // So much is new that it does not reach what was known, which starts anew then.
  if (!reached || fresh.next === null) return []
  if (index > 0) return pages.slice(index)
  const pushedOut = reached.items.slice(reached.items.findIndex(({ id }) => id === lastId) + 1)
  const [next, ...others] = pages.slice(1)
  if (pushedOut.length === 0) return next ? [{ ...next, cursor: fresh.next }, ...others] : []
  const own = { ...reached, cursor: fresh.next, items: pushedOut }
  if (!next || pushedOut.length + next.items.length > LARGEST_PAGE) return [own, ...pages.slice(1)]
  // As out of date as the newest part was when this was last fetched with it.
  return [{ ...own, next: next.next, items: [...pushedOut, ...next.items] }, ...others]
}

/** The list with one message changed; `change` gives undefined for one that is gone. */
export function changeMessage(
  inbox: Inbox,
  id: string,
  change: (message: SupportMessage) => SupportMessage | undefined,
): Inbox {
  let gone = 0
  const pages = inbox.pages.map((page) => {
    if (!page.items.some((message) => message.id === id)) return page
    const items = page.items.flatMap((message) => (message.id === id ? (change(message) ?? []) : message))
    gone = items.length < page.items.length ? 1 : gone
    return { ...page, items }
  })
  return { pages, total: Math.max(0, inbox.total - gone) }
}

export interface InboxRow {
  message: SupportMessage
  /** Which of the pages it stands in. */
  page: number
}

/** Every message once, newest first. */
export function rowsOf(inbox: Inbox): InboxRow[] {
  const seen = new Set<string>()
  return inbox.pages.flatMap(({ items }, page) =>
    items.flatMap((message) => {
      if (seen.has(message.id)) return []
      seen.add(message.id)
      return [{ message, page }]
    }),
  )
}

function pageOf(cursor: string | undefined, { items, next }: FetchedPage): InboxPage {
  return { cursor, items, next, misses: 0 }
}
