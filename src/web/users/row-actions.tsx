import type { LucideIcon } from 'lucide-react'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Eye from 'lucide-react/icons/eye'
import FileDown from 'lucide-react/icons/file-down'
import History from 'lucide-react/icons/history'
import KeyRound from 'lucide-react/icons/key-round'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import MapPin from 'lucide-react/icons/map-pin'
import Pencil from 'lucide-react/icons/pencil'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import Trash2 from 'lucide-react/icons/trash-2'
import UserMinus from 'lucide-react/icons/user-minus'
import type { Catalogue } from '#contract/catalogue.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { classNames } from '#web/ui/class-names.ts'
import { MenuButton } from '#web/ui/menu.tsx'
import type { RowAction } from './use-dialogs.tsx'

export interface Row {
  profile: ManagedProfile
  /** Passed down: a query per row is the most expensive part of rendering. */
  catalogue: Catalogue
  isSelected: boolean
  onAction: (action: RowAction, profile: ManagedProfile) => void
}

export const getEmailId = ({ user_id }: ManagedProfile) => `email-${user_id}`

interface RowMenuItem {
  action: RowAction
  label: string
  icon: LucideIcon
  isDanger?: boolean
  /** Whether the item is shown for a person; always, if undefined. */
  isOffered?: (profile: ManagedProfile) => boolean
  /** Hidden on a wide window, where the row has a button for it. */
  isNarrowOnly?: boolean
}

export const MENU: readonly RowMenuItem[] = [
  { action: 'edit', label: 'Editar acesso', icon: SlidersHorizontal },
  { action: 'types', label: 'Gerenciar Tipos de Acesso', icon: LayoutGrid },
  { action: 'scope', label: 'Gerenciar Marcas e Estados', icon: MapPin },
  { action: 'name', label: 'Corrigir nome', icon: Pencil },
  { action: 'account', label: 'Ajudar com a conta', icon: KeyRound },
  { action: 'history', label: 'Histórico', icon: History },
  { action: 'view-as', label: 'Ver como', icon: Eye },
  { action: 'export', label: 'Exportar dados', icon: FileDown },
  {
    action: 'remove',
    label: 'Remover',
    icon: UserMinus,
    isDanger: true,
    isOffered: ({ approved }) => approved,
    isNarrowOnly: true,
  },
  { action: 'delete', label: 'Excluir conta', icon: Trash2, isDanger: true },
]

/** The actions for one person: the next step as a button, the others in a menu. */
export function RowActions({ profile, onAction }: Pick<Row, 'profile' | 'onAction'>) {
  const { approved } = profile
  const items = MENU.filter(({ isOffered }) => isOffered?.(profile) ?? true).map(
    ({ action, isNarrowOnly, isOffered: _, ...item }) => ({
      ...item,
      id: action,
      className: isNarrowOnly ? 'rows:hidden' : undefined,
      onSelect: () => onAction(action, profile),
    }),
  )
  return (
    <div className="flex items-center gap-1">
      <button
        type="button"
        data-control="approval"
        aria-describedby={getEmailId(profile)}
        onClick={() => onAction(approved ? 'remove' : 'approve', profile)}
        className={classNames(
          'h-11 w-20 shrink-0 rounded-lg font-medium text-sm transition-colors rows:h-8',
          approved
            ? 'text-muted hover:bg-subtle hover:text-ink cards:hidden'
            : 'border border-brand-strong text-brand-strong hover:bg-subtle',
        )}
      >
        {approved ? 'Remover' : 'Aprovar'}
      </button>
      <MenuButton
        label="Mais ações"
        describedBy={getEmailId(profile)}
        items={items}
        className="inline-flex size-11 items-center justify-center rounded-lg text-muted transition-colors hover:bg-subtle hover:text-ink aria-expanded:bg-subtle aria-expanded:text-ink rows:size-8"
      >
        <Ellipsis aria-hidden="true" className="size-4" />
      </MenuButton>
    </div>
  )
}
