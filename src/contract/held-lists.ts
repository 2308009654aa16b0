// What the lists of an entitlement hold and in which order, without the schemas: what the screens load first.
import type { Catalogue, CatalogueItem } from './catalogue.ts'

/** What a profile is entitled to, list by list: report areas, brands and states. */
export const LISTS = ['types', 'marcas', 'estados'] as const
export type ListName = (typeof LISTS)[number]
export type Entitlements = Record<ListName, string[]>
export const NO_ENTITLEMENTS: Entitlements = { types: [], marcas: [], estados: [] }

export const eachList = <T>(make: (list: ListName) => T): Record<ListName, T> => ({
  types: make('types'),
  marcas: make('marcas'),
  estados: make('estados'),
})

export const MAX_LABEL_LENGTH = 40
/** What lists hold of an item: an area's label, a brand's or a state's code. */
export function heldAs(list: ListName, item: Pick<CatalogueItem, 'code' | 'label'>): string {
  return list === 'types' ? item.label : item.code
}

export function valuesOf(catalogue: Catalogue, list: ListName): string[] {
  return catalogue[list].map((item) => heldAs(list, item))
}

/** How old profiles may spell it. */
export const OLD_SPELLING = { label: 'Administrativo', spelling: 'administrativo' }

/** Everything that a profile may hold for a type. */
export function spellingsOf(type: string): string[] {
  return type === OLD_SPELLING.label ? [type, OLD_SPELLING.spelling] : [type]
}

/** The items in the catalogue's order, each once, unknown ones last as given; 'administrativo' counts as Administrativo. */
export function inOrder(catalogue: Catalogue, list: ListName, items: readonly string[]): string[] {
  const known = valuesOf(catalogue, list)
  const isOld = (item: string) => list === 'types' && item === OLD_SPELLING.spelling && !known.includes(item)
  const held = new Set(items.map((item) => (isOld(item) ? OLD_SPELLING.label : item)))
  return [...known.filter((item) => held.has(item)), ...[...held].filter((item) => !known.includes(item))]
}

/** Lower case without accents: how what somebody typed is looked for among labels and names. */
export const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
