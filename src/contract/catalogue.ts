import * as z from 'zod/mini'

/** The nine access types (report areas), SPEC section 3, in the fixed tab order of SPEC section 4. */
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

/** The ten brand codes, SPEC section 3. */
export const MARCAS = ['FIAT', 'GAC', 'GM', 'GWM', 'HONDA', 'HYUN', 'JEEP', 'OMJA', 'TOYO', 'VW'] as const
export type Marca = (typeof MARCAS)[number]

/** The four state codes, SPEC section 3. */
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

/**
 * Puts report areas into the fixed tab order; a lowercase 'administrativo' counts as Administrativo,
 * unknown types go last in the order given, and repeated ones are dropped (SPEC sections 3 and 4).
 */
export function orderTypes(types: readonly string[]): string[] {
  const labels = types.map((type) => (type === 'administrativo' ? 'Administrativo' : type))
  const rank = (type: string) => {
    const index = (TYPES as readonly string[]).indexOf(type)
    return index === -1 ? TYPES.length : index
  }
  return [...new Set(labels)].sort((a, b) => rank(a) - rank(b))
}

// Apart from the names themselves, which the browser has without zod.
export const typeSchema = z.enum(TYPES)
export const marcaSchema = z.enum(MARCAS)
export const estadoSchema = z.enum(ESTADOS)
