import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toCsv } from '#contract/csv.ts'
import type { Usage, UsagePeriod, UsedGroup, UsedReport } from '#contract/usage.ts'
import { formatCount, MIN_GROUP } from '#contract/usage-rules.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { saveFile } from '#web/http/save-file.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/choices.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatDate, formatDay } from '#web/ui/format-instant.ts'
import { LazyPart } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import {
  type Column,
  formatFailures,
  formatPeople,
  formatSeconds,
  nameReport,
  PeopleAnswer,
  ReportAnswer,
  SmallGroup,
  UsageTable,
} from './usage-tables.tsx'

const DAY_MS = 24 * 60 * 60_000
const PERIODS = {
  day: { one: 'dia', current: 'Hoje' },
  week: { one: 'semana', current: 'Nesta semana' },
  month: { one: 'mês', current: 'Neste mês' },
} as const
type Period = Usage['periods'][number]

const loadChart = () => import('./usage-chart.tsx')

/** /admin/uso, 'Uso': who comes and what is read, in the time of the address, or in 30 days. */
export function UsageScreen() {
  const search = useSearch({ from: '/signed-in/administrators/admin/uso' })
  const usage = useQuery({
    queryKey: ['usage', search],
    queryFn: ({ signal }) => callApi('GET /api/usage', { query: search, signal }),
    placeholderData: keepPreviousData,
  })
  const { data } = usage
  return (
    <AdminPage
      title="Uso"
      isWide
      intro={`Quem vem ao portal, o que lê e quanto espera. Grupos com menos de ${MIN_GROUP} pessoas aparecem como “<${MIN_GROUP}”, e um traço esconde o número que as revelaria por subtração.`}
      action={
        <Button variant="secondary" disabled={!data} onClick={() => data && void saveUsage(data)}>
          Baixar CSV
        </Button>
      }
    >
      <PeriodChoice data={data} />
      {data ? (
        <UsageContent data={data} />
      ) : (
        <NotLoaded query={usage} failed="O uso não pôde ser lido agora." skeleton="h-[48rem]" />
      )}
    </AdminPage>
  )
}

/** The times to choose from, as links: each has an address. */
function PeriodChoice({ data }: { data: Usage | undefined }) {
  const today = toSaoPauloDay(Date.now())
  const ago = (days: number) => toSaoPauloDay(Date.now() - days * DAY_MS)
  const [year = 0, month = 0] = today.split('-').map(Number)
  const aYearOfMonths = new Date(Date.UTC(year, month - 12, 1)).toISOString().slice(0, 10)
  const choices = [
    { label: '30 dias', search: {} },
    { label: '12 semanas', search: { from: ago(11 * 7), to: today, by: 'week' } },
    { label: '12 meses', search: { from: aYearOfMonths, to: today, by: 'month' } },
  ] as const
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <nav
        aria-label="Período"
        className="inline-flex rounded-lg border border-line bg-surface p-0.5 shadow-xs"
      >
        {choices.map(({ label, search }) => (
          <Link
            key={label}
            to="/admin/uso"
            search={search}
            activeOptions={{ exact: true }}
            activeProps={{ className: 'bg-subtle text-brand-strong' }}
            inactiveProps={{ className: 'text-muted hover:text-ink' }}
            className="inline-flex h-10 items-center rounded-md px-3 font-medium text-sm xl:h-8"
          >
            {label}
          </Link>
        ))}
      </nav>
      <p role="status" className="min-h-5 text-muted text-sm">
        {data && `${formatDate(data.from)} a ${formatDate(data.to)}, por ${PERIODS[data.by].one}`}
      </p>
    </div>
  )
}

