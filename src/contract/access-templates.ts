import * as z from 'zod/mini'
import { catalogueMessages, typeSchema } from './catalogue.ts'
import { formatList } from './format-list.ts'
import type { Routes } from './route.ts'
import { listSchemas } from './users.ts'

export const MAX_TEMPLATES = 100

export const accessTemplateMessages = {
  nothing: 'Marque pelo menos um tipo, uma marca ou um estado',
  nameTaken: 'Já existe um modelo com este nome',
  tooMany: `Já há ${MAX_TEMPLATES} modelos, o máximo`,
  changedMeanwhile: 'O modelo mudou nesse meio-tempo. Confira como ele está agora antes de salvar de novo.',
  gone: 'Este modelo não existe mais. Talvez já tenha sido excluído.',
  usedByGroups: (names: readonly string[]) => {
    const list = formatList(names.map((name) => `“${name}”`))
    return names.length === 1
      ? `O grupo do diretório ${list} dá este modelo: escolha outro para ele, ou exclua o grupo, antes de excluir o modelo.`
      : `${names.length} grupos do diretório dão este modelo (${list}): escolha outro para eles, ou exclua os grupos, antes de excluir o modelo.`
  },
} as const

/** A named set of entitlements, copied when applied. It may contain items that were archived later. */
const accessTemplateSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  types: z.array(z.string()),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
  /** Incremented with every change; sent as If-Match. */
  version: z.number(),
})
export type AccessTemplate = z.output<typeof accessTemplateSchema>

const templateBody = z.strictObject({ name: typeSchema, ...listSchemas })
export type AccessTemplateForm = z.output<typeof templateBody>
export type AccessTemplateChange = {
  [Name in keyof AccessTemplateForm]?: AccessTemplateForm[Name] | undefined
}
const templateParams = z.object({ id: z.uuid() })

export const accessTemplateRoutes = {
  listAccessTemplates: {
    method: 'GET',
    path: '/api/access-templates',
    access: 'admin',
    summary: 'Every access template, by name',
    response: z.object({ items: z.array(accessTemplateSchema) }),
  },
  addAccessTemplate: {
    method: 'POST',
    path: '/api/access-templates',
    access: 'admin',
    trail: 'access-template-added',
    idempotent: true,
    summary: 'Adds an access template; what is archived it cannot hold',
    body: templateBody,
    response: accessTemplateSchema,
    status: 201,
  },
  changeAccessTemplate: {
    method: 'PATCH',
    path: '/api/access-templates/{id}',
    access: 'admin',
    trail: 'access-template-changed',
    conditional: true,
    idempotent: true,
    summary:
      'Renames an access template or sets lists of it, for whoever is given it from now on; with a stale If-Match 409',
    params: templateParams,
    body: z
      .partial(templateBody)
      .check(z.refine((body) => Object.keys(body).length > 0, catalogueMessages.nothing)),
    response: accessTemplateSchema,
  },
  removeAccessTemplate: {
    method: 'DELETE',
    path: '/api/access-templates/{id}',
    access: 'admin',
    trail: 'access-template-removed',
    conditional: true,
    idempotent: true,
    summary:
      'Removes an access template; nobody loses anything. With a stale If-Match, or groups that give it, 409',
    params: templateParams,
  },
} as const satisfies Routes
