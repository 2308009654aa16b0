import { describe, expect, it } from 'vitest'
import { parseFilter, toSearchParams } from './inbox-screen.tsx'

describe('the filter in the URL', () => {
  it.each([
    [{}, { q: '', shown: 'all' }],
    [
      { q: 123, unread: true },
      { q: '123', shown: 'unread' },
    ],
    [
      { q: ' ana ', unread: 'true' },
      { q: 'ana', shown: 'unread' },
    ],
    [
      { q: { a: 1 }, unread: 'talvez' },
      { q: '', shown: 'all' },
    ],
    [
      { q: null, unread: ['true', 'x'] },
      { q: '', shown: 'all' },
    ],
    [
      { suspect: true, unread: 'false' },
      { q: '', shown: 'suspect' },
    ],
    [{ q: 'x'.repeat(200) }, { q: 'x'.repeat(100), shown: 'all' }],
  ])('is parsed from %j', (search, filter) => {
    expect(parseFilter(search)).toEqual(filter)
  })

  it('omits defaults', () => {
    expect(toSearchParams({ q: ' ', shown: 'all' })).toEqual({})
    expect(toSearchParams({ q: ' ana ', shown: 'unread' })).toEqual({ q: 'ana', unread: 'true' })
    expect(toSearchParams({ q: '', shown: 'suspect' })).toEqual({ suspect: 'true' })
  })
})
