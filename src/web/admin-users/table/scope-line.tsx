import type { ManagedProfile } from '#contract/profiles.ts'
import { classNames } from '#web/ui/class-names.ts'
import { summariseScope } from './summarise-scope.ts'

/** What a person may see, readable without opening anything. */
export function ScopeLine({ profile, className }: { profile: ManagedProfile; className?: string }) {
  return (
    <div className={classNames('flex flex-wrap gap-1.5 text-xs xl:flex-nowrap', className)}>
      {summariseScope(profile).map(({ label, text, isEmpty }) => (
        <span
          key={label}
          title={`${label}: ${text}`}
          className={classNames(
            'rounded-md bg-subtle px-1.5 leading-5 xl:truncate',
            isEmpty ? 'text-muted' : 'text-ink',
          )}
        >
          <span className="text-muted">{label}:</span> {text}
        </span>
      ))}
    </div>
  )
}
