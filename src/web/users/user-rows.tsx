import type { VirtualItem } from '@tanstack/react-virtual'
import type { ManagedProfile } from '#contract/users.ts'
import { adminMessages } from '#contract/users.ts'
import { COLUMN_COUNT } from './columns.ts'
import type { RowAction } from './dialog-request.ts'
import { isSelected, type Selection } from './selection.ts'
import { SkeletonRow } from './skeleton-row.tsx'
import { cell } from './table-grid.tsx'
import { UserRow } from './user-row.tsx'

interface UserRowsProps {
  items: readonly VirtualItem[]
  profiles: readonly ManagedProfile[]
  selection: Selection
  /** They are those of the last list. */
  isOutdated: boolean
  /** Where the rows begin in what scrolls, in pixels. */
  start: number
  /** Takes a row's height, where rows differ. */
  measure: ((row: HTMLElement | null) => void) | undefined
  onToggle: (profile: ManagedProfile, isOn: boolean, isRange: boolean) => void
  onAction: (action: RowAction, profile: ManagedProfile) => void
}

/** The rows near the visible part; those that have not been read yet hold their place. */
export function UserRows(props: UserRowsProps) {
  const { items, profiles, selection, isOutdated, start, measure, onToggle, onAction } = props
  return items.map((item) => {
    const profile = profiles[item.index]
    const top = item.start - start
    if (!profile) return <SkeletonRow key={item.index} top={top} />
    return (
      <UserRow
        key={profile.user_id}
        profile={profile}
        index={item.index}
        top={top}
        isSelected={isSelected(selection, profile.user_id)}
        isOutdated={isOutdated}
        measure={measure}
        onToggle={onToggle}
        onAction={onAction}
      />
    )
  })
}

/** Nobody matches. */
export function EmptyRow() {
  return (
    <tr {...cell('row')} className="block">
      <td {...cell()} colSpan={COLUMN_COUNT} className="block px-4 py-16 text-center text-muted">
        {adminMessages.none}
      </td>
    </tr>
  )
}
