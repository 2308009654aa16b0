import { classNames } from './class-names.ts'

/** A grey block of the final size of what is still loading; className sets that size. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={classNames('animate-pulse rounded-md bg-subtle', className)} />
}
