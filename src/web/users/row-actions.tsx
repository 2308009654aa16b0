import type { LucideIcon } from 'lucide-react'
import FileDown from 'lucide-react/icons/file-down'
import History from 'lucide-react/icons/history'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import MapPin from 'lucide-react/icons/map-pin'
import type { ManagedProfile } from '#contract/users.ts'
import { classNames } from '#web/ui/class-names.ts'
import type { RowAction } from './dialog-request.ts'

const icons: readonly { action: RowAction; label: string; icon: LucideIcon }[] = [
  { action: 'scope', label: 'Gerenciar Marcas e Estados', icon: MapPin },
  { action: 'types', label: 'Gerenciar Tipos de Acesso', icon: LayoutGrid },
  { action: 'history', label: 'Histórico', icon: History },
  { action: 'export', label: 'Exportar dados', icon: FileDown },
]

interface RowActionsProps {
  profile: ManagedProfile
  /** Id of the element that says whom the buttons are about. */
  describedBy: string
  onAction: (action: RowAction, profile: ManagedProfile) => void
}

/** What can be done with one person. */
export function RowActions({ profile, describedBy, onAction }: RowActionsProps) {
  return (
    <div className="flex items-center gap-1 xl:gap-0.5">
      <button
        type="button"
        data-control="approval"
        aria-describedby={describedBy}
        onClick={() => onAction(profile.approved ? 'remove' : 'approve', profile)}
        className={classNames(
          'mr-1 h-9 w-22 shrink-0 rounded-lg border font-medium text-sm transition-colors',
          profile.approved
            ? 'border-line-strong/50 text-ink hover:bg-subtle'
            : 'border-brand text-brand-strong hover:bg-subtle',
        )}
      >
        {profile.approved ? 'Remover' : 'Aprovar'}
      </button>
      {icons.map(({ action, label, icon: Icon }) => (
        <button
          key={action}
          type="button"
          data-control={action}
          aria-label={label}
          aria-describedby={describedBy}
          onClick={() => onAction(action, profile)}
          className="inline-flex size-10 items-center justify-center rounded-lg text-muted transition-colors hover:bg-subtle hover:text-ink xl:size-9"
        >
          <Icon aria-hidden="true" className="size-4" />
        </button>
      ))}
    </div>
  )
}
