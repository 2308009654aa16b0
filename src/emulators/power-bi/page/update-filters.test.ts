import { describe, expect, it } from 'vitest'
import { basicFilter, parseLinkFilter, readFilters, updateFilters, valuesLeft } from './update-filters.ts'

const BRANDS = ['FIAT', 'GM', 'JEEP']
const fiat = basicFilter('Marca', ['FIAT'])
const jeep = basicFilter('Marca', ['JEEP'])
const rio = basicFilter('Estado', ['RJ'])

describe('filters', () => {
  it.each([
    ['In', ['FIAT', 'VW'], ['FIAT']],
    ['NotIn', ['FIAT'], ['GM', 'JEEP']],
    ['All', [], BRANDS],
    ['In', [], BRANDS],
  ])('%s %j leaves %j', (operator, values, left) => {
    expect(valuesLeft([{ ...fiat, operator, values }], 'Marca', BRANDS)).toEqual(left)
  })

  it('leaves what every filter of the column lets through, and heeds no other column', () => {
    expect(
      valuesLeft([basicFilter('Marca', ['FIAT', 'GM']), basicFilter('Marca', ['GM']), rio], 'Marca', BRANDS),
    ).toEqual(['GM'])
  })

  it('removes, replaces and adds as models.FiltersOperations says', () => {
    expect(updateFilters([fiat, rio], 0, [])).toEqual([])
    expect(updateFilters([fiat, rio], 1, [jeep])).toEqual([jeep])
    expect(updateFilters([rio], 2, [jeep])).toEqual([rio, jeep])
    expect(updateFilters([fiat, rio], 3, [jeep])).toEqual([rio, jeep])
    expect(updateFilters([fiat], 9, [jeep])).toBeUndefined()
  })

  it('reads the filters of a load configuration in both shapes', () => {
    expect(readFilters([fiat])).toEqual([fiat])
    expect(readFilters({ allPages: { filters: [fiat] } })).toEqual([fiat])
    expect(readFilters(undefined)).toEqual([])
  })

  it('reads the filter of a link', () => {
    const filters = parseLinkFilter("Marca/Marca in ('FIAT','GM') and Estado/Estado eq 'RJ'")
    expect(filters).toEqual([basicFilter('Marca', ['FIAT', 'GM']), rio])
    expect(parseLinkFilter("Marca/Marca in ('D''Água')")).toEqual([basicFilter('Marca', ["D'Água"])])
    expect(parseLinkFilter('rubbish')).toEqual([])
  })
})
