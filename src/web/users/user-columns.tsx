import type { LucideIcon } from 'lucide-react'
import FileDown from 'lucide-react/icons/file-down'
import History from 'lucide-react/icons/history'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import MapPin from 'lucide-react/icons/map-pin'
import Pencil from 'lucide-react/icons/pencil'
import type { ReactNode } from 'react'
import type { Catalogue } from '#contract/catalogue.ts'
import { heldAs, inOrder, type ListName, valuesOf } from '#contract/held-lists.ts'
import { hasPassed, type ProfileSort } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { classNames } from '#web/ui/class-names.ts'
import { formatDate, formatDay, formatInstant } from '#web/ui/format-instant.ts'
import { Tooltip } from '#web/ui/tooltip.tsx'
import { requestInWords } from './access-request.tsx'
import type { RowAction } from './use-dialogs.tsx'

export interface Row {
  profile: ManagedProfile
  isSelected: boolean
  onAction: (action: RowAction, profile: ManagedProfile) => void
}

export interface UserColumn {
  head: string
  /** What a press on the head sorts by; without it the head is plain text. */
  sort?: ProfileSort
  /** Its track in the grid of a wide window. */
  width: string
  /** On a narrow window, where a person is a card: a line of its own, or half a line under the column's name. */
  card: 'line' | 'left' | 'right'
  cell: (row: Row) => ReactNode
}

/** The columns after the boxes to tick, in their order: head, rows, cards and skeletons are drawn from this list. */
export const COLUMNS: readonly UserColumn[] = [
  {
    head: 'E-mail',
    sort: 'email',
    width: 'minmax(0,1.25fr)',
    card: 'line',
    cell: ({ profile }) => (
      <span
        id={emailId(profile)}
        title={profile.email}
        className="block pt-1.5 font-medium xl:truncate xl:pt-0"
      >
        {profile.email}
      </span>
    ),
  },
  {
    head: 'Nome',
    sort: 'full_name',
    width: 'minmax(0,1fr)',
    card: 'line',
    cell: ({ profile, isSelected, onAction }) => (
      <>
        <div className="flex items-center gap-0.5">
          <span title={profile.full_name ?? undefined} className="min-w-0 xl:truncate">
            {profile.full_name ?? <span className="text-muted">Sem nome</span>}
          </span>
          <button
            type="button"
            data-control="name"
            aria-label="Corrigir nome"
            aria-describedby={emailId(profile)}
            onClick={() => onAction('name', profile)}
            className="inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-muted hover:bg-subtle hover:text-ink xl:size-7"
          >
            <Pencil aria-hidden="true" className="size-3.5" />
          </button>
        </div>
        <ScopeLine profile={profile} isSelected={isSelected} />
      </>
    ),
  },
  {
    head: 'Status',
    sort: 'approved',
    width: '6.25rem',
    card: 'left',
    cell: ({ profile: { approved } }) => (
      <Badge isGood={approved}>{approved ? 'Aprovado' : 'Pendente'}</Badge>
    ),
  },
  {
    head: 'E-mail Verificado',
    sort: 'email_verified_at',
    width: '8rem',
    card: 'right',
    cell: ({ profile: { email_verified_at } }) => (
      <Badge isGood={email_verified_at !== null}>{email_verified_at ? 'Verificado' : 'Pendente'}</Badge>
    ),
  },
  {
    head: 'Data de Registro',
    sort: 'created_at',
    width: '7.5rem',
    card: 'left',
    cell: ({ profile: { created_at } }) => (
      <time dateTime={created_at} title={formatInstant(created_at)}>
        {formatDay(created_at)}
      </time>
    ),
  },
  {
    head: 'Último Acesso',
    sort: 'last_sign_in_at',
    width: '8.5rem',
    card: 'right',
    cell: ({ profile: { last_sign_in_at } }) =>
      last_sign_in_at ? (
        <time dateTime={last_sign_in_at}>{formatInstant(last_sign_in_at)}</time>
      ) : (
        <span className="text-muted">Nunca</span>
      ),
  },
  {
    head: 'Ações',
    width: '15.25rem',
    card: 'line',
    cell: (row) => <RowActions {...row} />,
  },
]

