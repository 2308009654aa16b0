import { queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Reader } from '#contract/audit.ts'
import {
  describeGrant,
  describeHindrance,
  formatPseudonym,
  formatUnknown,
  nameGiver,
} from '#contract/describe-access.ts'
import { isDay, toSaoPauloDay } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { formatDate, formatFileDate, formatInstant } from '#web/ui/format-instant.ts'
import { listClasses } from '#web/ui/list-card.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { Picker } from '#web/ui/picker.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { saveCsv } from './access-review.tsx'
import { AuditLinks, DayField } from './audit-screen.tsx'
import { downloadFile } from './export-data.ts'
import { formatCount } from './selection.ts'
import { WhoField } from './who-field.tsx'

const SHOWN = 200

interface Asked {
  area?: string
  pessoa?: string
  dia?: string
}

/** /admin/auditoria/acesso, 'Quem vê o quê': of an area or a person, as it is or was on a day. */
export function AccessScreen() {
  const asked = useSearch({ from: '/signed-in/administrators/admin/auditoria/acesso' }) as Asked
  const navigate = useNavigate()
  const { types } = useCatalogue()
  const area = types.find(({ code, label }) => code === asked.area || label === asked.area)?.code
  const ask = (search: Asked) => void navigate({ to: '/admin/auditoria/acesso', search, replace: true })
  const person = useQuery(personAccessQuery(asked.pessoa, asked.dia)).data?.email ?? ''
  const day = asked.dia && isDay(asked.dia) && { dia: asked.dia }
  return (
    <AdminPage
      isWide
      title="Quem vê o quê"
      intro="Quem pode ver os relatórios de uma área, ou o que uma pessoa pode ver: desde quando, por meio de quê e até quando. Com um dia, como era no fim dele."
      action={<AuditLinks />}
    >
      <div className="flex flex-wrap items-end gap-3">
        <Picker
          title="Área"
          every="escolha"
          options={types.map(({ code, label }) => ({ value: code, label }))}
          value={area}
          onPick={(area) => ask({ ...(area && { area }), ...day })}
        />
        <WhoField
          label="ou pessoa"
          value={person}
          onPick={(_, found) => ask({ ...(found && { pessoa: found.user_id }), ...day })}
        />
        <DayField
          label="No fim do dia"
          value={asked.dia}
          onPick={(dia) => ask({ ...asked, ...(dia ? { dia } : { dia: undefined as never }) })}
        />
      </div>
      {asked.dia && (!isDay(asked.dia) || asked.dia > toSaoPauloDay(Date.now())) ? (
        <Alert kind="warning" title="Este dia não existe ou ainda não chegou">
          Escolha hoje ou um dia que já passou.
        </Alert>
      ) : asked.area && !area ? (
        <Alert kind="warning" title={`Não há uma área “${asked.area}”`}>
          Escolha uma área da lista.
        </Alert>
      ) : area ? (
        <Readers key={`${area} ${asked.dia}`} area={area} on={asked.dia} />
      ) : asked.pessoa ? (
        <PersonAccess userId={asked.pessoa} on={asked.dia} />
      ) : (
        <p className="py-12 text-center text-muted">Escolha uma área ou uma pessoa.</p>
      )}
    </AdminPage>
  )
}

function Unknown({ reach }: { reach: string | null }) {
  return (
    <Alert kind="warning" title="Não há registro deste dia">
      {reach
        ? `A auditoria guardada começa em ${formatInstant(reach)}. Antes disso, não se sabe quem via o quê.`
        : 'A auditoria ainda não tem nenhum registro.'}
    </Alert>
  )
}

const formatSince = ({
  since,
  by,
  until,
  ...grant
}: Omit<Reader, 'user_id' | 'email' | 'full_name' | 'marcas' | 'estados'>) =>
  [
    since ? `desde ${formatInstant(since)}` : 'desde antes do registro',
    since &&
      `por ${describeGrant(grant).replace(/^./, (first) => first.toLowerCase())}${by ? ` (${nameGiver(by)})` : ''}`,
    until ? `até ${formatDate(until)}` : 'sem prazo',
  ]
    .filter(Boolean)
    .join(' · ')

