import { describe, expect, it } from 'vitest'
import { captureState, readState, type Session } from './session.ts'
import { toFilter } from './update-filters.ts'

describe('bookmarks', () => {
  it('restore page, filters and selection', () => {
    const state = {
      page: 'detalhe-por-estado',
      filters: [toFilter('Marca', ['FIAT', 'CITROËN'])],
      selection: { column: 'Estado', values: ['RJ'] },
    } as const
    const captured = captureState({ ...state, uid: 'x', settings: {} } as unknown as Session)
    expect(captured).toMatch(/^[\w+/]+=*$/)
    expect(readState(captured)).toEqual(state)
  })

  it.each([undefined, 'H4sIAAAA', '%', btoa('{}'), btoa('null'), btoa('{"page":"gone","filters":[]}')])(
    'are not understood: %s',
    (state) => expect(readState(state)).toBeUndefined(),
  )
})
