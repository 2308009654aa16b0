import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Card({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={classNames('rounded-xl border border-line bg-surface p-6 shadow-xs', className)}>
      {children}
    </div>
  )
}
