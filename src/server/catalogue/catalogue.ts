import { type RawBuilder, sql } from 'kysely'
import type { Catalogue, CatalogueItem, catalogueRoutes } from '#contract/catalogue.ts'
import {
  type Entitlements,
  getValues,
  LISTS,
  type ListName,
  listSpellings,
  OLD_SPELLING,
  toKey,
} from '#contract/entitlement-lists.ts'
import type { FieldProblem } from '#contract/problem.ts'
import type { ReplyOf } from '#contract/route.ts'
import type { ProfileFilter } from '#contract/users.ts'
import { prepare } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'

const selectItems = (list: ListName) => `(
  select coalesce(json_agg(json_build_object('code', code, 'label', label, 'position', position, 'archived', archived)
    order by position, code), '[]')
  from catalogue_items where kind = '${list}')`

/** SQL of the Catalogue as JSON: the driver reads one value faster than many rows. */
export const CATALOGUE_JSON = `json_build_object(
  'version', (select value::integer from portal_facts where name = 'catalogue-version'),
  ${LISTS.map((list) => `'${list}', ${selectItems(list)}`).join(', ')})`
const READ_CATALOGUE = prepare(`select ${CATALOGUE_JSON} as catalogue`)

/** Read per request: it is small, and a change takes effect on every replica at once. */
export async function readCatalogue(db: Db): Promise<Catalogue> {
  const { rows } = await sql.raw<{ catalogue: Catalogue }>(READ_CATALOGUE).execute(db)
  return (rows[0] as { catalogue: Catalogue }).catalogue
}

/**
 * Locks the catalogue for a transaction that writes lists, so that no area is renamed meanwhile. Lock
 * it before any row of a person, as a rename does.
 */
export async function lockCatalogue(db: Db): Promise<Catalogue> {
  await sql`select value from portal_facts where name = 'catalogue-version' for share`.execute(db)
  return readCatalogue(db)
}

/** Finds an area by slug or label. @throws ProblemError invalid-input if there is none */
export function findArea({ types }: Catalogue, wanted: { slug: string } | { label: string }): CatalogueItem {
  const area = types.find(({ code, label }) =>
    'slug' in wanted ? code === wanted.slug : label === wanted.label,
  )
  if (area) return area
  throw createUnknownValueError('type')
}

/** @throws ProblemError invalid-input if a filter has a value outside the catalogue */
export async function rejectUnknownFilter(
  db: Db,
  { type, marca, estado }: Pick<ProfileFilter, 'type' | 'marca' | 'estado'>,
): Promise<void> {
  if (!type && !marca && !estado) return
  const catalogue = await readCatalogue(db)
  const isKnown = (list: ListName, value = '') => !value || getValues(catalogue, list).includes(value)
  const path =
    (!isKnown('types', type) && 'type') ||
    (!isKnown('marcas', marca) && 'marca') ||
    (!isKnown('estados', estado) && 'estado')
  if (path) throw createUnknownValueError(path)
}

function createUnknownValueError(path: string): ProblemError {
  return toFieldError(path, 'Este valor não existe. Atualize a página e escolha de novo.')
}

/**
 * Rejects values outside the catalogue.
 * @param lists the lists to be written
 * @param held current values, which may stay although archived; undefined accepts all archived ones
 * @param prefix path of the lists in the request, 'items.2.'
 * @throws ProblemError invalid-input, with fields such as 'types.0'
 */
export function rejectUnknownItems(
  catalogue: Catalogue,
  lists: Partial<Entitlements>,
  held: Partial<Entitlements> | undefined,
  prefix = '',
): void {
  const fields = LISTS.flatMap((list) =>
    (lists[list] ?? []).flatMap((value, index): FieldProblem[] => {
      const item = catalogue[list].find((each) => toKey(list, each) === value)
      const path = `${prefix}${list}.${index}`
      if (!item) return [{ path, message: `“${value}” não existe. Atualize a página e escolha de novo.` }]
      if (!item.archived || !held || held[list]?.includes(value)) return []
      return [{ path, message: `“${value}” está no arquivo: não dá mais para liberar a ninguém.` }]
    }),
  )
  if (fields[0]) throw new ProblemError('invalid-input', { detail: fields[0].message, fields })
}

/** SQL of whether a row of `profiles` holds every item of a list that is not archived. */
export function holdsAll(catalogue: Catalogue, list: ListName): RawBuilder<boolean> {
  const held = catalogue[list]
    .filter(({ archived }) => !archived)
    .map((item) => sql<boolean>`${sql.ref(list)} && ${listSpellings(toKey(list, item))}::text[]`)
  return held.length > 0 ? sql.join(held, sql` and `) : sql`false`
}

/** SQL of whether `profiles p` holds a whole list, or all but one item; archived ones do not count. */
export function holdsAllOf(list: ListName, exceptCode = ''): RawBuilder<boolean> {
  const { spelling, label } = OLD_SPELLING
  const held =
    list === 'types' ? sql`array_replace(p.types, ${spelling}::text, ${label}::text)` : sql.ref(`p.${list}`)
  const select = (isWanted: RawBuilder<boolean>) => sql`array(
    select ${sql.ref(list === 'types' ? 'label' : 'code')} from catalogue_items
    where kind = ${sql.lit(list)} and not archived and ${isWanted})`
  return sql`(${held} @> ${select(sql`code <> ${exceptCode}`)}
    and not ${held} && ${select(sql`code = ${exceptCode}`)})`
}

export async function readCatalogueUse(db: Db): Promise<ReplyOf<typeof catalogueRoutes.readCatalogueUse>> {
  const catalogue = await readCatalogue(db)
  const settings = await db
    .selectFrom('global_powerbi_settings')
    .select('type')
    .unionAll(db.selectFrom('further_reports').select('type').where('deleted_at', 'is', null))
    .execute()
  const { rows } = await sql<{ kind: ListName; value: string; people: number }>`
    select kind, value, count(distinct user_id)::integer as people from (
      select user_id, 'types' as kind, unnest(types) as value from profiles
      union all select user_id, 'marcas', unnest(marcas) from profiles
      union all select user_id, 'estados', unnest(estados) from profiles
    ) as held group by kind, value`.execute(db)
  const counts = LISTS.map(
    (list) => sql`count(*) filter (where ${holdsAll(catalogue, list)})::integer as ${sql.ref(list)}`,
  )
  const holders = await sql<Record<ListName, number>>`select ${sql.join(counts)} from profiles`.execute(db)
  const countPeople = (kind: ListName, value: string) => {
    const values = kind === 'types' ? listSpellings(value) : [value]
    return rows
      .filter((row) => row.kind === kind && values.includes(row.value))
      .reduce((sum, { people }) => sum + people, 0)
  }
  const named = LISTS.flatMap((kind) => catalogue[kind].map((item) => ({ kind, item })))
  const others = await sql<{ counts: number[] }>`select array[${sql.join(
    named.map(({ kind, item }) => sql`count(*) filter (where ${holdsAllOf(kind, item.code)})`),
  )}]::integer[] as counts from profiles p`.execute(db)
  const items = named.map(({ kind, item }, index) => ({
    kind,
    code: item.code,
    people: countPeople(kind, toKey(kind, item)),
    reports: kind === 'types' ? settings.filter(({ type }) => type === item.code).length : 0,
    holdersOfOthers: item.archived || catalogue[kind].length < 2 ? 0 : (others.rows[0]?.counts[index] ?? 0),
  }))
  return { items, holdersOfAll: holders.rows[0] as Record<ListName, number> }
}