/** A state in one word: something is as it should be, or still waited for. */
function Badge({ isGood, children }: { isGood: boolean; children: string }) {
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

/** What a person may see and be, readable without opening anything; on a wide window the row's second line. */
function ScopeLine({ profile, isSelected }: Pick<Row, 'profile' | 'isSelected'>) {
  const catalogue = useCatalogue()
  return (
    <div className="flex flex-wrap gap-1.5 pt-2 text-xs xl:absolute xl:right-4 xl:bottom-2 xl:left-14 xl:flex-nowrap xl:pt-0">
      {profile.role === 'admin' && (
        <span className="shrink-0 rounded-md bg-info-soft px-1.5 text-info leading-5">Administrador</span>
      )}
      {profile.approved && profile.valid_until && (
        <span
          className={classNames(
            'shrink-0 rounded-md px-1.5 leading-5',
            hasPassed(profile.valid_until, Date.now())
              ? 'bg-warning-soft text-warning'
              : 'bg-subtle text-ink',
          )}
        >
          {hasPassed(profile.valid_until, Date.now()) ? 'Acesso encerrado em' : 'Válido até'}{' '}
          {formatDate(profile.valid_until)}
        </span>
      )}
      {profile.request && (
        <span
          title={`Pedido: ${requestInWords(catalogue, profile)}`}
          className={classNames(
            'rounded-md px-1.5 leading-5 xl:truncate',
            profile.email_verified_at ? 'bg-info-soft text-info' : 'bg-warning-soft text-warning',
          )}
        >
          {profile.email_verified_at ? 'Pediu:' : 'Pedido não confirmado:'}{' '}
          {requestInWords(catalogue, profile)}
        </span>
      )}
      {summariseScope(catalogue, profile).map(({ label, text, isEmpty }) => (
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

/** A person's three lists for the table: 'Tipos: Vendas, CRM', 'Marcas: Todas', 'Estados: Nenhum'. */
export function summariseScope(catalogue: Catalogue, profile: Pick<ManagedProfile, ListName>) {
  const partOf = (label: string, list: ListName, gender: 'o' | 'a') => {
    const given = inOrder(catalogue, list, profile[list])
    const known = valuesOf(catalogue, list)
    const offered = catalogue[list].filter(({ archived }) => !archived).map((item) => heldAs(list, item))
    const isAll =
      offered.length > 0 &&
      offered.every((item) => given.includes(item)) &&
      given.every((item) => known.includes(item))
    const isEmpty = given.length === 0
    const text = isEmpty
      ? gender === 'o'
        ? 'Nenhum'
        : 'Nenhuma'
      : isAll
        ? `Tod${gender}s`
        : given.join(', ')
    return { label, text, isEmpty }
  }
  return [partOf('Tipos', 'types', 'o'), partOf('Marcas', 'marcas', 'a'), partOf('Estados', 'estados', 'o')]
}

const ICONS: readonly { action: RowAction; label: string; icon: LucideIcon }[] = [
  { action: 'scope', label: 'Gerenciar Marcas e Estados', icon: MapPin },
  { action: 'types', label: 'Gerenciar Tipos de Acesso', icon: LayoutGrid },
  { action: 'history', label: 'Histórico', icon: History },
  { action: 'export', label: 'Exportar dados', icon: FileDown },
]

/** The bubble ends where its icon does, so that the last one stays within the table. */
const TOOLTIP_CLASSES = 'after:right-0 after:left-auto after:translate-none after:content-[attr(data-text)]'

/** What can be done with one person. */
function RowActions({ profile, onAction }: Row) {
  return (
    <div className="flex items-center gap-1 xl:gap-0.5">
      <button
        type="button"
        data-control="approval"
        aria-describedby={emailId(profile)}
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
      {ICONS.map(({ action, label, icon: Icon }) => (
        <Tooltip key={action} text={label} className={TOOLTIP_CLASSES}>
          <button
            type="button"
            data-control={action}
            aria-label={label}
            aria-describedby={emailId(profile)}
            onClick={() => onAction(action, profile)}
            className="inline-flex size-10 items-center justify-center rounded-lg text-muted transition-colors hover:bg-subtle hover:text-ink xl:size-9"
          >
            <Icon aria-hidden="true" className="size-4" />
          </button>
        </Tooltip>
      ))}
    </div>
  )
}

function emailId({ user_id }: ManagedProfile): string {
  return `email-${user_id}`
}
