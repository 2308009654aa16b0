import { classNames } from '#web/ui/class-names.ts'

/** Marks a view whose report was filtered since; beside it, or in a name, stands 'alterada'. */
export function ChangedDot({ className }: { className?: string }) {
  return (
    // Drawn by a border, which high contrast keeps.
    <span
      aria-hidden="true"
      data-changed
      className={classNames('shrink-0 rounded-full border-4 border-warning', className)}
    />
  )
}