function UsageContent({ data }: { data: Usage }) {
  const { never_came, stopped_coming, reports } = data
  const unread = reports.filter(({ exists, openings }) => exists && openings === 0)
  const read = reports.filter(({ openings }) => openings !== 0)
  const slow = reports
    .filter((report) => report.median_ms !== null)
    .toSorted((one, other) => (other.median_ms ?? 0) - (one.median_ms ?? 0))
  const failing = reports
    .filter(({ failures }) => failures)
    .toSorted((one, other) => (other.failures ?? 0) - (one.failures ?? 0))
  const people = (
    <>
      <PeopleAnswer
        title="Nunca vieram"
        note="Têm acesso e ainda não entraram; com o dia do cadastro."
        found={never_came}
      />
      <PeopleAnswer
        title="Deixaram de vir"
        note={`Têm acesso e não vêm desde antes de ${formatDate(data.from)}; com o último acesso.`}
        found={stopped_coming}
      />
    </>
  )
  const isUsed = read.length > 0 || data.periods.some(({ people: came }) => came !== 0)
  if (!isUsed)
    return (
      <>
        <Card>
          <p className="font-medium">Ainda não há uso para mostrar neste período.</p>
          <p className="mt-1 text-muted text-sm">
            O portal conta sozinho quem vem e o que lê. Volte depois dos primeiros acessos: o dia de hoje
            aparece em cerca de um minuto.
          </p>
        </Card>
        <div className="grid gap-4 md:grid-cols-2">{people}</div>
        <MailSwitch isOn={data.is_mailed} />
      </>
    )
  return (
    <>
      <Figures data={data} />
      <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        {people}
        <ReportAnswer title="Ninguém abriu" note={describeUnread(data)} reports={unread} />
        <ReportAnswer
          title="Menos lidos"
          note={`Abertos por alguém, com os leitores por ${PERIODS[data.by].one}.`}
          reports={read.toReversed()}
          explain={({ people: readers }) => formatPeople(readers)}
        />
        <ReportAnswer
          title="Mais lentos"
          note="Quanto metade das pessoas esperou pelo primeiro relatório."
          reports={slow}
          explain={({ median_ms }) => formatSeconds(median_ms ?? 0)}
        />
        <ReportAnswer
          title="Falharam ao abrir"
          note="Quantas vezes alguém pediu o relatório e não o viu."
          reports={failing}
          explain={formatFailures}
        />
      </div>
      <Charts data={data} />
      <Section title="Relatórios">
        <UsageTable
          label="Relatórios"
          columns={reportColumns(data.by)}
          rows={reports}
          toKey={({ id }) => id}
        />
      </Section>
      <div className="grid items-start gap-4 lg:grid-cols-3">
        {(['types', 'marcas', 'estados'] as const).map((list) => (
          <Section key={list} title={GROUPS[list]}>
            <UsageTable
              label={GROUPS[list]}
              columns={groupColumns(GROUPS[list], data.by)}
              rows={data[list]}
              toKey={({ code }) => code}
            />
          </Section>
        ))}
      </div>
      <MailSwitch isOn={data.is_mailed} />
    </>
  )
}

const GROUPS = { types: 'Áreas', marcas: 'Marcas', estados: 'Estados' } as const

function describeUnread({ opened_since, from }: Usage): string {
  if (opened_since === null) return 'As aberturas ainda não foram contadas.'
  return opened_since > from
    ? `Nenhuma abertura desde ${formatDate(opened_since)}, quando a contagem começou.`
    : 'Nenhuma abertura no período.'
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="overflow-hidden rounded-xl border border-line bg-surface shadow-xs"
    >
      <h2 className="px-4 pt-4 pb-2 font-semibold text-lg sm:px-6">{title}</h2>
      {children}
    </section>
  )
}

/** The newest period and the whole time, in four numbers. */
function Figures({ data: { periods, by, timing, reports } }: { data: Usage }) {
  const newest = periods.at(-1)
  const before = periods.at(-2)
  const openings = periods.reduce((sum, period) => sum + (period.openings ?? 0), 0)
  const readers = reports.filter(({ people }) => people !== 0).length
  return (
    <ul aria-label="Em números" className="grid grid-cols-2 gap-3 xl:grid-cols-4">
      <Figure
        label={newest?.is_open ? `${PERIODS[by].current} vieram` : 'Vieram no fim do período'}
        value={newest ? formatPeople(newest.people) : '–'}
        note={before && `${formatPeriod(before, by)}: ${formatPeople(before.people)}`}
      />
      <Figure
        label="Aberturas de relatórios"
        value={formatCount(openings)}
        note={`${formatCount(readers)} de ${formatCount(reports.length)} relatórios foram abertos`}
      />
      <Figure
        label="Espera pelo relatório"
        value={timing.median_ms === null ? '–' : formatSeconds(timing.median_ms)}
        note={
          timing.slow_ms === null
            ? 'ainda há poucas medições'
            : `1 em 20 espera mais de ${formatSeconds(timing.slow_ms)}`
        }
      />
      <Figure
        label="Não abriram"
        value={formatCount(timing.failures)}
        note={
          timing.failures === 0
            ? 'nenhuma falha no período'
            : `de ${formatCount(openings + timing.failures)} tentativas`
        }
      />
    </ul>
  )
}

