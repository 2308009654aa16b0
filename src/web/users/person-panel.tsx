import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import UserMinus from 'lucide-react/icons/user-minus'
import X from 'lucide-react/icons/x'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { formatList } from '#contract/format-list.ts'
import type { ReplyNamed } from '#contract/index.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { USERS_QUERY } from '#web/http/query-client.ts'
import { isGone } from '#web/http/send-request.ts'
import { useSession } from '#web/session/session.ts'
import { FailedLoad, KindIcon } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatDate, formatDay, formatInstant, formatRecent } from '#web/ui/format-instant.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { RequestNotice } from './access-request.tsx'
import { HELP, type HelpAction, isHelpOffered, useAccountState } from './account-dialog.tsx'
import { PersonGone } from './dialog-notices.tsx'
import { History } from './history-dialog.tsx'
import { MENU } from './row-actions.tsx'
import { formatCount } from './selection.ts'
import type { RowAction } from './use-dialogs.tsx'
import { describeList } from './user-columns.tsx'
import { personQuery } from './user-queries.ts'

type ReportUse = ReplyNamed<'GET /api/profiles/{userId}/report-use'>

interface PersonPanelProps {
  userId: string
  /** The person as the table has them; undefined for an address that leads elsewhere. */
  listed: ManagedProfile | undefined
  /** Undefined at the ends of the list. */
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onAction: (action: RowAction, profile: ManagedProfile, help?: HelpAction) => void
  onClose: () => void
}

/** One person at the right of the table: access and why, what they see, history, and what to do. */
export function PersonPanel({ userId, listed, onPrevious, onNext, onAction, onClose }: PersonPanelProps) {
  const panel = useRef<HTMLElement>(null)
  const read = useQuery(personQuery(userId))
  const person = read.data ?? listed
  // biome-ignore lint/correctness/useExhaustiveDependencies: each person takes the focus anew
  useEffect(() => panel.current?.focus({ preventScroll: true }), [userId])
  const onKeyDown = (event: KeyboardEvent) => {
    const run = { ArrowLeft: onPrevious, ArrowRight: onNext, Escape: onClose }[event.key]
    if (!run || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    run()
  }
  return (
    <section
      ref={panel}
      aria-label={`Pessoa: ${person?.full_name ?? person?.email ?? ''}`}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="fixed top-12 right-0 bottom-0 z-20 flex w-full flex-col border-line border-l bg-raised shadow-xl outline-none max-sm:bottom-14 sm:w-108 print:hidden"
    >
      <div className="flex items-center gap-1 border-line border-b py-1 pr-2 pl-5">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{person?.full_name ?? person?.email}</h2>
        <PanelButton
          label="Pessoa anterior (←)"
          keys="ArrowLeft"
          onClick={onPrevious}
          icon={<ChevronLeft />}
        />
        <PanelButton label="Próxima pessoa (→)" keys="ArrowRight" onClick={onNext} icon={<ChevronRight />} />
        <PanelButton label="Fechar (Esc)" keys="Escape" onClick={onClose} icon={<X />} />
      </div>
      <div className="min-h-0 flex-1 space-y-6 overflow-y-auto px-5 py-4 text-sm">
        {isGone(read.error) ? (
          <PersonGone />
        ) : person ? (
          <Details key={userId} person={person} onAction={onAction} />
        ) : read.isError ? (
          <FailedLoad onRetry={() => void read.refetch()} isRetrying={read.isFetching}>
            A pessoa não pôde ser lida agora.
          </FailedLoad>
        ) : (
          <Skeleton className="h-96" />
        )}
      </div>
    </section>
  )
}

interface PanelButtonProps {
  label: string
  keys: string
  onClick: (() => void) | undefined
  icon: ReactNode
}

function PanelButton({ label, keys, onClick, icon }: PanelButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      data-tooltip
      aria-keyshortcuts={keys}
      // `disabled` would drop the focus.
      aria-disabled={!onClick}
      onClick={onClick}
      className="inline-flex size-11 items-center justify-center rounded-lg text-muted hover:bg-subtle hover:text-ink aria-disabled:opacity-40 sm:size-9 [&>svg]:size-4"
    >
      {icon}
    </button>
  )
}

