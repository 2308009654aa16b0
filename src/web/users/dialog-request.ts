import type { ManagedProfile } from '#contract/users.ts'

/** Which dialog of the table is asked for, and about whom. */
export type DialogRequest =
  | { kind: 'types' | 'scope' | 'approve' | 'remove' | 'history'; profile: ManagedProfile }
  | { kind: 'bulk' }
  | { kind: 'delete' }

/** What a row offers to do: a dialog about its person, or the download of the person's data. */
export type RowAction = 'types' | 'scope' | 'approve' | 'remove' | 'history' | 'export'
