import type { ProfileSort } from '#contract/users.ts'

/** The sortable columns of the table in their order, SPEC section 2 (/admin). */
export const COLUMNS: readonly { sort: ProfileSort; label: string }[] = [
  { sort: 'email', label: 'E-mail' },
  { sort: 'full_name', label: 'Nome' },
  { sort: 'approved', label: 'Status' },
  { sort: 'email_verified_at', label: 'E-mail Verificado' },
  { sort: 'created_at', label: 'Data de Registro' },
  { sort: 'last_sign_in_at', label: 'Último Acesso' },
]

/** Those, the boxes to tick, and the actions: what the empty state spans. */
export const COLUMN_COUNT = COLUMNS.length + 2
