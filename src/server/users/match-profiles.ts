import { type RawBuilder, sql } from 'kysely'
import type { ProfileFilter } from '#contract/users.ts'
import { foldText } from './fold-text.ts'

type Condition = RawBuilder<unknown>

/** The filter as a condition on `profiles p`: everything that it names must hold. */
export function matches(filter: ProfileFilter): Condition {
  const conditions: Condition[] = wordsOf(filter.q ?? '').map(
    (word) => sql`p.search_text like ${`%${escapeLike(word)}%`}`,
  )
  if (filter.approved !== undefined) conditions.push(sql`p.approved = ${sql.lit(filter.approved)}`)
  if (filter.verified !== undefined)
    conditions.push(filter.verified ? sql`p.email_verified_at is not null` : sql`p.email_verified_at is null`)
  if (filter.type) conditions.push(sql`p.types && ${spellingsOf(filter.type)}::text[]`)
  if (filter.marca) conditions.push(sql`p.marcas @> ${[filter.marca]}::text[]`)
  if (filter.estado) conditions.push(sql`p.estados @> ${[filter.estado]}::text[]`)
  return allOf(conditions)
}

/** All the conditions at once; without any, everybody. */
function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
}

/**
 * Two letters hold no trigram, and with any third one before them they do: what the index needs to find the
 * words of two letters. There is always one, for the text begins with a blank, and in Latin script it is one of these.
 */
const LATIN = '[ -~ß-ſ]'

/** Says nothing that matches() does not say, but so that indexes can be used for it. */
export function indexHints({ q, type, marca, estado }: ProfileFilter): Condition {
  const pairs = wordsOf(q ?? '').filter((word) => /^[a-z0-9]{2}$/.test(word))
  const hints: Condition[] = pairs.map((pair) => sql`p.search_text ~ ${LATIN + pair}`)
  return allOf(type || marca || estado ? [...hints, sql`p.is_entitled`] : hints)
}

function wordsOf(q: string): string[] {
  return foldText(q).split(/\s+/).filter(Boolean)
}

function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&')
}

/** Old profiles may hold Administrativo in lower case (SPEC section 3). */
function spellingsOf(type: string): string[] {
  return type === 'Administrativo' ? [type, 'administrativo'] : [type]
}
