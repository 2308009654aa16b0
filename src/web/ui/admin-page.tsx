import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { textLinkClasses } from './button.tsx'
import { classNames } from './class-names.ts'

interface AdminPageProps {
  title: string
  intro?: ReactNode
  action?: ReactNode
  isWide?: boolean
  children: ReactNode
}

/** The layout of a screen below /admin: title, link back, content. */
export function AdminPage({ title, intro, action, isWide = false, children }: AdminPageProps) {
  return (
    <div className={classNames('mx-auto w-full space-y-6 px-4 py-8', isWide ? 'max-w-[90rem]' : 'max-w-4xl')}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h1 className="font-semibold text-2xl tracking-tight">{title}</h1>
        <Link to="/admin" className={`text-sm ${textLinkClasses}`}>
          Voltar à administração
        </Link>
      </div>
      {intro && (
        <div className="flex flex-wrap items-center justify-between gap-4">
          <div className="max-w-prose text-muted text-sm">{intro}</div>
          {action}
        </div>
      )}
      {children}
    </div>
  )
}
