import type { ReactNode } from 'react'
import { BrandMark } from './brand-mark.tsx'

export function MessagePage({
  title,
  children,
  actions,
}: {
  title: string
  children?: ReactNode
  actions?: ReactNode
}) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-8 px-6 py-16 text-center">
      <BrandMark />
      <div className="max-w-md space-y-3">
        <h1 className="font-semibold text-2xl tracking-tight">{title}</h1>
        {children && <div className="text-muted text-sm leading-relaxed">{children}</div>}
      </div>
      {actions}
    </main>
  )
}
