import type { ManagedProfile } from '#contract/users.ts'
import { classNames } from '#web/ui/class-names.ts'
import { summariseScope } from './summarise-scope.ts'

interface ScopeLineProps {
  profile: ManagedProfile
  /** The row behind it is tinted. */
  isSelected: boolean
  className?: string
}

/** What a person may see and be, readable without opening anything. */
export function ScopeLine({ profile, isSelected, className }: ScopeLineProps) {
  return (
    <div className={classNames('flex flex-wrap gap-1.5 text-xs xl:flex-nowrap', className)}>
      {profile.role === 'admin' && (
        <span className="shrink-0 rounded-md bg-info-soft px-1.5 text-info leading-5">Administrador</span>
      )}
      {summariseScope(profile).map(({ label, text, isEmpty }) => (
        <span
          key={label}
          title={`${label}: ${text}`}
          className={classNames(
            'rounded-md px-1.5 leading-5 xl:truncate',
            isSelected ? 'bg-surface' : 'bg-subtle',
            isEmpty ? 'text-muted' : 'text-ink',
          )}
        >
          <span className="text-muted">{label}:</span> {text}
        </span>
      ))}
    </div>
  )
}
