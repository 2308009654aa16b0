import { sql } from 'kysely'
import type { Catalogue } from '#contract/catalogue.ts'
import { type ChangeNotes, type NotedChange, noteChanges } from '#contract/change-notes.ts'
import { listSpellings } from '#contract/entitlement-lists.ts'
import type { Context } from '#server/http/context.ts'

/**
 * Reads what is worth saying of a change of many people.
 * @param ids all who were chosen, changed or not
 * @param changes with ids in place of names
 */
export async function readNotes(
  { db, actor }: Context,
  catalogue: Catalogue,
  ids: readonly string[],
  changes: readonly NotedChange[],
): Promise<ChangeNotes> {
  const settings = await db.selectFrom('global_powerbi_settings').select('type').execute()
  const areas = new Set(
    catalogue.types.flatMap(({ code, label }) =>
      settings.some(({ type }) => type === code) ? listSpellings(label) : [],
    ),
  )
  const { emptied } = noteChanges(changes, (area) => areas.has(area))
  const noted = emptied.flatMap(({ names }) => names)
  const people = await db
    .selectFrom('profiles')
    .select(['user_id', sql<string>`coalesce(full_name, email)`.as('name')])
    .where('user_id', 'in', noted.length > 0 ? noted : [null])
    .execute()
  const names = new Map(people.map(({ user_id, name }) => [user_id, name]))
  const self = actor.profile.user_id
  const { rows } = await sql<Pick<ChangeNotes, 'admins' | 'unapproved'>>`
    select count(*) filter (where r.role = 'admin' and p.user_id <> ${self})::int as admins,
      count(*) filter (where not p.approved)::int as unapproved
    from profiles p left join user_roles r using (user_id) where p.user_id = any(${ids}::uuid[])`.execute(db)
  return {
    emptied: emptied.map((each) => ({
      ...each,
      names: each.names.map((id) => names.get(id) ?? id).toSorted(),
    })),
    includesSelf: ids.includes(self),
    ...(rows[0] ?? { admins: 0, unapproved: 0 }),
  }
}
