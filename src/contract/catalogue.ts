import * as z from 'zod/mini'
import { fold, LISTS, MAX_LABEL_LENGTH } from './held-lists.ts'
import type { Routes } from './route.ts'

/** So many areas, brands or states there may be, archived ones among them. */
export const MAX_ITEMS = 100

export const catalogueMessages = {
  labelRequired: 'Informe um nome',
  labelInvalid: 'Use no máximo 40 caracteres, sem espaços nas pontas nem caracteres de controle',
  labelTaken: 'Já existe um item com este nome',
  codeInvalid: 'Use de 1 a 20 letras maiúsculas sem acento, números, hífen ou sublinhado',
  codeTaken: 'Este código já existe ou já existiu. Desarquive o item ou use outro código.',
  tooMany: 'Já há 100 itens nesta lista, o máximo',
  nothing: 'Informe o que deve mudar',
  orderInvalid: 'Informe cada item da lista exatamente uma vez',
  changedMeanwhile: 'A lista mudou nesse meio-tempo. Confira como ela está agora antes de salvar de novo.',
} as const

/** What an area is called, and what types hold; nothing that cannot be seen. */
export const typeSchema = z
  .string()
  .check(
    z.minLength(1, catalogueMessages.labelRequired),
    z.maxLength(MAX_LABEL_LENGTH, catalogueMessages.labelInvalid),
    z.regex(/^(?!\s)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*(?<!\s)$/u, catalogueMessages.labelInvalid),
  )
const codeSchema = z.string().check(z.regex(/^[A-Z0-9_-]{1,20}$/, catalogueMessages.codeInvalid))
/** A brand's and a state's code: nothing in it can break out of the customData of an identity, `M:FIAT|U:RJ`. */
export const marcaSchema = codeSchema
export const estadoSchema = codeSchema
/** The slug under which an area's setting is stored and named in paths. */
export const slugSchema = z.string().check(z.regex(/^[a-z0-9-]{1,40}$/))

const catalogueItemSchema = z.object({
  /** Of an area its slug. It never changes and is never used again. */
  code: z.string(),
  label: z.string(),
  position: z.number(),
  /** Valid where it is held, and given to nobody anew. */
  archived: z.boolean(),
})
export type CatalogueItem = z.output<typeof catalogueItemSchema>

/** Every area, brand and state in the order in which they are shown. */
const catalogueSchema = z.object({
  /** Goes into If-Match, and up with every change. */
  version: z.number(),
  types: z.array(catalogueItemSchema),
  marcas: z.array(catalogueItemSchema),
  estados: z.array(catalogueItemSchema),
})
export type Catalogue = z.output<typeof catalogueSchema>

/** The slug of a new area: 'Pós-venda & Peças' → 'pos-venda-pecas'; empty when nothing of the label serves. */
export function slugOf(label: string): string {
  return fold(label)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

const isSomeGiven = z.refine<object>((body) => Object.keys(body).length > 0, catalogueMessages.nothing)
const kindParams = z.object({ kind: z.enum(LISTS) })
const orderSchema = z.optional(z.array(z.union([slugSchema, codeSchema])).check(z.maxLength(MAX_ITEMS)))

export const catalogueRoutes = {
  readCatalogue: {
    method: 'GET',
    path: '/api/catalogue',
    access: 'signedIn',
    summary:
      'Every area, brand and state in order; archived ones too, but for those who wait and do not hold them',
    response: catalogueSchema,
  },
  readCatalogueUse: {
    method: 'GET',
    path: '/api/catalogue/use',
    access: 'admin',
    summary: 'How many people and reports hold each area, brand and state',
    response: z.object({
      items: z.array(
        z.object({ kind: z.enum(LISTS), code: z.string(), people: z.number(), reports: z.number() }),
      ),
    }),
  },
  orderCatalogue: {
    method: 'PUT',
    path: '/api/catalogue',
    access: 'admin',
    conditional: true,
    summary: 'Sets the order of the lists that it names, by all their codes; with a stale If-Match 409',
    body: z
      .strictObject({ types: orderSchema, marcas: orderSchema, estados: orderSchema })
      .check(isSomeGiven),
    response: catalogueSchema,
  },
  addCatalogueItem: {
    method: 'POST',
    path: '/api/catalogue/{kind}',
    access: 'admin',
    summary: 'Adds an area, whose slug is made of its label, or a brand or a state with its code',
    params: kindParams,
    body: z.strictObject({ label: typeSchema, code: z.optional(codeSchema) }),
    response: catalogueSchema,
    status: 201,
  },
  changeCatalogueItem: {
    method: 'PATCH',
    path: '/api/catalogue/{kind}/{code}',
    access: 'admin',
    conditional: true,
    summary:
      'Renames an item, everywhere at once, or archives it or takes it back; with a stale If-Match 409',
    params: z.extend(kindParams, { code: z.union([slugSchema, codeSchema]) }),
    body: z
      .strictObject({ label: z.optional(typeSchema), archived: z.optional(z.boolean()) })
      .check(isSomeGiven),
    response: catalogueSchema,
  },
} as const satisfies Routes
