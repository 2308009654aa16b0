import { describe, expect, it } from 'vitest'
import { parseFilter, toSearchParams } from './inbox-screen.tsx'

describe('the filter in the URL', () => {
  it.each([
    [{}, { q: '', isUnreadOnly: false }],
    [
      { q: 123, unread: true },
      { q: '123', isUnreadOnly: true },
    ],
    [
      { q: ' ana ', unread: 'true' },
      { q: 'ana', isUnreadOnly: true },
    ],
    [
      { q: { a: 1 }, unread: 'talvez' },
      { q: '', isUnreadOnly: false },
    ],
    [
      { q: null, unread: ['true', 'x'] },
      { q: '', isUnreadOnly: false },
    ],
    [{ q: 'x'.repeat(200) }, { q: 'x'.repeat(100), isUnreadOnly: false }],
  ])('is parsed from %j', (search, filter) => {
    expect(parseFilter(search)).toEqual(filter)
  })

  it('omits defaults', () => {
    expect(toSearchParams({ q: ' ', isUnreadOnly: false })).toEqual({})
    expect(toSearchParams({ q: ' ana ', isUnreadOnly: true })).toEqual({ q: 'ana', unread: 'true' })
  })
})
