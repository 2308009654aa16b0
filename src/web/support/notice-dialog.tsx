import { useState } from 'react'
import {
  findNoticeFault,
  MAX_LOGIN_NOTICE_LENGTH,
  MAX_NOTICE_LENGTH,
  type Notice,
  type NoticeForm,
  noticeMessages,
  type Severity,
} from '#contract/notices.ts'
import { adminMessages, isDay, toSaoPauloDay } from '#contract/user-rules.ts'
import { listChoices, useCatalogue } from '#web/http/catalogue-query.ts'
import { isConflict, isGone } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Checkbox, CheckboxList, RadioGroup } from '#web/ui/choices.tsx'
import { DateField } from '#web/ui/date-field.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import { formatTime } from '#web/ui/format-instant.ts'
import { NoticeLines, SEVERITIES } from '#web/ui/notice-lines.tsx'
import { TextArea, TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'

interface NoticeDialogProps {
  /** The notice that is edited; undefined for a new one. */
  opened: Notice | undefined
  refresh: () => Promise<readonly Notice[]>
  onClose: () => void
}

interface Values extends Omit<NoticeForm, 'starts_at' | 'ends_at'> {
  /** Days, '' for none, and times in São Paulo. */
  startDay: string
  startTime: string
  endDay: string
  endTime: string
}

/** Creates or edits a notice, with a preview; shows a concurrent change before it can be overwritten. */
export function NoticeDialog({ opened, refresh, onClose }: NoticeDialogProps) {
  const areas = listChoices(useCatalogue(), 'types', opened?.types ?? [])
  const [start] = useState(() => toValues(opened))
  const [base, setBase] = useState(opened)
  const [values, setValues] = useState(start)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const change = (next: Partial<Values>) => {
    setValues({ ...values, ...next })
    setErrors({})
  }
  const { submit, isBusy } = useSubmit({
    send(body: NoticeForm) {
      if (!base) return retryCall('POST /api/admin/notices', { body })
      const [params, ifMatch] = [{ id: base.id }, String(base.version)]
      return retryCall('PATCH /api/admin/notices/{id}', { params, ifMatch, body })
    },
    async onDone({ state }) {
      await refresh().catch(() => {})
      const title = { draft: 'Rascunho salvo', scheduled: 'Aviso programado', active: 'Aviso publicado' }
      showToast({ kind: 'success', title: state === 'ended' ? 'Aviso salvo' : title[state] })
      onClose()
    },
    async onFailed(failure) {
      const fields = toFieldErrors(failure)
      setErrors(Object.fromEntries(fields.map(({ path, message }) => [path.split('.')[0], message])))
      if (fields.length === 0) showToast(toFailureToast('Não foi possível salvar o aviso', failure))
      const all = await refresh().catch(() => undefined)
      if (all && (isConflict(failure) || isGone(failure))) setBase(all.find(({ id }) => id === base?.id))
    },
  })
  const confirm = () => {
    const form = toForm(values)
    const found = findFault(values, form)
    if (found) setErrors({ [found.path]: found.message })
    else void submit(form)
  }
  const { text, severity, types, on_login, is_draft } = values
  const maxLength = on_login ? MAX_LOGIN_NOTICE_LENGTH : MAX_NOTICE_LENGTH
  const isSeenAgain =
    opened && opened.closed > 0 && (opened.text !== text.trim() || opened.severity !== severity)
  return (
    <FormDialog
      width="wide"
      title={opened ? 'Editar aviso' : 'Novo aviso'}
      confirmLabel={
        base !== opened
          ? base
            ? 'Salvar mesmo assim'
            : 'Salvar como novo'
          : is_draft
            ? 'Salvar rascunho'
            : opened && !opened.is_draft
              ? 'Salvar'
              : 'Publicar'
      }
      question={base?.version}
      isBusy={isBusy}
      hasChanges={JSON.stringify(values) !== JSON.stringify(start)}
      note={isSeenAgain && 'Quem já fechou verá o aviso de novo.'}
      onSubmit={confirm}
      onCancel={onClose}
    >
      <div className="space-y-5">
        {base !== opened && (
          <Alert kind="warning" title="Este aviso mudou nesse meio-tempo">
            {base ? `Agora diz: “${base.text}”.` : 'Ele foi excluído.'} O que você escreveu continua abaixo.
          </Alert>
        )}
        <TextArea
          label="Texto"
          rows={3}
          value={text}
          error={errors.text}
          hint={`${text.trim().length} de ${maxLength} caracteres${on_login ? '' : '. Endereços https:// viram links'}.`}
          // One paragraph: people see one line of it.
          onChange={({ target }) => change({ text: target.value.replace(/\s*\n\s*/g, ' ') })}
        />
        <RadioGroup
          label="Gravidade"
          options={(['info', 'warning', 'problem'] as Severity[]).map((value) => ({
            value,
            label: SEVERITIES[value].label,
          }))}
          value={severity}
          onChange={(severity) => change({ severity })}
          className="sm:grid-cols-3"
        />
        <div className="grid gap-5 sm:grid-cols-2">
          <MomentFields
            label="Início"
            hint="Sem data: assim que for publicado."
            day={values.startDay}
            time={values.startTime}
            error={errors.starts_at}
            onChange={(startDay, startTime) =>
              change({ startDay, startTime: startDay ? startTime || '00:00' : '' })
            }
          />
          <MomentFields
            label="Fim"
            hint="Sem data: até você encerrar."
            day={values.endDay}
            time={values.endTime}
            error={errors.ends_at}
            onChange={(endDay, endTime) => change({ endDay, endTime: endDay ? endTime || '23:59' : '' })}
          />
        </div>
        <RadioGroup
          label="Quem vê"
          options={[
            { value: 'all', label: 'Todos' },
            { value: 'some', label: 'Só quem tem certas áreas' },
          ]}
          value={types ? 'some' : 'all'}
          onChange={(who) =>
            change({ types: who === 'all' ? null : [], on_login: on_login && who === 'all' })
          }
          className="sm:grid-cols-2"
        />
        {types && (
          <div className="space-y-2">
            <CheckboxList
              legend="Áreas"
              options={areas}
              ticked={types}
              onChange={(types) => change({ types })}
            />
            {errors.types && (
              <p role="alert" className="text-danger text-sm">
                {errors.types}
              </p>
            )}
          </div>
        )}
        <div className="grid">
          {!types && (
            <Checkbox
              label="Mostrar também na tela de entrada, a quem ainda não entrou"
              checked={on_login}
              onChange={({ target }) => change({ on_login: target.checked })}
            />
          )}
          <Checkbox
            label="Guardar como rascunho, que só administradores veem"
            checked={is_draft}
            onChange={({ target }) => change({ is_draft: target.checked })}
          />
        </div>
        <section aria-label="Como as pessoas verão">
          <p className="mb-2 font-medium text-sm">Como as pessoas verão</p>
          <div className="overflow-hidden rounded-lg border border-line">
            <NoticeLines
              notices={[{ id: severity, severity, text: text.trim() || noticeMessages.empty }]}
              onClose={() => {}}
            />
          </div>
        </section>
      </div>
    </FormDialog>
  )
}

interface MomentFieldsProps {
  label: string
  hint: string
  day: string
  time: string
  error: string | undefined
  onChange: (day: string, time: string) => void
}

function MomentFields({ label, hint, day, time, error, onChange }: MomentFieldsProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{label}</legend>
      <div className="flex gap-2">
        <DateField
          label={label}
          value={day}
          error={error}
          min={toSaoPauloDay(Date.now())}
          onChange={(next) => onChange(next, time)}
          className="min-w-0 flex-1"
        />
        <TextField
          label="Hora"
          type="time"
          value={time}
          disabled={!day}
          onChange={({ target }) => onChange(day, target.value)}
          className="w-28"
        />
      </div>
      <p className="mt-1.5 text-muted text-sm">{hint}</p>
    </fieldset>
  )
}

