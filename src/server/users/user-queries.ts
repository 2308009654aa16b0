import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import {
  isProfileInstant,
  type ManagedProfile,
  managedProfileSchema,
  PROFILE_FIELDS,
  type Profile,
  profileSchema,
} from '#contract/users.ts'
import type { Db, ProfilesTable } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'

/** What administrators see besides the fields of a profile, as SQL on `profiles p`. */
const MANAGED_FIELDS: Record<Exclude<keyof ManagedProfile, keyof Profile>, string> = {
  role: `coalesce((select r.role from user_roles r where r.user_id = p.user_id), 'user')`,
  version: 'p.entitlement_version',
}

const profileFields = PROFILE_FIELDS.map((name) => [
  name,
  // As Date.toISOString writes it.
  isProfileInstant(name)
    ? `to_char(p.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `p.${name}`,
])

/** SQL of a JSON object from its keys and what SQL each comes from. */
export const jsonOf = (fields: string[][]) =>
  `json_build_object(${fields.map(([name, value]) => `'${name}', ${value}`).join(', ')})`

/** SQL of a Profile of `profiles p`: the driver takes longer to read many columns than one JSON text. */
export const PROFILE_JSON = jsonOf(profileFields)

const MANAGED_PROFILE_JSON = jsonOf([...profileFields, ...Object.entries(MANAGED_FIELDS)])

/** Selects the `profile` of each of `people`, called p, as administrators see it; presentManaged reads it. */
export function selectManaged<T, O>(people: SelectQueryBuilder<T & { p: object }, 'p', O>) {
  return people.select(sql.raw<unknown>(MANAGED_PROFILE_JSON).as('profile'))
}

export const presentManaged = ({ profile }: { profile: unknown }): ManagedProfile =>
  managedProfileSchema.parse(profile)

/** A row of the profiles as it goes over the wire. */
export function presentProfile(row: Pick<Selectable<ProfilesTable>, keyof Profile>): Profile {
  return profileSchema.parse(JSON.parse(JSON.stringify(row)))
}

/** One person's profile, or undefined when there is none (any more). */
export async function findProfile(db: Db, userId: string): Promise<Profile | undefined> {
  const row = await db
    .selectFrom('profiles')
    .select(PROFILE_FIELDS)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && presentProfile(row)
}

/** One person's row, locked until the transaction ends; undefined when there is none (any more). */
export function lockProfile(db: Db, userId: string): Promise<Selectable<ProfilesTable> | undefined> {
  return db.selectFrom('profiles').selectAll().where('user_id', '=', userId).forUpdate().executeTakeFirst()
}

/** @param email in lower case */
export function findByEmail(db: Db, email: string): Promise<Selectable<ProfilesTable> | undefined> {
  return db.selectFrom('profiles').selectAll().where('email', '=', email).executeTakeFirst()
}

/**
 * One person as administrators see them.
 * @throws ProblemError not-found
 */
export async function readProfile(db: Db, userId: string): Promise<ManagedProfile> {
  const row = await selectManaged(db.selectFrom('profiles as p'))
    .where('p.user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw unknownPerson()
  return presentManaged(row)
}

export function unknownPerson(): ProblemError {
  return new ProblemError('not-found', { detail: 'Usuário não encontrado. Talvez já tenha sido excluído.' })
}
