import { orderTypes } from '#contract/catalogue.ts'
import type { ManagedProfile, ProfileFilter, ProfileSort } from '#contract/users.ts'

/** What the table has read of its list. */
export interface Reading {
  profiles: readonly ManagedProfile[]
  /** To its end, and lately. */
  isWhole: boolean
}

/** In these orders nobody passes anybody; in the others a change moves a person, who may not be read again yet. */
const STEADY: readonly ProfileSort[] = ['email', 'full_name', 'created_at']

/**
 * Tells who is not in a list any more now that it has been read anew. Rows that have not been read yet are not gone:
 * of a list read in part they are those who do not match as they were seen last, and those who stood before
 * somebody who is still there.
 * @param before the people of the same list and order when they were read last, with what was changed since
 */
export function findWhoLeft(
  before: readonly ManagedProfile[],
  { profiles, isWhole }: Reading,
  filter: ProfileFilter,
  sort: ProfileSort,
): (userId: string) => boolean {
  const there = new Set(profiles.map(({ user_id }) => user_id))
  if (isWhole) return (userId) => !there.has(userId)
  const passed = STEADY.includes(sort) ? before.findLastIndex(({ user_id }) => there.has(user_id)) : -1
  const gone = before.filter(
    (profile, index) => !there.has(profile.user_id) && (index < passed || !mayMatch(profile, filter)),
  )
  const left = new Set(gone.map(({ user_id }) => user_id))
  return (userId) => left.has(userId)
}

/** The search aside, which looks at what nobody changes: names and e-mails. */
function mayMatch(
  profile: ManagedProfile,
  { approved, verified, type, marca, estado }: ProfileFilter,
): boolean {
  return (
    (approved ?? profile.approved) === profile.approved &&
    (verified ?? profile.email_verified_at !== null) === (profile.email_verified_at !== null) &&
    (!type || orderTypes(profile.types).includes(type)) &&
    (!marca || profile.marcas.includes(marca)) &&
    (!estado || profile.estados.includes(estado))
  )
}
