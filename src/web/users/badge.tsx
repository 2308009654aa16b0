import { classNames } from '#web/ui/class-names.ts'

/** A state in one word: something is as it should be, or still waited for. */
export function Badge({ isGood, children }: { isGood: boolean; children: string }) {
  return (
    <span
      className={classNames(
        'inline-flex h-6 items-center rounded-full px-2 font-medium text-xs',
        isGood ? 'bg-success-soft text-success' : 'bg-warning-soft text-warning',
      )}
    >
      {children}
    </span>
  )
}
