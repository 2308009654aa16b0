import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatList } from '#contract/format-list.ts'
import type { ServiceName, ServiceState } from '#contract/health.ts'
import { lampsQuery } from '#web/http/lamps-query.ts'
import { useStreamState } from '#web/live/live-changes.ts'
import { Alert } from '#web/ui/alert.tsx'
import { textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatInstant } from '#web/ui/format-instant.ts'

const SERVICES: Record<ServiceName | 'stream', { label: string; todo: string }> = {
  mail: {
    label: 'E-mail',
    todo: 'Os e-mails esperam na fila e saem sozinhos quando o servidor de e-mail voltar. Peça à equipe de TI para conferi-lo.',
  },
  powerBi: {
    label: 'Power BI',
    todo: 'Os relatórios podem não abrir. Veja a causa em “Saúde do portal” e, se for do Microsoft Entra ou do Power BI, peça à equipe de TI.',
  },
  database: {
    label: 'Banco de dados',
    todo: 'O portal volta sozinho quando o banco responder. Avise a equipe de TI se durar mais de alguns minutos.',
  },
  stream: {
    label: 'Avisos ao vivo',
    todo: 'As telas só mostram novidades quando você volta a elas. Se durar, a equipe de TI confere o proxy em “Saúde do portal”.',
  },
}

/** One dot when all is well; otherwise what is broken, since when, and what to do. */
export function ServiceStatus() {
  const broken = useServiceStatus().filter(({ isGood }) => isGood === false)
  const { isGood, text } = useStatusSummary()
  if (broken.length === 0)
    return (
      // On wide windows the rail has the dot.
      <Link
        to="/admin/saude"
        className="inline-flex max-w-full items-center gap-1.5 rounded-sm text-muted text-sm underline-offset-4 hover:underline xl:hidden"
      >
        <StatusDot isGood={isGood} />
        {/* In one line, so that nothing below moves when the answer arrives. */}
        <span className="truncate">{isGood ? 'Tudo em ordem' : `Saúde: ${text}`}</span>
      </Link>
    )
  return (
    <div className="space-y-3">
      {broken.map(({ name, since }) => (
        <Alert
          key={name}
          kind="warning"
          title={`${SERVICES[name].label} com problema${since ? ` desde ${formatInstant(since)}` : ''}`}
        >
          {SERVICES[name].todo}{' '}
          <Link to="/admin/saude" className={textLinkClasses}>
            Ver a saúde do portal
          </Link>
        </Alert>
      ))}
    </div>
  )
}

/** What is not known yet is not well. */
export function useStatusSummary() {
  const services = useServiceStatus()
  const hasFaults = Boolean(useQuery(lampsQuery).data?.reports.length)
  if (hasFaults || services.some(({ isGood }) => isGood === false))
    return { isGood: false, text: 'com problema' }
  const unknown = services.filter(({ isGood }) => isGood === null)
  if (unknown.length === 0) return { isGood: true, text: 'em ordem' }
  return {
    isGood: null,
    text: `ainda sem notícia de ${formatList(unknown.map(({ name }) => SERVICES[name].label))}`,
  }
}

export function StatusDot({ isGood }: { isGood: boolean | null }) {
  const color = isGood === null ? 'border border-muted' : isGood ? 'bg-success' : 'bg-danger'
  return <span aria-hidden="true" className={classNames('block size-2 shrink-0 rounded-full', color)} />
}

/** The state of each service, as this page and all replicas last saw it; null before its first use. */
export function useServiceStatus(): (ServiceState & { name: keyof typeof SERVICES })[] {
  const { data, error, errorUpdatedAt } = useQuery(lampsQuery)
  const isDatabaseDown = error !== null && 'status' in error && error.status === 503
  const down = { isGood: false, since: new Date(errorUpdatedAt).toISOString() }
  const unknown = { isGood: null, since: null }
  const known = data ?? { mail: unknown, powerBi: unknown, database: unknown }
  const stream = useStreamState()
  return [
    { name: 'mail', ...known.mail },
    { name: 'powerBi', ...known.powerBi },
    { name: 'database', ...(isDatabaseDown ? down : known.database) },
    {
      name: 'stream',
      ...(stream ? { isGood: stream.isLive, since: new Date(stream.since).toISOString() } : unknown),
    },
  ]
}
