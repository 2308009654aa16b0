import * as z from 'zod/mini'
import { foldText, LISTS, MAX_LABEL_LENGTH } from './entitlement-lists.ts'
import type { Routes } from './route.ts'
import { ONE_LINE } from './text-rules.ts'
import { undoable } from './undo.ts'

/** Maximum of areas, brands or states, including archived ones. */
export const MAX_ITEMS = 100

export const catalogueMessages = {
  labelRequired: 'Informe um nome',
  labelInvalid: 'Use no máximo 40 caracteres, sem espaços nas pontas nem caracteres de controle',
  labelConfusing: 'Use letras de um só alfabeto, com um acento por letra',
  labelTaken: 'Já existe um item com este nome',
  codeInvalid: 'Use de 1 a 20 letras maiúsculas sem acento, números, hífen ou sublinhado',
  codeTaken: 'Este código já existe ou já existiu. Desarquive o item ou use outro código.',
  tooMany: 'Já há 100 itens nesta lista, o máximo',
  nothing: 'Informe o que deve mudar',
  orderInvalid: 'Informe cada item da lista exatamente uma vez',
  codeUsed: 'Alguém já teve este item, ou ele já foi usado; ele pode ser arquivado, mas não excluído.',
  changedMeanwhile: 'A lista mudou nesse meio-tempo. Confira como ela está agora antes de salvar de novo.',
} as const

/** An area's label, as in `types`; no invisible characters. */
export const typeSchema = z
  .string()
  .check(
    z.minLength(1, catalogueMessages.labelRequired),
    z.maxLength(MAX_LABEL_LENGTH, catalogueMessages.labelInvalid),
    z.regex(/^(?!\s)[\s\S]*(?<!\s)$/, catalogueMessages.labelInvalid),
    z.regex(ONE_LINE, catalogueMessages.labelInvalid),
  )
const CYRILLIC_OR_GREEK = /[\p{Script=Cyrillic}\p{Script=Greek}]/u
/** Two combining marks in a row that have no composed form. */
const PILED_ACCENTS = /\p{Script=Inherited}{2}/u
/** Checked only when written, so that stored labels stay valid in `types`. */
const newLabelSchema = typeSchema.check(
  z.refine(
    (label) =>
      !(/\p{Script=Latin}/u.test(label) && CYRILLIC_OR_GREEK.test(label)) &&
      !PILED_ACCENTS.test(label.normalize('NFC')),
    catalogueMessages.labelConfusing,
  ),
)
const codeSchema = z.string().check(z.regex(/^[A-Z0-9_-]{1,20}$/, catalogueMessages.codeInvalid))
/** Code of a brand or state; it cannot break out of an identity's customData, `M:FIAT|U:RJ`. */
export const marcaSchema = codeSchema
export const estadoSchema = codeSchema
/** Slug of an area, used for its setting and in paths. */
export const slugSchema = z.string().check(z.regex(/^[a-z0-9-]{1,40}$/))

const catalogueItemSchema = z.object({
  /** For areas, the slug. It never changes, and is never reused once anybody held it. */
  code: z.string(),
  label: z.string(),
  position: z.number(),
  /** Archived items stay valid where granted, but cannot be granted again. */
  archived: z.boolean(),
})
export type CatalogueItem = z.output<typeof catalogueItemSchema>

/** All areas, brands and states in display order. */
const catalogueSchema = z.object({
  /** Incremented with every change; sent as If-Match. */
  version: z.number(),
  types: z.array(catalogueItemSchema),
  marcas: z.array(catalogueItemSchema),
  estados: z.array(catalogueItemSchema),
})
export type Catalogue = z.output<typeof catalogueSchema>

/** Converts a label to a slug: 'Pós-venda & Peças' → 'pos-venda-pecas'; may be empty. */
export function toSlug(label: string): string {
  return foldText(label)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

const nonEmptyCheck = z.refine<object>((body) => Object.keys(body).length > 0, catalogueMessages.nothing)
const kindParams = z.object({ kind: z.enum(LISTS) })
const itemParams = z.extend(kindParams, { code: z.union([slugSchema, codeSchema]) })
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
        z.object({
          kind: z.enum(LISTS),
          code: z.string(),
          people: z.number(),
          reports: z.number(),
          /** How many people hold every other item of the list, but not this one. */
          holdersOfOthers: z.number(),
        }),
      ),
      /** How many people hold every item of a list that is not archived. */
      holdersOfAll: z.object({ types: z.number(), marcas: z.number(), estados: z.number() }),
    }),
  },
  orderCatalogue: {
    method: 'PUT',
    path: '/api/catalogue',
    access: 'admin',
    trail: 'catalogue-ordered',
    conditional: true,
    idempotent: true,
    summary: 'Sets the order of the lists that it names, by all their codes; with a stale If-Match 409',
    body: z
      .strictObject({ types: orderSchema, marcas: orderSchema, estados: orderSchema })
      .check(nonEmptyCheck),
    response: z.extend(catalogueSchema, undoable),
  },
  addCatalogueItem: {
    method: 'POST',
    path: '/api/catalogue/{kind}',
    access: 'admin',
    trail: ['catalogue-item-added', 'entitlements-added'],
    idempotent: true,
    summary: 'Adds an area, whose slug is made of its label, or a brand or a state with its code',
    params: kindParams,
    body: z.strictObject({
      label: newLabelSchema,
      code: z.optional(codeSchema),
      /** Also gives it to everybody who holds the whole list. */
      giveToHolders: z.optional(z.boolean()),
    }),
    /** The undo takes it back from the people who got it; the item stays. */
    response: z.extend(catalogueSchema, {
      given: z.number(),
      undoId: z.nullable(z.uuid()),
      undoSeconds: z.number(),
    }),
    status: 201,
  },
  changeCatalogueItem: {
    method: 'PATCH',
    path: '/api/catalogue/{kind}/{code}',
    access: 'admin',
    trail: 'catalogue-item-changed',
    conditional: true,
    idempotent: true,
    summary:
      'Renames an item, everywhere at once, or archives it or takes it back; with a stale If-Match 409',
    params: itemParams,
    body: z
      .strictObject({ label: z.optional(newLabelSchema), archived: z.optional(z.boolean()) })
      .check(nonEmptyCheck),
    response: z.extend(catalogueSchema, undoable),
  },
  removeCatalogueItem: {
    method: 'DELETE',
    path: '/api/catalogue/{kind}/{code}',
    access: 'admin',
    trail: 'catalogue-item-removed',
    conditional: true,
    idempotent: true,
    summary: 'Removes an item that nobody ever held and no report uses, else 409; with a stale If-Match 409',
    params: itemParams,
    response: catalogueSchema,
  },
} as const satisfies Routes