function Details({ person, onAction }: Pick<PersonPanelProps, 'onAction'> & { person: ManagedProfile }) {
  const { user_id: userId, email, approved, valid_until, email_verified_at, role } = person
  const { invited_until: invited } = person
  const catalogue = useCatalogue()
  const use = useQuery({
    queryKey: [USERS_QUERY, 'report-use', userId],
    queryFn: ({ signal }) => callApi('GET /api/profiles/{userId}/report-use', { params: { userId }, signal }),
  })
  const lines = [
    ['E-mail', `${email}${email_verified_at ? '' : ' (não verificado)'}`],
    ['Papel', role === 'admin' ? 'Administrador' : 'Usuário'],
    ['Status', approved ? 'Aprovado' : invited ? `Convidado até ${formatDay(invited)}` : 'Pendente'],
    ['Tipos', describeList(catalogue, 'types', person.types)],
    ['Marcas', describeList(catalogue, 'marcas', person.marcas)],
    ['Estados', describeList(catalogue, 'estados', person.estados)],
    ['Válido até', valid_until ? formatDate(valid_until) : 'Sem prazo'],
    ['Registro', formatInstant(person.created_at)],
    ['Último acesso', person.last_sign_in_at ? formatRecent(person.last_sign_in_at) : 'Nunca'],
  ] as const
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {!approved && (
          <Button variant="secondary" onClick={() => onAction('approve', person)}>
            Aprovar
          </Button>
        )}
        <Button variant="secondary" onClick={() => onAction('edit', person)}>
          Editar acesso
        </Button>
        <Button variant="secondary" onClick={() => onAction('view-as', person)}>
          Ver como
        </Button>
      </div>
      <RequestNotice profile={person} />
      <Part title={use.data?.hindrance ? 'Por que não vê nada?' : 'O que vê'}>
        {use.data ? (
          <Hindrance use={use.data} person={person} />
        ) : use.isError ? (
          <FailedLoad onRetry={() => void use.refetch()} isRetrying={use.isFetching}>
            Os relatórios da pessoa não puderam ser lidos agora.
          </FailedLoad>
        ) : (
          <Skeleton className="h-10" />
        )}
      </Part>
      <Part title="Acesso">
        <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-3 gap-y-1.5">
          {lines.map(([label, text]) => (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="break-words">{text}</dd>
            </div>
          ))}
        </dl>
      </Part>
      {use.data && (
        <Part title="Últimos relatórios abertos">
          {use.data.opened.length === 0 && <p className="text-muted">Nenhum ainda.</p>}
          <ul className="space-y-1.5">
            {use.data.opened.map(({ at, title }) => (
              <li key={at} className="flex justify-between gap-3">
                <span className="min-w-0 truncate">{title ?? 'Relatório que já não existe'}</span>
                <time dateTime={at} className="shrink-0 text-muted tabular-nums">
                  {formatRecent(at)}
                </time>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Account person={person} onAction={onAction} />
      <Part title="O que mais fazer">
        <ul className="-mx-3">
          {MENU.filter(({ action }) => MORE.includes(action)).map(({ action, label, icon, isDanger }) => (
            <li key={action}>
              <PanelAction
                label={label}
                icon={icon}
                isDanger={isDanger === true}
                onClick={() => onAction(action, person)}
              />
            </li>
          ))}
          {approved && (
            <li>
              <PanelAction
                label="Remover aprovação"
                icon={UserMinus}
                isDanger
                onClick={() => onAction('remove', person)}
              />
            </li>
          )}
        </ul>
      </Part>
      <Part title="Histórico">
        <p className="flex flex-wrap gap-x-4">
          <Link to="/admin/auditoria" search={{ person: email }} className={textLinkClasses}>
            Tudo na auditoria
          </Link>
          <Link to="/admin/auditoria/acesso" search={{ pessoa: userId }} className={textLinkClasses}>
            O que vê, e por quê
          </Link>
        </p>
        <History userId={userId} />
      </Part>
    </>
  )
}

/** What stands below the account; what is wanted most often stands at the top. */
const MORE: readonly RowAction[] = ['types', 'scope', 'name', 'export', 'delete']

interface PanelActionProps {
  label: string
  icon: LucideIcon
  isDanger?: boolean
  onClick: () => void
}

function PanelAction({ label, icon: Icon, isDanger = false, onClick }: PanelActionProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={classNames(
        'flex min-h-11 w-full items-center gap-2.5 rounded-lg px-3 text-left hover:bg-subtle sm:min-h-9',
        isDanger && 'text-danger',
      )}
    >
      <Icon aria-hidden="true" className={classNames('size-4', !isDanger && 'text-muted')} />
      {label}
    </button>
  )
}

/** Where the person is signed in, and what can be done for the account. */
function Account({ person, onAction }: Pick<PersonPanelProps, 'onAction'> & { person: ManagedProfile }) {
  const { user_id: userId } = person
  const isOwn = useSession()?.user.id === userId
  const read = useAccountState(userId)
  const { sessions = [], sign_ins: signIns = [] } = read.data ?? {}
  const refused = signIns.filter(({ refusal }) => refusal !== null)
  const [lastRefused] = refused
  return (
    <Part title="Conta e sessões">
      {!read.data ? (
        <NotLoaded query={read} failed="As sessões não puderam ser lidas agora." skeleton="h-16" />
      ) : (
        <>
          {sessions.length === 0 && <p className="text-muted">Não está conectada em nenhum lugar.</p>}
          <p className="text-muted">
            {read.data.factors > 0 ? 'Usa' : 'Não usa'} a verificação em duas etapas.
          </p>
          <ul aria-label="Sessões abertas" className="space-y-1.5">
            {sessions.map(({ id, device, last_used_at, in_group_network }) => (
              <li key={id} className="flex justify-between gap-3">
                <span className="min-w-0">
                  {device}
                  {in_group_network === false && <span className="text-muted"> · fora da rede do grupo</span>}
                </span>
                <span className="shrink-0 text-muted tabular-nums">{formatRecent(last_used_at)}</span>
              </li>
            ))}
          </ul>
          {read.data.locked_until && (
            <p className="text-warning">
              Entrada bloqueada até {formatInstant(read.data.locked_until)}, de onde vieram as tentativas.
            </p>
          )}
          {lastRefused && (
            <p className={read.data.locked_until ? 'text-warning' : 'text-muted'}>
              {formatCount(
                refused.reduce((sum, { attempts }) => sum + attempts, 0),
                'tentativa de entrada recusada',
                'tentativas de entrada recusadas',
              )}
              , a última {formatRecent(lastRefused.at)}.
            </p>
          )}
        </>
      )}
      {!isOwn && (
        <ul className="-mx-3">
          {HELP.filter((help) => isHelpOffered(help, person, read.data)).map(({ action, label, icon }) => (
            <li key={action}>
              <PanelAction label={label} icon={icon} onClick={() => onAction('account', person, action)} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}

/** What the person sees, or the one reason why nothing. */
function Hindrance({ use, person }: { use: ReportUse; person: ManagedProfile }) {
  return (
    <p role="status" className="flex gap-2">
      <KindIcon kind={use.hindrance ? 'warning' : 'success'} className="mt-0.5" />
      <span className="min-w-0">{describeUse(use, person)}</span>
    </p>
  )
}

export function describeUse(
  { hindrance, reports }: Pick<ReportUse, 'hindrance' | 'reports'>,
  { valid_until, types }: Pick<ManagedProfile, 'valid_until' | 'types'>,
): string {
  switch (hindrance) {
    case 'access-ended':
      return `O acesso terminou em ${formatDate(valid_until ?? '')}. Mude a validade para que volte.`
    case 'not-approved':
      return 'A conta não está aprovada.'
    case 'no-types':
      return 'Não tem nenhuma área: marque os tipos de acesso.'
    case 'no-reports':
      return `Nenhuma das áreas que tem (${formatList(types)}) está com relatório configurado.`
    case 'no-marcas':
      return 'Não tem nenhuma marca: sem marcas, nenhum dado aparece.'
    case 'no-estados':
      return 'Não tem nenhum estado: sem estados, nenhum dado aparece.'
    case null:
      return `${reports.length === 1 ? 'Vê um relatório' : `Vê ${reports.length} relatórios`}: ${formatList(reports)}.`
  }
}