function toValues(opened: Notice | undefined): Values {
  const { text, severity, types, on_login, is_draft } = opened ?? NEW_NOTICE
  const toDay = (instant?: string | null) => (instant ? toSaoPauloDay(Date.parse(instant)) : '')
  const toTime = (instant?: string | null) => (instant ? formatTime(instant) : '')
  const { starts_at, ends_at } = opened ?? {}
  const start = { startDay: toDay(starts_at), startTime: toTime(starts_at) }
  return {
    text,
    severity,
    types,
    on_login,
    is_draft,
    ...start,
    endDay: toDay(ends_at),
    endTime: toTime(ends_at),
  }
}

const NEW_NOTICE = { text: '', severity: 'info', types: null, on_login: false, is_draft: false } as const

function toForm({ startDay, startTime, endDay, endTime, ...form }: Values): NoticeForm {
  return {
    ...form,
    text: form.text.trim(),
    starts_at: toInstant(startDay, startTime),
    ends_at: toInstant(endDay, endTime),
  }
}

/** São Paulo has had no summer time since 2019. */
function toInstant(day: string, time: string): string | null {
  return isDay(day) && time ? new Date(`${day}T${time}:00-03:00`).toISOString() : null
}

function findFault({ startDay, endDay }: Values, form: NoticeForm) {
  if (!form.text) return { path: 'text', message: noticeMessages.empty }
  if (form.text.length > MAX_NOTICE_LENGTH) return { path: 'text', message: noticeMessages.tooLong }
  if (form.types?.length === 0) return { path: 'types', message: noticeMessages.noAreas }
  if (startDay && !isDay(startDay)) return { path: 'starts_at', message: adminMessages.dayUnreadable }
  if (endDay && !isDay(endDay)) return { path: 'ends_at', message: adminMessages.dayUnreadable }
  return findNoticeFault(form)
}