function Figure({ label, value, note }: { label: string; value: string; note: string | undefined }) {
  return (
    <li className="h-28 rounded-xl border border-line bg-surface px-3 py-3 shadow-xs sm:h-26 sm:px-4">
      <span className="block truncate text-muted text-xs">{label}</span>
      <span className="block font-semibold text-2xl tabular-nums leading-9 tracking-tight">
        <SmallGroup text={value} />
      </span>
      <span className="line-clamp-2 text-muted text-xs">{note}</span>
    </li>
  )
}

function Charts({ data: { periods, by } }: { data: Usage }) {
  const columns: Column<Period>[] = [
    {
      head: by === 'day' ? 'Dia' : by === 'week' ? 'Semana de' : 'Mês',
      cell: (period) => formatPeriod(period, by),
      ...(by === 'month' && { show: (period: Period) => <MonthLink period={period} /> }),
    },
    { head: 'Pessoas', cell: ({ people }) => formatPeople(people), isNumber: true },
    { head: 'Aberturas', cell: ({ openings }) => formatOpenings(openings), isNumber: true },
    { head: 'Espera', cell: ({ median_ms }) => formatWait(median_ms), isNumber: true },
    { head: '1 em 20', cell: ({ slow_ms }) => formatWait(slow_ms), isNumber: true },
    { head: 'Falhas', cell: ({ failures }) => formatCount(failures), isNumber: true },
  ]
  return (
    <section aria-label="Ao longo do tempo" className="rounded-xl border border-line bg-surface shadow-xs">
      <div className="grid gap-x-10 gap-y-8 p-4 sm:p-6 lg:grid-cols-2">
        <LazyPart
          name="usage-chart"
          load={loadChart}
          loading={<Skeleton className="h-62 lg:col-span-2" />}
          failed="Os gráficos não puderam ser abertos agora. Os números estão na tabela."
        >
          {({ UsageChart }) => (
            <>
              <UsageChart
                title={`Pessoas por ${PERIODS[by].one}`}
                lines={['Pessoas']}
                points={periods.map((period) => ({
                  label: formatPeriod(period, by),
                  values: [period.people],
                }))}
                format={(value) => formatCount(value)}
              />
              <UsageChart
                title="Espera pelo primeiro relatório"
                lines={['metade das pessoas', '1 em 20']}
                points={periods.map((period) => ({
                  label: formatPeriod(period, by),
                  values: [period.median_ms, period.slow_ms],
                }))}
                format={formatSeconds}
              />
            </>
          )}
        </LazyPart>
      </div>
      <details className="border-line border-t">
        <summary className="cursor-pointer px-4 py-3 font-medium text-sm focus-visible:-outline-offset-2 sm:px-6">
          Os números dos gráficos
        </summary>
        <UsageTable
          label="Números dos gráficos"
          columns={columns}
          rows={periods.toReversed()}
          toKey={({ starts_on }) => starts_on}
        />
      </details>
    </section>
  )
}

/** Leads to the days of a month. */
function MonthLink({ period }: { period: Period }) {
  const [year = 0, month = 1] = period.starts_on.split('-').map(Number)
  const to = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
  return (
    <Link to="/admin/uso" search={{ from: period.starts_on, to, by: 'day' }} className={textLinkClasses}>
      {formatPeriod(period, 'month')}
    </Link>
  )
}

const months = new Intl.DateTimeFormat('pt-BR', { month: 'short', year: 'numeric', timeZone: 'UTC' })
const formatPeriod = ({ starts_on }: Pick<Period, 'starts_on'>, by: UsagePeriod): string =>
  by === 'month' ? months.format(new Date(starts_on)) : formatDate(starts_on)
