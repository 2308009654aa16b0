import { Fragment, type ReactNode } from 'react'
import type { Catalogue } from '#contract/catalogue.ts'
import { getValues, LISTS, type ListName, sortItems, toKey } from '#contract/entitlement-lists.ts'
import { formatList } from '#contract/format-list.ts'
import { hasPassed, type ProfileSort } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { classNames } from '#web/ui/class-names.ts'
import { formatDate, formatDay, formatInstant } from '#web/ui/format-instant.ts'
import { formatRequest } from './access-request.tsx'
import { getEmailId, type Row, RowActions } from './row-actions.tsx'

export interface UserColumn {
  head: string
  /** The sort key; without it the head is plain text. */
  sort?: ProfileSort
  /** Grid track on a wide window. */
  width: string
  /** The width of the table, in pixels, from which on there is room for it. */
  from?: number
  /** Position on a card: the first line, a line of its own, or half a line after the column's name. */
  card: 'top' | 'line' | 'left' | 'right' | 'corner'
  /** A shorter head for cards. */
  cardHead?: string
  cell: (row: Row) => ReactNode
}

/** The columns after the checkboxes; head, rows, cards and skeletons are rendered from this list. */
export const COLUMNS: readonly UserColumn[] = [
  {
    head: 'E-mail',
    sort: 'email',
    width: 'minmax(0,1.25fr)',
    card: 'top',
    cell: ({ profile }) => (
      // Not the router's link, which would follow each change of the address in every row.
      <a
        id={getEmailId(profile)}
        href={`?pessoa=${profile.user_id}`}
        title={profile.email}
        data-control="person"
        className="block truncate rounded-sm font-medium underline-offset-4 hover:underline"
      >
        {profile.email}
      </a>
    ),
  },
  {
    head: 'Nome',
    sort: 'full_name',
    width: 'minmax(0,1fr)',
    card: 'line',
    cell: ({ profile, catalogue }) => (
      <>
        <span title={profile.full_name ?? undefined} className="block truncate cards:text-muted">
          {profile.full_name ?? <span className="text-muted">Sem nome</span>}
        </span>
        <ScopeLine profile={profile} catalogue={catalogue} />
      </>
    ),
  },
  {
    head: 'Status',
    sort: 'approved',
    width: '6.25rem',
    card: 'left',
    cell: ({ profile: { approved, invited_until } }) => (
      <Badge isGood={approved}>{approved ? 'Aprovado' : invited_until ? 'Convidado' : 'Pendente'}</Badge>
    ),
  },
  {
    head: 'E-mail Verificado',
    sort: 'email_verified_at',
    width: '8rem',
    from: 940,
    card: 'right',
    cardHead: 'E-mail',
    cell: ({ profile: { email_verified_at } }) => (
      <Badge isGood={email_verified_at !== null}>{email_verified_at ? 'Verificado' : 'Pendente'}</Badge>
    ),
  },
  {
    head: 'Data de Registro',
    sort: 'created_at',
    width: '7.5rem',
    from: 1060,
    card: 'left',
    cardHead: 'Registro',
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
    cardHead: 'Acesso',
    cell: ({ profile: { last_sign_in_at } }) =>
      last_sign_in_at ? (
        <time dateTime={last_sign_in_at} className="whitespace-nowrap">
          {formatInstant(last_sign_in_at)}
        </time>
      ) : (
        <span className="text-muted">Nunca</span>
      ),
  },
  {
    head: 'Ações',
    width: '7.25rem',
    card: 'corner',
    cell: (row) => <RowActions {...row} />,
  },
]

/** A status in one word, either good or pending. */
function Badge({ isGood, children }: { isGood: boolean; children: string }) {
  return (
    <span
      className={classNames(
        'flex w-fit items-center gap-1.5 cards:inline-flex',
        isGood ? 'text-ink' : 'rounded-full bg-warning-soft px-1.5 text-warning rows:-ml-1.5',
      )}
    >
      <span
        aria-hidden="true"
        className={classNames('size-1.5 shrink-0 rounded-full', isGood ? 'bg-success' : 'bg-warning')}
      />
      {children}
    </span>
  )
}

