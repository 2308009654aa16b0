import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Card({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={classNames('rounded-xl border border-line bg-surface p-4 shadow-xs sm:p-6', className)}>
      {children}
    </div>
  )
}
