import type { LucideIcon } from 'lucide-react'
import FileDown from 'lucide-react/icons/file-down'
import History from 'lucide-react/icons/history'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import MapPin from 'lucide-react/icons/map-pin'
import { ESTADOS, inOrder, MARCAS, TYPES } from '#contract/catalogue.ts'
import type { ManagedProfile, ProfileSort } from '#contract/users.ts'
import { classNames } from '#web/ui/class-names.ts'
import type { RowAction } from './use-dialogs.tsx'

/** The sortable columns of the table in their order, SPEC section 2 (/admin). */
export const COLUMNS: readonly { sort: ProfileSort; label: string }[] = [
  { sort: 'email', label: 'E-mail' },
  { sort: 'full_name', label: 'Nome' },
  { sort: 'approved', label: 'Status' },
  { sort: 'email_verified_at', label: 'E-mail Verificado' },
  { sort: 'created_at', label: 'Data de Registro' },
  { sort: 'last_sign_in_at', label: 'Último Acesso' },
]

/** Those, the boxes to tick, and the actions: what the empty state spans. */
export const COLUMN_COUNT = COLUMNS.length + 2

/** The columns of header and rows alike; a file of its own, since Tailwind reads classes from .tsx alone. */
export const gridClasses =
  'xl:grid xl:grid-cols-[2.75rem_minmax(0,1.25fr)_minmax(0,1fr)_6.25rem_8rem_7.5rem_8.5rem_15.25rem] xl:gap-x-2 xl:pr-2 xl:pl-1'

/** A row: first line the columns, second line what the person may see. On a card three columns, the box first. */
export const rowClasses = `grid grid-cols-[2.5rem_minmax(0,1fr)_minmax(0,1fr)] gap-x-2 gap-y-2 py-3 pr-3 pl-1 text-sm xl:h-19 xl:items-center xl:gap-y-0 xl:pt-1 xl:pb-8 ${gridClasses}`

/** The height of a row of the table and the likely one of a card, in rem. */
export const ROW_REM = 4.75
export const CARD_REM = 16.5

type CellRole = 'table' | 'rowgroup' | 'row' | 'cell' | 'columnheader'

/** Said in so many words, because some browsers take a table for none once it is laid out as a grid. */
export function cell(role: CellRole = 'cell'): { role: CellRole } {
  return { role }
}

/** A state in one word: something is as it should be, or still waited for. */
export function Badge({ isGood, children }: { isGood: boolean; children: string }) {
  return (
    <span
      className={classNames(
        'inline-flex h-6 items-center rounded-full px-2 font-medium text-xs',
        isGood ? 'bg-success-soft text-success' : 'bg-warning-soft text-warning',
      )}
    >
      {children}
    </span>
  )
}

interface ScopeLineProps {
  profile: ManagedProfile
  /** The row behind it is tinted. */
  isSelected: boolean
  className?: string
}

/** What a person may see and be, readable without opening anything. */
export function ScopeLine({ profile, isSelected, className }: ScopeLineProps) {
  return (
    <div className={classNames('flex flex-wrap gap-1.5 text-xs xl:flex-nowrap', className)}>
      {profile.role === 'admin' && (
        <span className="shrink-0 rounded-md bg-info-soft px-1.5 text-info leading-5">Administrador</span>
      )}
      {summariseScope(profile).map(({ label, text, isEmpty }) => (
        <span
          key={label}
          title={`${label}: ${text}`}
          className={classNames(
            'rounded-md px-1.5 leading-5 xl:truncate',
            isSelected ? 'bg-surface' : 'bg-subtle',
            isEmpty ? 'text-muted' : 'text-ink',
          )}
        >
          <span className="text-muted">{label}:</span> {text}
        </span>
      ))}
    </div>
  )
}

/** What a person may see of one kind, in few words. */
export interface ScopePart {
  label: string
  text: string
  isEmpty: boolean
}

/** A person's three lists for the table: 'Tipos: Vendas, CRM', 'Marcas: Todas', 'Estados: Nenhum'. */
export function summariseScope({ types, marcas, estados }: ManagedProfile): ScopePart[] {
  return [
    partOf('Tipos', inOrder('types', types), TYPES, 'Todos', 'Nenhum'),
    partOf('Marcas', marcas, MARCAS, 'Todas', 'Nenhuma'),
    partOf('Estados', estados, ESTADOS, 'Todos', 'Nenhum'),
  ]
}

function partOf(
  label: string,
  given: readonly string[],
  every: readonly string[],
  all: string,
  none: string,
): ScopePart {
  const isEmpty = given.length === 0
  const isAll = given.length === every.length && every.every((item) => given.includes(item))
  return { label, text: isEmpty ? none : isAll ? all : given.join(', '), isEmpty }
}

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
