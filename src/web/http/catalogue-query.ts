import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Catalogue, CatalogueItem } from '#contract/catalogue.ts'
import { heldAs, type ListName } from '#contract/held-lists.ts'
import { callApi } from './api.ts'

export const catalogueQuery = queryOptions({
  queryKey: ['catalogue'],
  queryFn: ({ signal }) => callApi('GET /api/catalogue', { signal }),
  // Whoever comes back to the page is offered what has been added meanwhile.
  refetchOnWindowFocus: 'always',
})

const NOTHING: Catalogue = { version: 0, types: [], marcas: [], estados: [] }

/** The areas, brands and states; none until they have been read, so nothing may be saved that rests on it before. */
export function useCatalogue(): Catalogue {
  return useQuery(catalogueQuery).data ?? NOTHING
}

/** What can be chosen: its value as lists hold it, and how it is shown. */
interface Choice {
  value: string
  label: string
}

/**
 * The choices of a list in order. What is archived is among them where it is held already.
 * @param held undefined for everything
 */
export function choicesOf(catalogue: Catalogue, list: ListName, held?: readonly string[]): Choice[] {
  return catalogue[list]
    .filter((item) => !item.archived || !held || held.includes(heldAs(list, item)))
    .map((item) => ({
      value: heldAs(list, item),
      label: nameOf(list, item) + (item.archived ? ' (no arquivo)' : ''),
    }))
}

/** 'Vendas', 'FIAT', and where a brand's or a state's name is not its code, 'São Paulo (SP)'. */
function nameOf(list: ListName, { code, label }: CatalogueItem): string {
  return list === 'types' || code === label ? label : `${label} (${code})`
}
