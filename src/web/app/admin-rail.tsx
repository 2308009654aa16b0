import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { useSession } from '#web/session/session.ts'
import { classNames } from '#web/ui/class-names.ts'
import { useOverflowFade } from '#web/ui/tabs.tsx'
import { NO_FILTER, profileCountQuery, tasksQuery } from '#web/users/count-query.ts'
import { unreadCountQuery } from './admin-links.tsx'
import { StatusDot, useStatusSummary } from './service-status.tsx'

interface RailItem {
  to: NonNullable<LinkProps['to']>
  label: string
  /** A number, or '7 de 9'. */
  count?: number | string | undefined
  /** Whether the count asks for something to be done. */
  isDue?: boolean
  /** A dot instead of a count, and its meaning. */
  state?: { isGood: boolean | null; text: string } | undefined
}

/** The screen is mounted anew with each address, so the focus is restored here. */
let wasPressed = false

/** The screens of administration: at the left, on narrow windows a row above the screen. */
export function AdminRail() {
  const groups = useGroups()
  const { box: nav, fade } = useOverflowFade<HTMLElement>()
  useLayoutEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - 48
    if (wasPressed) current?.focus({ preventScroll: true })
    wasPressed = false
  }, [nav])
  return (
    <div className="border-line bg-surface max-xl:border-b xl:w-60 xl:shrink-0 xl:border-r print:hidden">
      <nav
        ref={nav}
        id="administracao"
        aria-label="Administração"
        className={classNames(
          'relative flex gap-1 overflow-x-auto px-2 py-1 sm:px-6 xl:sticky xl:top-0 xl:max-h-[calc(100dvh-5.5rem)] xl:flex-col xl:gap-0 xl:overflow-y-auto xl:px-2 xl:py-3',
          fade,
        )}
      >
        {groups.map(({ title, items }) => (
          <div key={title} className="flex gap-1 xl:block xl:not-first:pt-3">
            {title && (
              <p aria-hidden="true" className="px-2.5 pb-1 font-semibold text-muted text-xs max-xl:hidden">
                {title}
              </p>
            )}
            <ul aria-label={title || undefined} className="flex gap-1 xl:block">
              {items.map((item) => (
                <li key={item.to}>
                  <RailLink {...item} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  )
}

function RailLink({ to, label, count, isDue, state }: RailItem) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/admin', includeSearch: false }}
      activeProps={{ className: 'bg-subtle text-brand-strong' }}
      inactiveProps={{ className: 'text-muted hover:bg-subtle hover:text-ink' }}
      onClick={() => {
        wasPressed = true
      }}
      className="flex h-11 scroll-mx-12 items-center gap-3 whitespace-nowrap rounded-lg px-2.5 font-medium text-sm transition-colors focus-visible:-outline-offset-2 xl:h-8"
    >
      <span className="flex-1">{label}</span>
      {count !== undefined && count !== 0 && (
        // Not on narrow windows, where it would push the next screens aside once it is known.
        <span
          className={classNames(
            'font-semibold text-xs tabular-nums max-xl:hidden',
            isDue ? 'rounded-full bg-warning-soft px-1.5 leading-5 text-warning' : 'text-muted',
          )}
        >
          {typeof count === 'number' ? count.toLocaleString('pt-BR') : count}
        </span>
      )}
      {state && (
        <span className="max-xl:hidden">
          <StatusDot isGood={state.isGood} />
          <span className="sr-only">{state.text}</span>
        </span>
      )}
    </Link>
  )
}

function useGroups(): { title: string; items: RailItem[] }[] {
  const { total, waiting, requests = 0 } = useQuery(profileCountQuery(NO_FILTER)).data ?? {}
  const tasks = useQuery(tasksQuery).data
  const unread = useQuery(unreadCountQuery(useSession()?.user.id)).data?.count
  const state = useStatusSummary()
  return [
    {
      title: '',
      items: [
        { to: '/admin', label: 'Visão geral' },
        { to: '/admin/pessoas', label: 'Pessoas', count: total },
        {
          to: '/admin/relatorios',
          label: 'Relatórios',
          count: tasks && `${tasks.withReport} de ${tasks.areas}`,
        },
      ],
    },
    {
      title: 'Entrada',
      items: [
        {
          to: '/admin/aguardando',
          label: 'Aguardando aprovação',
          count: (waiting ?? 0) + requests,
          isDue: true,
        },
        { to: '/admin/convites', label: 'Convites', count: tasks?.invitations },
        {
          to: '/mensagens',
          label: 'Mensagens',
          count: unread,
          isDue: true,
        },
      ],
    },
    {
      title: 'Acesso',
      items: [
        { to: '/admin/modelos', label: 'Modelos de acesso' },
        ...(portalSettings.signIn === 'password'
          ? []
          : [{ to: '/admin/grupos' as const, label: 'Grupos do diretório' }]),
        { to: '/admin/revisoes', label: 'Revisão de acessos', count: tasks?.reviews },
        { to: '/admin/listas', label: 'Áreas, marcas e estados' },
      ],
    },
    {
      title: 'Acompanhar',
      items: [
        { to: '/admin/uso', label: 'Uso' },
        { to: '/admin/auditoria', label: 'Auditoria' },
        { to: '/admin/avisos', label: 'Avisos' },
        { to: '/admin/saude', label: 'Saúde do portal', state },
      ],
    },
  ]
}
