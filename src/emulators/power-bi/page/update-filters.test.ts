import { describe, expect, it } from 'vitest'
import { filterValues, parseLinkFilter, readFilters, replaceFilter, toFilter } from './update-filters.ts'

const BRANDS = ['FIAT', 'GM', 'JEEP']
const fiat = toFilter('Marca', ['FIAT'])
const jeep = toFilter('Marca', ['JEEP'])
const rio = toFilter('Estado', ['RJ'])

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
      filterValues([toFilter('Marca', ['FIAT', 'GM']), toFilter('Marca', ['GM']), rio], 'Marca', BRANDS),
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
    expect(filters).toEqual([toFilter('Marca', ['FIAT', 'GM']), rio])
    expect(parseLinkFilter("Marca/Marca in ('D''Água')")).toEqual([toFilter('Marca', ["D'Água"])])
    expect(parseLinkFilter('rubbish')).toEqual([])
  })
})
