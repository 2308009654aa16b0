import type { Catalogue, catalogueRoutes } from '#contract/catalogue.ts'
import { type ListName, mapLists, toKey } from '#contract/entitlement-lists.ts'
import type { Context } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import { readCatalogue, readCatalogueUse } from './catalogue.ts'
import {
  addCatalogueItem,
  changeCatalogueItem,
  orderCatalogue,
  removeCatalogueItem,
} from './change-catalogue.ts'

export function catalogueHandlers(): Handlers<typeof catalogueRoutes> {
  return {
    readCatalogue: ({ context }) => readOwnCatalogue(context),
    readCatalogueUse: ({ context }) => readCatalogueUse(context.db),
    orderCatalogue: ({ context, ifMatch, body }) => orderCatalogue(context, { ifMatch, order: body }),
    addCatalogueItem: ({ context, params, body }) => addCatalogueItem(context, { ...params, ...body }),
    changeCatalogueItem: ({ context, params, ifMatch, body }) =>
      changeCatalogueItem(context, { ...params, ifMatch, change: body }),
    removeCatalogueItem: ({ context, params, ifMatch }) =>
      removeCatalogueItem(context, { ...params, ifMatch }),
  }
}

/** Pending people may be strangers: they see archived items only if they have them. */
async function readOwnCatalogue({ db, actor }: Context): Promise<Catalogue> {
  const catalogue = await readCatalogue(db)
  if (actor.role === 'admin' || actor.approved) return catalogue
  const ownItems = (list: ListName) =>
    catalogue[list].filter((item) => !item.archived || actor.profile[list].includes(toKey(list, item)))
  return { ...catalogue, ...mapLists(ownItems) }
}
