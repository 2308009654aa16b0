import { type RawBuilder, sql } from 'kysely'
import { foldText, listSpellings } from '#contract/entitlement-lists.ts'
import type { Db } from '#server/database/schema.ts'

/** Which area had a name, in the entries with ids in (since, until]. */
interface Tenure {
  code: string
  label: string
  since: number
  until: number
}

export type AreaNames = Awaited<ReturnType<typeof readAreaNames>>

/** Reads which area had which name when, by the trail: a name that became free may be another's later. */
export async function readAreaNames(db: Db) {
  const { rows: ended } = await sql<{ code: string; label: string; until: number }>`
    select before ->> 'code' as code, before ->> 'label' as label, id as until from audit_entries
    where action in ('catalogue-item-changed', 'catalogue-item-removed') and before ->> 'kind' = 'types'
      and before ->> 'label' is not null order by id`.execute(db)
  const { rows: current } = await sql<{ code: string; label: string }>`
    select code, label from catalogue_items where kind = 'types'`.execute(db)
  const tenures: Tenure[] = []
  for (const { code, label, until } of [
    ...ended,
    ...current.map((item) => ({ ...item, until: Number.MAX_SAFE_INTEGER })),
  ])
    for (const spelling of listSpellings(label)) {
      const since = tenures.findLast((each) => each.label === spelling)?.until ?? 0
      tenures.push({ code, label: spelling, since, until })
    }
  return {
    /** Returns the area that had a name in an entry, or has or had it last; the name itself if none had. */
    findCode(label: string, entryId = Number.MAX_SAFE_INTEGER): string {
      const named = tenures.filter((each) => each.label === label)
      return (named.find(({ until }) => entryId <= until) ?? named.at(-1))?.code ?? label
    },
    /** Returns the area that a person names, by its code or a name, however they write it. */
    findAsked(text: string): string | undefined {
      const wanted = foldText(text.trim())
      const isNamed = (each: Tenure) => each.code === wanted || foldText(each.label) === wanted
      return (tenures.findLast(({ label }) => label === text) ?? tenures.findLast(isNamed))?.code
    },
    listTenures: (code: string): Tenure[] => tenures.filter((each) => each.code === code),
  }
}

/**
 * Builds the condition that an entry names an area in a list of labels, by the name it had then.
 * @param has SQL of whether the entry has a label
 */
export function namesArea(
  tenures: readonly Tenure[],
  id: RawBuilder<unknown>,
  has: (label: string) => RawBuilder<unknown>,
): RawBuilder<boolean> {
  if (tenures.length === 0) return sql<boolean>`false`
  const conditions = tenures.map(({ label, since, until }) => {
    const after = since > 0 ? sql`and ${id} > ${since}` : sql``
    const before = until < Number.MAX_SAFE_INTEGER ? sql`and ${id} <= ${until}` : sql``
    return sql`(${has(label)} ${after} ${before})`
  })
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}
