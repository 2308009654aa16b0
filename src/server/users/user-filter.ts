import { type RawBuilder, sql } from 'kysely'
import { spellingsOf } from '#contract/catalogue.ts'
import type { QueryOf } from '#contract/route.ts'
import type { ProfileFilter, userRoutes } from '#contract/users.ts'

/** The filter of a query, where flags are words, as the one that bodies carry. */
export function readFilter({
  approved,
  verified,
  ...rest
}: QueryOf<typeof userRoutes.countProfiles>): ProfileFilter {
  return {
    ...rest,
    ...(approved && { approved: approved === 'true' }),
    ...(verified && { verified: verified === 'true' }),
  }
}

/** The filter as a condition on `profiles p`: everything that it names must hold. */
export function matches({
  q = '',
  approved,
  verified,
  type,
  marca,
  estado,
}: ProfileFilter): RawBuilder<boolean> {
  const conditions = q
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => sql`strpos(p.search_text, fold_text(${word})) > 0`)
  if (approved !== undefined) conditions.push(sql`p.approved = ${approved}`)
  if (verified !== undefined) conditions.push(sql`(p.email_verified_at is not null) = ${verified}`)
  if (type) conditions.push(sql`p.types && ${spellingsOf(type)}::text[]`)
  if (marca) conditions.push(sql`${marca} = any(p.marcas)`)
  if (estado) conditions.push(sql`${estado} = any(p.estados)`)
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
}
