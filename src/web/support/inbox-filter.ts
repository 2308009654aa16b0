/** Which messages are listed. */
export interface InboxFilter {
  q: string
  isUnreadOnly: boolean
}

/** Longer searches are refused by the server. */
const MAX_SEARCH_LENGTH = 100

/** Reads the filter from the URL, where anything may stand: `?q=123` arrives as a number, `?unread=true` as a boolean. */
export function readFilter(search: { q?: unknown; unread?: unknown }): InboxFilter {
  const isText = typeof search.q === 'string' || typeof search.q === 'number'
  return {
    q: isText ? String(search.q).trim().slice(0, MAX_SEARCH_LENGTH) : '',
    isUnreadOnly: String(search.unread) === 'true',
  }
}

/** The filter as the URL keeps it: nothing where it asks for nothing. */
export function writeFilter({ q, isUnreadOnly }: InboxFilter): { q?: string; unread?: string } {
  const trimmed = q.trim().slice(0, MAX_SEARCH_LENGTH)
  return { ...(trimmed && { q: trimmed }), ...(isUnreadOnly && { unread: 'true' }) }
}
