import { sql } from 'kysely'

/** An instant as Date.toISOString writes it. */
const iso = (column: string) =>
  sql`to_char(p.${sql.ref(column)} at time zone 'UTC', ${sql.lit('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')})`

/** A ManagedProfile of `profiles p`, written by the database: rows of fourteen columns would take this process longer. */
export const MANAGED_PROFILE_JSON = sql<string>`json_build_object(
  'id', p.id, 'user_id', p.user_id, 'email', p.email, 'full_name', p.full_name, 'approved', p.approved,
  'email_verified_at', ${iso('email_verified_at')}, 'created_at', ${iso('created_at')},
  'last_sign_in_at', ${iso('last_sign_in_at')},
  'types', p.types, 'marcas', p.marcas, 'estados', p.estados,
  'role', coalesce((select r.role from user_roles r where r.user_id = p.user_id), 'user'),
  'version', p.entitlement_version)`