function Readers({ area, on }: { area: string; on: string | undefined }) {
  const [shown, setShown] = useState(SHOWN)
  const [isSaving, setIsSaving] = useState(false)
  const query = { on }
  const access = useQuery({
    queryKey: ['area-access', area, on],
    queryFn: ({ signal }) => callApi('GET /api/access/{type}', { params: { type: area }, query, signal }),
  })
  const { data } = access
  if (!data)
    return <NotLoaded query={access} failed="Não foi possível ler quem vê esta área." skeleton="h-96" />
  if (!data.known) return <Unknown reach={data.reach} />
  const save = async () => {
    setIsSaving(true)
    try {
      const { csv } = await callApi('GET /api/access/{type}/export', { params: { type: area }, query })
      downloadFile(`quem-ve-${area}-${on ?? formatFileDate(new Date())}.csv`, csv, 'text/csv')
    } catch (error) {
      showToast(toFailureToast('Erro ao exportar', error))
    }
    setIsSaving(false)
  }
  return (
    <section aria-label="Quem vê esta área" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status">
          {on
            ? `${formatCount(data.readers.length, 'pessoa podia', 'pessoas podiam')} ver no fim de ${formatDate(on)}`
            : `${formatCount(data.readers.length, 'pessoa pode', 'pessoas podem')} ver agora`}
        </p>
        <Button variant="secondary" isBusy={isSaving} onClick={() => void save()}>
          Baixar CSV
        </Button>
      </div>
      {data.unknown > 0 && <Alert kind="warning" title={`${formatUnknown(data.unknown)}.`} />}
      {data.readers.length > 0 && (
        <ul className={listClasses}>
          {data.readers.slice(0, shown).map((reader) => (
            <li
              key={reader.user_id}
              className="grid grid-cols-1 gap-x-6 break-words px-4 py-3 text-muted sm:grid-cols-[2fr_3fr] sm:px-6"
            >
              <div>
                <p className="font-medium text-ink">
                  {reader.full_name ?? reader.email ?? formatPseudonym(reader.user_id)}
                </p>
                {reader.full_name && <p>{reader.email}</p>}
              </div>
              <div>
                <p>
                  {reader.marcas.join(', ')} · {reader.estados.join(', ')}
                </p>
                <p>{formatSince(reader)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {data.readers.length > shown && (
        <Button variant="secondary" onClick={() => setShown(shown + SHOWN)}>
          Mostrar mais {Math.min(SHOWN, data.readers.length - shown)}
        </Button>
      )}
    </section>
  )
}

const personAccessQuery = (userId: string | undefined, on: string | undefined) =>
  queryOptions({
    queryKey: ['person-access', userId, on],
    queryFn: userId
      ? ({ signal }) =>
          callApi('GET /api/profiles/{userId}/access', { params: { userId }, query: { on }, signal })
      : skipToken,
  })

function PersonAccess({ userId, on }: { userId: string; on: string | undefined }) {
  const access = useQuery(personAccessQuery(userId, on))
  const { data } = access
  if (!data)
    return <NotLoaded query={access} failed="Não foi possível ler o que esta pessoa vê." skeleton="h-64" />
  if (!data.known) return <Unknown reach={data.reach} />
  const { email, hindrance, areas, marcas, estados } = data
  const lines = areas.map((area) => [area.type, area.reports.join(', '), formatSince(area)])
  return (
    <section aria-label={`O que ${email} vê`} className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status" className="break-words">
          <span className="font-medium">{email}</span>
          {on ? `, no fim de ${formatDate(on)}` : ', agora'}
          {marcas.length + estados.length > 0 && (
            <span className="text-muted"> · {[...marcas, ...estados].join(', ')}</span>
          )}
        </p>
        {areas.length > 0 && (
          <Button
            variant="secondary"
            onClick={() =>
              void saveCsv(
                { what: 'person-access', userId, ...(on && { to: on }) },
                `acesso-${email}`,
                on ? new Date(`${on}T12:00:00Z`) : new Date(),
                [['Área', 'Outros relatórios', 'Acesso'], ...lines],
              )
            }
          >
            Baixar CSV
          </Button>
        )}
      </div>
      {hindrance && <Alert kind="warning" title={describeHindrance(hindrance, on !== undefined)} />}
      {areas.length > 0 && (
        <ul className={listClasses}>
          {lines.map(([type, reports, since]) => (
            <li key={type} className="px-4 py-3 sm:px-6">
              <p className="font-medium">
                {type}
                {reports && <span className="font-normal text-muted"> · também {reports}</span>}
              </p>
              <p className="break-words text-muted">{since}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
