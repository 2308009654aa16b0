import type { Selectable } from 'kysely'
import type { Profile } from '#contract/users.ts'
import type { ProfilesTable } from '#server/database/schema.ts'

type ProfileRow = Omit<Selectable<ProfilesTable>, 'entitlement_version' | 'search_text' | 'is_entitled'>

/** A profile row as it goes over the wire: instants as ISO 8601. */
export function presentProfile(row: ProfileRow): Profile {
  return {
    id: row.id,
    user_id: row.user_id,
    email: row.email,
    full_name: row.full_name,
    approved: row.approved,
    email_verified_at: row.email_verified_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    last_sign_in_at: row.last_sign_in_at?.toISOString() ?? null,
    types: row.types,
    marcas: row.marcas,
    estados: row.estados,
  }
}
