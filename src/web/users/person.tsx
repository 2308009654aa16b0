import type { ManagedProfile } from '#contract/users.ts'

/** Whom the dialog is about. */
export function Person({ person }: { person: ManagedProfile }) {
  return (
    <>
      {person.full_name && <span className="font-medium text-ink">{person.full_name} · </span>}
      {person.email}
    </>
  )
}
