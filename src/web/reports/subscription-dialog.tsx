import { queryOptions, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { foldText } from '#contract/entitlement-lists.ts'
import { MAX_VIEW_NAME_LENGTH } from '#contract/messages.ts'
import type { ExportFormat } from '#contract/report-exports.ts'
import { describeSchedule, WEEKDAYS } from '#contract/report-schedule.ts'
import type { ReportSubscription, Schedule } from '#contract/report-subscriptions.ts'
import type { ReportView } from '#contract/report-views.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { useSession } from '#web/session/session.ts'
import { RadioGroup } from '#web/ui/choices.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import { formatDay } from '#web/ui/format-instant.ts'
import { SelectField } from '#web/ui/select-field.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { reportViewsQuery } from './open-views.ts'

/** The person's subscriptions, newest first. */
export const subscriptionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['report-subscriptions', userId],
    queryFn: async ({ signal }) => (await callApi('GET /api/report-subscriptions', { signal })).items,
  })

export const refreshSubscriptions = (userId: string) =>
  queryClient.invalidateQueries(subscriptionsQuery(userId))

/** A report that can be mailed. */
export interface MailableReport {
  area: string
  reportId: string
  /** Its own name, or the area's. */
  name: string
}

interface SubscriptionDialogProps {
  userId: string
  /** The reports to choose from; one is not asked for. */
  reports: readonly [MailableReport, ...MailableReport[]]
  /** Undefined for a new one. */
  subscription?: ReportSubscription | undefined
  /** With which a new one begins. */
  openView?: ReportView | undefined
  /** Captures what the report shows, which can be mailed once it is saved as a view. */
  captureView?: (() => Promise<string>) | undefined
  /** Whether that is neither the open view nor the report as published. */
  isChanged?: boolean
  onViewSaved?: (view: ReportView) => void
  onClose: () => void
}

/** The content that is no saved view yet. */
const CURRENT = 'current'

/** Proposes a name that none of the views has: 'FIAT · 28/11', 'FIAT · 28/11 (2)'. */
export function proposeViewName(name: string, views: readonly { name: string }[]): string {
  const names = views.map((view) => foldText(view.name))
  for (let count = 1; ; count += 1) {
    const end = ` · ${formatDay(new Date()).slice(0, 5)}${count > 1 ? ` (${count})` : ''}`
    const proposed = name.slice(0, MAX_VIEW_NAME_LENGTH - end.length).trimEnd() + end
    if (!names.includes(foldText(proposed))) return proposed
  }
}

const FORMATS = [
  { value: 'pdf', label: 'PDF' },
  { value: 'pptx', label: 'PowerPoint' },
] as const

export function FormatField(props: { value: ExportFormat; onChange: (format: ExportFormat) => void }) {
  return <RadioGroup label="Formato" options={FORMATS} className="grid-cols-2" {...props} />
}

const PERIODS = [
  { value: 'day', label: 'Todo dia' },
  { value: 'week', label: 'Toda semana' },
  { value: 'month', label: 'Todo mês' },
] as const
const toOptions = (count: number, from: number, label: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({ value: String(index + from), label: label(index + from) }))
const HOURS = toOptions(24, 0, (hour) => `${hour}h`)
const DAYS = toOptions(31, 1, (day) => (day === 31 ? '31, ou o último' : String(day)))
const WEEK = WEEKDAYS.map((day, index) => ({
  value: String(index + 1),
  label: day.charAt(0).toUpperCase() + day.slice(1).replace('-feira', ''),
}))

