import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export const thumbItemClasses =
  'flex h-14 w-full min-w-0 flex-col items-center justify-center gap-0.5 text-xs transition-colors not-data-[status=active]:text-muted aria-expanded:text-brand-strong data-[status=active]:text-brand-strong'

/** The icon and label of a button in the thumb bar. */
export function ThumbLabel(props: { icon: LucideIcon; mark?: ReactNode; children: string }) {
  const { icon: Icon, mark, children } = props
  return (
    <>
      <span className="relative shrink-0">
        <Icon aria-hidden="true" className="size-5" />
        {mark}
      </span>
      {children}
    </>
  )
}
