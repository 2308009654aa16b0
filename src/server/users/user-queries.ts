import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { type ListName, OLD_SPELLING, spellingsOf } from '#contract/held-lists.ts'
import { IDLE_DAYS } from '#contract/user-rules.ts'
import {
  type HistoryEntry,
  isProfileInstant,
  type ManagedProfile,
  managedProfileSchema,
  PROFILE_FIELDS,
  type Profile,
  type ProfileFilter,
  profileSchema,
} from '#contract/users.ts'
import type { Db, ProfilesTable } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'

/** As Date.toISOString writes it. */
export const asInstant = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** SQL of the instant at which the access of `profiles p` ends by itself, null for never. */
export const ACCESS_ENDS_AT = `((p.valid_until + 1)::timestamp at time zone 'America/Sao_Paulo')`

/** SQL of an AccessRequest of `access_requests a`. */
const REQUEST_JSON = `json_build_object('workplace', a.workplace, 'types', a.types, 'marcas', a.marcas,
  'estados', a.estados, 'note', a.note, 'requested_at', ${asInstant('a.requested_at')})`

/** What administrators see besides the fields of a profile, as SQL on `profiles p`. */
const MANAGED_FIELDS: Record<Exclude<keyof ManagedProfile, keyof Profile>, string> = {
  role: `coalesce((select r.role from user_roles r where r.user_id = p.user_id), 'user')`,
  version: 'p.entitlement_version',
  request: `case when not p.approved then (select ${REQUEST_JSON} from access_requests a where a.user_id = p.user_id) end`,
}

const profileFields = PROFILE_FIELDS.map((name) => [
  name,
  isProfileInstant(name) ? asInstant(`p.${name}`) : `p.${name}`,
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

export function presentProfile(row: Pick<Selectable<ProfilesTable>, keyof Profile>): Profile {
  return profileSchema.parse(JSON.parse(JSON.stringify(row)))
}

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

/** Whether somebody waits for approval, as a condition on `profiles p`; whose approval was taken away does not. */
export const IS_WAITING = sql<boolean>`(not p.approved and p.approval_removed_at is null)`

/** SQL of what the lists of `access_templates` hold that is not archived. */
const givenOf = (list: ListName) => sql`array(
  select value from unnest(${sql.ref(list)}) as value
  where value not in (select ${sql.ref(list === 'types' ? 'label' : 'code')} from catalogue_items where kind = ${list} and archived)
)`

/**
 * Whether somebody has what a template gives and nothing else, as a condition on `profiles p`. What has been archived
 * since may be there: whoever was given the template before has it, whoever was given it after has not.
 */
function hasExactly(template: string): RawBuilder<boolean> {
  // What a profile may hold for an area, by its label.
  const types = sql`array_replace(p.types, ${OLD_SPELLING.spelling}, ${OLD_SPELLING.label})`
  return sql`exists (
    select from (
      select types, marcas, estados, ${givenOf('types')} as given_types, ${givenOf('marcas')} as given_marcas,
        ${givenOf('estados')} as given_estados
      from access_templates where id = ${template} offset 0
    ) as t where ${types} <@ t.types and ${types} @> t.given_types
      and p.marcas <@ t.marcas and p.marcas @> t.given_marcas
      and p.estados <@ t.estados and p.estados @> t.given_estados
  )`
}

/** Whom each filter lets through, as a condition on `profiles p`. */
const CONDITIONS: {
  [Name in keyof ProfileFilter]-?: (wanted: NonNullable<ProfileFilter[Name]>) => RawBuilder<boolean>
} = {
  q: (q) =>
    allOf(
      q
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => sql<boolean>`strpos(p.search_text, fold_text(${word})) > 0`),
    ),
  approved: (wanted) => sql`p.approved = ${wanted}`,
  verified: (wanted) => sql`(p.email_verified_at is not null) = ${wanted}`,
  waiting: (wanted) => sql`${IS_WAITING} = ${wanted}`,
  type: (type) => sql`p.types && ${spellingsOf(type)}::text[]`,
  marca: (marca) => sql`${marca} = any(p.marcas)`,
  estado: (estado) => sql`${estado} = any(p.estados)`,
  template: hasExactly,
  lastAccess: (wanted) => LAST_ACCESS[wanted],
}

const LAST_ACCESS: Record<NonNullable<ProfileFilter['lastAccess']>, RawBuilder<boolean>> = {
  never: sql`p.last_sign_in_at is null`,
  idle: sql`coalesce(p.last_sign_in_at, p.created_at) <= now() - make_interval(days => ${sql.lit(IDLE_DAYS)})`,
}

/**
 * The filter as a condition on `profiles p`: everything that it names must hold.
 * @throws for a name that is no filter: left out, it would let everybody through
 */
export function matches(filter: ProfileFilter): RawBuilder<boolean> {
  const named = Object.entries(filter).filter(([, wanted]) => wanted !== undefined)
  return allOf(
    named.map(([name, wanted]) => {
      if (!Object.hasOwn(CONDITIONS, name)) throw new Error(`no condition for the filter ${name}`)
      return CONDITIONS[name as keyof ProfileFilter](wanted as never)
    }),
  )
}

function allOf(conditions: RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length > 0 ? sql`${sql.join(conditions, sql` and `)}` : sql`true`
}

const HISTORY_PAGE = 50

/**
 * What was changed about a person, newest first, fifty at a time.
 * @param wanted.cursor the id that the page before ended with
 * @throws ProblemError not-found
 */
export async function readHistory(
  db: Db,
  { userId, cursor }: { userId: string; cursor?: string | undefined },
): Promise<{ items: HistoryEntry[]; next: string | null }> {
  if (!(await findProfile(db, userId))) throw unknownPerson()
  const rows = await db
    .selectFrom('audit_entries')
    .select(['id', 'at', 'actor_email', 'action', 'before', 'after'])
    .where('target_id', '=', userId)
    .$if(cursor !== undefined, (query) => query.where('id', '<', Number(cursor)))
    .orderBy('id', 'desc')
    // One more tells whether there is a next page.
    .limit(HISTORY_PAGE + 1)
    .execute()
  const items = rows.slice(0, HISTORY_PAGE).map((row) => ({
    ...row,
    at: row.at.toISOString(),
    before: row.before as HistoryEntry['before'],
    after: row.after as HistoryEntry['after'],
  }))
  return { items, next: rows.length > HISTORY_PAGE ? String(items.at(-1)?.id) : null }
}
