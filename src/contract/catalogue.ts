import * as z from 'zod/mini'

/** The nine access types (report areas) in the fixed order of the tabs. */
export const TYPES = [
  'Vendas',
  'Oficina',
  'HPD',
  'CRM',
  'Marketing',
  'Gerentes',
  'Operadores',
  'Administrativo',
  'Slack',
] as const
export type AccessType = (typeof TYPES)[number]

/** The ten brand codes. */
export const MARCAS = ['FIAT', 'GAC', 'GM', 'GWM', 'HONDA', 'HYUN', 'JEEP', 'OMJA', 'TOYO', 'VW'] as const
export type Marca = (typeof MARCAS)[number]

/** The four state codes. */
export const ESTADOS = ['RJ', 'ES', 'MG', 'PR'] as const
export type Estado = (typeof ESTADOS)[number]

/** The slug under which a type's setting is stored and named in paths: 'Vendas' → 'vendas'. */
export function slugOfType(type: AccessType): string {
  return type.toLowerCase()
}

/** The type of a slug or of a differently cased label ('administrativo' → 'Administrativo'); undefined when unknown. */
export function typeOfSlug(slug: string): AccessType | undefined {
  return TYPES.find((type) => type.toLowerCase() === slug.toLowerCase())
}

/** What a profile is entitled to, list by list, each in the order in which it is shown. */
export const CATALOGUE = { types: TYPES, marcas: MARCAS, estados: ESTADOS } as const
export type ListName = keyof typeof CATALOGUE
export const LISTS = Object.keys(CATALOGUE) as ListName[]
export type Entitlements = Record<ListName, string[]>

/** How old profiles may spell it. */
const OLD_SPELLING = { label: 'Administrativo', spelling: 'administrativo' }

/** Everything that a profile may hold for a type. */
export function spellingsOf(type: string): string[] {
  return type === OLD_SPELLING.label ? [type, OLD_SPELLING.spelling] : [type]
}

/** The items in the catalogue's order, each once, unknown ones last as given; 'administrativo' counts as Administrativo. */
export function inOrder(list: ListName, items: readonly string[]): string[] {
  const known: readonly string[] = CATALOGUE[list]
  const isOld = (item: string) => list === 'types' && item === OLD_SPELLING.spelling
  const held = new Set(items.map((item) => (isOld(item) ? OLD_SPELLING.label : item)))
  return [...known.filter((item) => held.has(item)), ...[...held].filter((item) => !known.includes(item))]
}

// Apart from the names themselves, which the browser has without zod.
export const typeSchema = z.enum(TYPES)
export const marcaSchema = z.enum(MARCAS)
export const estadoSchema = z.enum(ESTADOS)