const formatOpenings = (openings: number | null) => (openings === null ? '–' : formatCount(openings))
const formatWait = (ms: number | null) => (ms === null ? '–' : formatSeconds(ms))

const reportColumns = (by: UsagePeriod): Column<UsedReport>[] => [
  { head: 'Relatório', cell: nameReport },
  { head: `Leitores por ${PERIODS[by].one}`, cell: ({ people }) => formatPeople(people), isNumber: true },
  { head: 'Aberturas', cell: ({ openings }) => formatOpenings(openings), isNumber: true },
  { head: 'Espera', cell: ({ median_ms }) => formatWait(median_ms), isNumber: true },
  { head: '1 em 20', cell: ({ slow_ms }) => formatWait(slow_ms), isNumber: true },
  { head: 'Falhas', cell: formatFailures, isNumber: true },
]

const groupColumns = (title: string, by: UsagePeriod): Column<UsedGroup>[] => [
  { head: title.slice(0, -1), cell: ({ label }) => label },
  {
    head: `Pessoas por ${PERIODS[by].one}`,
    cell: ({ people, is_masked }) => formatPeople(people, is_masked),
    isNumber: true,
  },
  { head: 'Aberturas', cell: ({ openings }) => formatOpenings(openings), isNumber: true },
]

/** Converts '2.208' and '2,3 s' to what a Brazilian spreadsheet counts with; heads tell the unit. */
const toNumber = (text: string): string =>
  /^\d{1,3}(\.\d{3})+$/.test(text)
    ? text.replaceAll('.', '')
    : text.replace(/^(\d+,\d) s$/, '$1').replace(/^(Espera|1 em 20)$/, '$1 (s)')

/** Saves everything that the screen shows as one file, a table below the other. */
async function saveUsage({ by, from, to, ...data }: Usage): Promise<void> {
  const toLines = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]) => [
    columns.map(({ head }) => head),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
    [],
  ]
  const people = (title: string, { people: found }: Usage['never_came']) => [
    [title, 'E-mail', 'Data'],
    ...found.map(({ full_name, email, at }) => [full_name ?? '', email, formatDay(at)]),
    [],
  ]
  const lines = [
    ['Uso', formatDate(from), formatDate(to)],
    [],
    ['Início', 'Pessoas', 'Aberturas', 'Espera', '1 em 20', 'Falhas'],
    ...data.periods.map((period) => [
      formatDate(period.starts_on),
      formatPeople(period.people),
      formatOpenings(period.openings),
      formatWait(period.median_ms),
      formatWait(period.slow_ms),
      String(period.failures),
    ]),
    [],
    ...toLines(reportColumns(by), data.reports),
    ...(['types', 'marcas', 'estados'] as const).flatMap((list) =>
      toLines(groupColumns(GROUPS[list], by), data[list]),
    ),
    ...people('Nunca vieram', data.never_came),
    ...people('Deixaram de vir', data.stopped_coming),
  ]
  const cells = lines.map((line) => line.map(toNumber))
  try {
    await callApi('POST /api/audit/downloads', { body: { what: 'usage', from, to } })
    saveFile(`uso-${from}-${to}.csv`, new Blob([toCsv(cells)], { type: 'text/csv' }))
  } catch (error) {
    showToast(toFailureToast('O uso não pôde ser baixado', error))
  }
}

/** The caller's monthly mail. */
function MailSwitch({ isOn }: { isOn: boolean }) {
  const { submit, isBusy } = useSubmit({
    async send(wanted: boolean) {
      await callApi('PUT /api/usage/mail', { body: { wanted } })
      await queryClient.invalidateQueries({ queryKey: ['usage'] })
      showToast({
        kind: 'success',
        title: wanted ? 'Você vai receber o resumo do mês' : 'Você não recebe mais o resumo',
        ...(wanted && { description: 'O primeiro chega no começo do próximo mês.' }),
      })
    },
    onFailed: (error) => showToast(toFailureToast('A escolha não pôde ser salva', error)),
  })
  return (
    <Checkbox
      label="Receber por e-mail um resumo no começo de cada mês"
      checked={isOn}
      aria-disabled={isBusy}
      onChange={({ target }) => void submit(target.checked)}
      className={classNames(isBusy && 'opacity-60')}
    />
  )
}
