import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Catalogue, CatalogueItem } from '#contract/catalogue.ts'
import { type ListName, toKey } from '#contract/entitlement-lists.ts'
import { callApi } from './api.ts'

export const catalogueQuery = queryOptions({
  queryKey: ['catalogue'],
  queryFn: ({ signal }) => callApi('GET /api/catalogue', { signal }),
  // Shows additions of the meantime to people who return to the page.
  refetchOnWindowFocus: 'always',
})

const EMPTY_CATALOGUE: Catalogue = { version: 0, types: [], marcas: [], estados: [] }

/**
 * Returns types, marcas and estados; empty until loaded, so
 * nothing may be saved that depends on it before.
 */
export function useCatalogue(): Catalogue {
  return useQuery(catalogueQuery).data ?? EMPTY_CATALOGUE
}

/** An option: the value stored in lists, and its label. */
interface Choice {
  value: string
  label: string
}

/**
 * Returns the options of a list in order, archived ones only where already held.
 * @param held undefined includes all
 */
export function listChoices(catalogue: Catalogue, list: ListName, held?: readonly string[]): Choice[] {
  return catalogue[list]
    .filter((item) => !item.archived || !held || held.includes(toKey(list, item)))
    .map((item) => ({
      value: toKey(list, item),
      label: formatName(list, item) + (item.archived ? ' (no arquivo)' : ''),
    }))
}

/** Formats 'Vendas', 'FIAT', and 'São Paulo (SP)' where the name differs from the code. */
function formatName(list: ListName, { code, label }: CatalogueItem): string {
  return list === 'types' || code === label ? label : `${label} (${code})`
}
