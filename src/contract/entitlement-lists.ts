// Lists of entitlements and their order, without schemas: loaded by every screen.
import type { Catalogue, CatalogueItem } from './catalogue.ts'

/** The lists of entitlements: report areas, brands and states. */
export const LISTS = ['types', 'marcas', 'estados'] as const
export type ListName = (typeof LISTS)[number]
export type Entitlements = Record<ListName, string[]>
export const NO_ENTITLEMENTS: Entitlements = { types: [], marcas: [], estados: [] }

export const mapLists = <T>(make: (list: ListName) => T): Record<ListName, T> => ({
  types: make('types'),
  marcas: make('marcas'),
  estados: make('estados'),
})

export const MAX_LABEL_LENGTH = 40
/** Returns what lists store of an item: an area's label, a brand's or a state's code. */
export function toKey(list: ListName, item: Pick<CatalogueItem, 'code' | 'label'>): string {
  return list === 'types' ? item.label : item.code
}

export function getValues(catalogue: Catalogue, list: ListName): string[] {
  return catalogue[list].map((item) => toKey(list, item))
}

/** Spelling in old profiles. */
export const OLD_SPELLING = { label: 'Administrativo', spelling: 'administrativo' }

/** Lists all spellings of a type in profiles. */
export function listSpellings(type: string): string[] {
  return type === OLD_SPELLING.label ? [type, OLD_SPELLING.spelling] : [type]
}

/** Sorts by the catalogue, without duplicates and with unknown items last. */
export function sortItems(catalogue: Catalogue, list: ListName, items: readonly string[]): string[] {
  const known = getValues(catalogue, list)
  const isOld = (item: string) => list === 'types' && item === OLD_SPELLING.spelling && !known.includes(item)
  const held = new Set(items.map((item) => (isOld(item) ? OLD_SPELLING.label : item)))
  return [...known.filter((item) => held.has(item)), ...[...held].filter((item) => !known.includes(item))]
}

/** Lower-cases, removes accents and unifies apostrophes and dashes, for searches in names. */
export const foldText = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u2018\u2019\u02bc`]/g, "'")
    .replace(/[\u2010-\u2013]/g, '-')
    .toLowerCase()
