import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface AdminPageProps {
  title: string
  intro?: ReactNode
  /** One primary button at most. */
  action?: ReactNode
  isWide?: boolean
  children: ReactNode
}

/** The layout of every screen of administration: title and action, then the content. */
export function AdminPage({ title, intro, action, isWide = false, children }: AdminPageProps) {
  return (
    <div className={classNames('w-full space-y-6 px-4 py-6 sm:px-8', isWide ? 'max-w-[90rem]' : 'max-w-4xl')}>
      <div className="space-y-2">
        <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <h1 className="font-semibold text-2xl tracking-tight">{title}</h1>
          {action}
        </div>
        {intro && <div className="max-w-prose text-muted text-sm">{intro}</div>}
      </div>
      {children}
    </div>
  )
}
