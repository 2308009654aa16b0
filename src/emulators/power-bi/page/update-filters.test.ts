import { describe, expect, it } from 'vitest'
import { createBasicFilter, parseLinkFilter, readFilters, replaceFilter, filterValues } from './update-filters.ts'

const BRANDS = ['FIAT', 'GM', 'JEEP']
const fiat = createBasicFilter('Marca', ['FIAT'])
const jeep = createBasicFilter('Marca', ['JEEP'])
const rio = createBasicFilter('Estado', ['RJ'])

describe('filters', () => {
  it.each([
    ['In', ['FIAT', 'VW'], ['FIAT']],
    ['NotIn', ['FIAT'], ['GM', 'JEEP']],
    ['All', [], BRANDS],
    ['In', [], BRANDS],
  ])('%s %j leaves %j', (operator, values, left) => {
    expect(filterValues([{ ...fiat, operator, values }], 'Marca', BRANDS)).toEqual(left)
  })

  it('applies all filters of the column and ignores other columns', () => {
    expect(
      filterValues([createBasicFilter('Marca', ['FIAT', 'GM']), createBasicFilter('Marca', ['GM']), rio], 'Marca', BRANDS),
    ).toEqual(['GM'])
  })

  it('replaces the filter of the same column', () => {
    expect(replaceFilter([fiat, rio], jeep)).toEqual([rio, jeep])
  })

  it('reads the filters of a load configuration', () => {
    expect(readFilters({ allPages: { filters: [fiat] } })).toEqual([fiat])
    expect(readFilters(undefined)).toEqual([])
  })

  it('reads the filter of a link', () => {
    const filters = parseLinkFilter("Marca/Marca in ('FIAT','GM') and Estado/Estado eq 'RJ'")
    expect(filters).toEqual([createBasicFilter('Marca', ['FIAT', 'GM']), rio])
    expect(parseLinkFilter("Marca/Marca in ('D''Água')")).toEqual([createBasicFilter('Marca', ["D'Água"])])
    expect(parseLinkFilter('rubbish')).toEqual([])
  })
})