/** A person's entitlements and role at a glance; on a wide window the second line of the row. */
function ScopeLine({ profile, catalogue }: Pick<Row, 'profile' | 'catalogue'>) {
  const { role, request, email_verified_at, approved, valid_until } = profile
  const isOver = valid_until !== null && hasPassed(valid_until, Date.now())
  const parts: ScopePart[] = [
    role === 'admin' && { label: 'Administrador', className: 'text-info' },
    approved &&
      valid_until && {
        label: `${isOver ? 'Acesso encerrado em' : 'Válido até'} ${formatDate(valid_until)}`,
        className: isOver ? 'text-warning' : 'text-ink',
      },
    request && {
      label: email_verified_at ? 'Pediu' : 'Pedido não confirmado',
      text: formatRequest(catalogue, profile),
      className: email_verified_at ? 'text-info' : 'text-warning',
    },
    ...describeScope(catalogue, profile).map((label, index) => ({
      label: index === 0 ? label.charAt(0).toUpperCase() + label.slice(1) : label,
      className: approved && /^sem |^Nenhum/.test(label) ? 'text-warning' : 'text-ink',
    })),
  ].filter((part) => !!part)
  return (
    <p
      title={parts.map(formatPart).join(' · ')}
      className="line-clamp-2 text-muted text-xs leading-4 cards:pt-0.5 rows:absolute rows:right-36 rows:bottom-1.5 rows:left-16 rows:block rows:truncate"
    >
      {parts.map((part, index) => (
        <Fragment key={part.label}>
          {index > 0 && ' · '}
          {part.className ? <span className={part.className}>{formatPart(part)}</span> : formatPart(part)}
        </Fragment>
      ))}
    </p>
  )
}

interface ScopePart {
  label: string
  text?: string
  className?: string | undefined
}

const formatPart = ({ label, text }: ScopePart) => (text ? `${label}: ${text}` : label)

/** Names a list's items: 'Vendas e CRM', or with one word that all or none are held. */
export function describeList(catalogue: Catalogue, list: ListName, held: readonly string[]): string {
  const given = sortItems(catalogue, list, held)
  if (given.length === 0) return WORDS[list].none
  const known = getValues(catalogue, list)
  const offered = catalogue[list].filter(({ archived }) => !archived).map((item) => toKey(list, item))
  const isAll =
    offered.length > 0 &&
    offered.every((item) => given.includes(item)) &&
    given.every((item) => known.includes(item))
  return isAll ? WORDS[list].all : formatList(given)
}

/** Describes what a person has, each list in words: 'Vendas e CRM', 'todas as marcas', 'sem estados'. */
export function describeScope(catalogue: Catalogue, profile: Pick<ManagedProfile, ListName>): string[] {
  if (LISTS.every((list) => profile[list].length === 0)) return ['Nenhum acesso']
  const texts = LISTS.map((list) => describeList(catalogue, list, profile[list]))
  if (LISTS.every((list, index) => texts[index] === WORDS[list].all))
    return ['Todas as áreas, marcas e estados']
  return LISTS.map((list, index) => {
    const { one, none, all, name } = WORDS[list]
    const text = texts[index] ?? ''
    return text === none ? `sem ${name}` : text === all ? `${one} ${name}` : text
  })
}

const WORDS = {
  types: { name: 'áreas', one: 'todas as', all: 'Todas', none: 'Nenhuma' },
  marcas: { name: 'marcas', one: 'todas as', all: 'Todas', none: 'Nenhuma' },
  estados: { name: 'estados', one: 'todos os', all: 'Todos', none: 'Nenhum' },
} as const satisfies Record<ListName, object>
