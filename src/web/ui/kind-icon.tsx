import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { classNames } from './class-names.ts'

export type NoticeKind = 'success' | 'error' | 'warning' | 'info'

const icons = { success: CircleCheck, error: CircleAlert, warning: TriangleAlert, info: Info }
const colors: Record<NoticeKind, string> = {
  success: 'text-success',
  error: 'text-danger',
  warning: 'text-warning',
  info: 'text-info',
}

/** The icon of a kind of notice, in its colour. */
export function KindIcon({ kind, className }: { kind: NoticeKind; className?: string }) {
  const Icon = icons[kind]
  return <Icon aria-hidden="true" className={classNames('size-4 shrink-0', colors[kind], className)} />
}