/** 'Receber por e-mail': what is mailed, and when. */
export function SubscriptionDialog(props: SubscriptionDialogProps) {
  const { userId, reports, subscription, openView, captureView, isChanged = false, onClose } = props
  const email = useSession()?.user.email
  const { data: views } = useQuery(reportViewsQuery(userId))
  const [index, setIndex] = useState(0)
  const report = reports[index] ?? reports[0]
  const [viewId, setViewId] = useState(
    captureView && isChanged ? CURRENT : ((subscription ? subscription.viewId : openView?.id) ?? ''),
  )
  const [typedName, setName] = useState<string>()
  const [problem, setProblem] = useState<string>()
  /** Saved by an attempt whose second half failed. */
  const saved = useRef<ReportView>(undefined)
  const [format, setFormat] = useState<ExportFormat>(subscription?.format ?? 'pdf')
  const { every: period, hour: at, ...days } = subscription?.schedule ?? { every: 'week', hour: 8 }
  const [every, setEvery] = useState(period)
  const [hour, setHour] = useState(at)
  const [weekday, setWeekday] = useState('weekday' in days ? days.weekday : 1)
  const [day, setDay] = useState('day' in days ? days.day : 1)
  const schedule: Schedule =
    every === 'day' ? { every, hour } : every === 'week' ? { every, weekday, hour } : { every, day, hour }
  const own =
    views?.items.filter((view) => view.area === report.area && view.reportId === report.reportId) ?? []
  const name = typedName ?? proposeViewName(openView?.name ?? report.name, own)
  async function saveCurrent(state: string): Promise<ReportView> {
    const { area, reportId } = report
    // Once it is saved, another one would be proposed.
    setName(name)
    return callApi('POST /api/report-views', { body: { area, reportId, name, state, isDefault: false } })
  }
  const { submit, isBusy } = useSubmit({
    async send() {
      if (viewId === CURRENT && captureView) {
        saved.current ??= await saveCurrent(await captureView())
        props.onViewSaved?.(saved.current)
        void queryClient.invalidateQueries(reportViewsQuery(userId))
      }
      const wanted = viewId === CURRENT ? saved.current?.id : viewId
      const body = { viewId: wanted || null, format, schedule }
      if (subscription)
        return callApi('PATCH /api/report-subscriptions/{id}', { params: { id: subscription.id }, body })
      const { area, reportId } = report
      return callApi('POST /api/report-subscriptions', { body: { area, reportId, ...body } })
    },
    async onDone() {
      await refreshSubscriptions(userId)
      onClose()
      const description = `Você o recebe ${describeSchedule(schedule)}, em ${email}.`
      showToast({ kind: 'success', title: `${report.name} por e-mail`, description })
    },
    onFailed(error) {
      const field = toFieldErrors(error).find(({ path }) => path === 'name')
      setProblem(field?.message)
      if (!field) showToast(toFailureToast('Erro ao salvar o envio', error))
    },
  })
  const contents = own.map(({ id, name }) => ({ value: id, label: `Visão “${name}”` }))
  const isUnknown = viewId !== '' && viewId !== CURRENT && !contents.some(({ value }) => value === viewId)
  const title = reports.length === 1 ? `Receber ${report.name} por e-mail` : 'Receber por e-mail'
  return (
    <FormDialog
      title={title}
      description={`Chega só com os seus dados, em ${email}.`}
      confirmLabel="Salvar"
      isBusy={isBusy}
      onSubmit={() => void submit()}
      onCancel={onClose}
    >
      {reports.length > 1 && (
        <SelectField
          label="Relatório"
          options={reports.map(({ area, name }, at) => ({
            value: String(at),
            label: name === area ? area : `${area}, ${name}`,
          }))}
          value={String(index)}
          onChange={(value) => {
            setIndex(Number(value))
            setViewId('')
          }}
        />
      )}
      <SelectField
        label="Conteúdo"
        options={[
          ...(captureView ? [{ value: CURRENT, label: 'Como está agora, salvo como visão' }] : []),
          { value: '', label: 'Como foi publicado' },
          ...(isUnknown
            ? [
                {
                  value: viewId,
                  label: subscription?.view ?? openView?.name ?? 'Uma visão que não existe mais',
                },
              ]
            : []),
          ...contents,
        ]}
        value={viewId}
        onChange={setViewId}
      />
      {viewId === CURRENT && (
        <TextField
          label="Nome da visão"
          autoComplete="off"
          maxLength={MAX_VIEW_NAME_LENGTH}
          value={name}
          error={problem}
          hint="Ela fica em “Visões”, e cada envio traz o que ela guarda."
          onChange={({ target }) => {
            setName(target.value)
            setProblem(undefined)
          }}
        />
      )}
      <FormatField value={format} onChange={setFormat} />
      <div className="grid grid-cols-2 gap-4">
        <SelectField
          label="Frequência"
          options={PERIODS}
          value={every}
          onChange={(value) => setEvery(value as Schedule['every'])}
        />
        {every === 'week' && (
          <SelectField
            label="Dia da semana"
            options={WEEK}
            value={String(weekday)}
            onChange={(value) => setWeekday(Number(value))}
          />
        )}
        {every === 'month' && (
          <SelectField
            label="Dia do mês"
            options={DAYS}
            value={String(day)}
            onChange={(value) => setDay(Number(value))}
          />
        )}
        <SelectField
          label="Hora"
          options={HOURS}
          value={String(hour)}
          onChange={(value) => setHour(Number(value))}
          hint="Horário de Brasília"
        />
      </div>
    </FormDialog>
  )
}
