import type { LucideIcon } from 'lucide-react'

export const thumbItemClasses =
  'flex h-14 w-full min-w-0 flex-col items-center justify-center gap-0.5 text-xs transition-colors not-data-[status=active]:text-muted aria-expanded:text-brand-strong data-[status=active]:text-brand-strong'

/** The icon and label of a button in the thumb bar. */
export function ThumbLabel({ icon: Icon, children }: { icon: LucideIcon; children: string }) {
  return (
    <>
      <Icon aria-hidden="true" className="size-5 shrink-0" />
      {children}
    </>
  )
}
