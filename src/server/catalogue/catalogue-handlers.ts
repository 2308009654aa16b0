import { sql } from 'kysely'
import type { Catalogue, catalogueRoutes } from '#contract/catalogue.ts'
import { heldAs, LISTS, type ListName, spellingsOf } from '#contract/held-lists.ts'
import type { ReplyOf } from '#contract/route.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import { readCatalogue } from './catalogue.ts'
import { addCatalogueItem, changeCatalogueItem, orderCatalogue } from './change-catalogue.ts'

export function catalogueHandlers(): Handlers<typeof catalogueRoutes> {
  return {
    readCatalogue: ({ context }) => readOwnCatalogue(context),
    readCatalogueUse: ({ context }) => readCatalogueUse(context.db),
    orderCatalogue: ({ context, ifMatch, body }) => orderCatalogue(context, { ifMatch, order: body }),
    addCatalogueItem: ({ context, params, body }) => addCatalogueItem(context, { ...params, ...body }),
    changeCatalogueItem: ({ context, params, ifMatch, body }) =>
      changeCatalogueItem(context, { ...params, ifMatch, change: body }),
  }
}

/** Whoever waits for approval may be anybody: of what is archived they learn what they hold. */
async function readOwnCatalogue({ db, actor }: Context): Promise<Catalogue> {
  const catalogue = await readCatalogue(db)
  if (actor.role === 'admin' || actor.approved) return catalogue
  const ownItems = (list: ListName) =>
    catalogue[list].filter((item) => !item.archived || actor.profile[list].includes(heldAs(list, item)))
  return { ...catalogue, types: ownItems('types'), marcas: ownItems('marcas'), estados: ownItems('estados') }
}

/** How many people hold each item, and how many reports stand under it. */
async function readCatalogueUse(db: Db): Promise<ReplyOf<typeof catalogueRoutes.readCatalogueUse>> {
  const catalogue = await readCatalogue(db)
  const settings = await db.selectFrom('global_powerbi_settings').select('type').execute()
  const { rows } = await sql<{ kind: ListName; value: string; people: number }>`
    select kind, value, count(distinct user_id)::integer as people from (
      select user_id, 'types' as kind, unnest(types) as value from profiles
      union all select user_id, 'marcas', unnest(marcas) from profiles
      union all select user_id, 'estados', unnest(estados) from profiles
    ) as held group by kind, value`.execute(db)
  const peopleWith = (kind: ListName, value: string) => {
    const values = kind === 'types' ? spellingsOf(value) : [value]
    return rows
      .filter((row) => row.kind === kind && values.includes(row.value))
      .reduce((sum, { people }) => sum + people, 0)
  }
  const items = LISTS.flatMap((kind) =>
    catalogue[kind].map((item) => ({
      kind,
      code: item.code,
      people: peopleWith(kind, heldAs(kind, item)),
      reports: kind === 'types' ? settings.filter(({ type }) => type === item.code).length : 0,
    })),
  )
  return { items }
}
