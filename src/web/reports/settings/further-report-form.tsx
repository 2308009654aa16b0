import { useState } from 'react'
import { formatReportTitle } from '#contract/messages.ts'
import { reportSettingMessages } from '#contract/report-setting-rules.ts'
import type { FurtherReport } from '#contract/report-settings.ts'
import { callApi } from '#web/http/api.ts'
import { useLeaveGuard } from '#web/session/leave-guard.tsx'
import { announceUndoable } from '#web/session/undo-change.ts'
import { Button } from '#web/ui/button.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { DataRefreshBar } from './data-refresh.tsx'
import { useReplacementTest, useSettingErrors, useTestReport } from './save-setting.ts'
import { SettingFields } from './setting-fields.tsx'
import { isUnchanged, type SettingForm, toForm, toInput } from './setting-form.ts'
import { FailedReplacementDialog, TestedLine } from './tested-line.tsx'

interface FurtherReportFormProps {
  type: string
  slug: string
  /** Undefined for a new report. */
  item: FurtherReport | undefined
  onClose: () => void
}

const EMPTY: SettingForm = { ...toForm(undefined), mode: 'service_principal' }

interface NameFieldProps {
  name: string
  errors: ReturnType<typeof useSettingErrors>
  hint?: string
  onChange: (name: string) => void
}

/** How a report is named beside others of its area. */
export function NameField({ name, errors, hint, onChange }: NameFieldProps) {
  return (
    <TextField
      name="name"
      label="Nome do relatório"
      hint={hint}
      value={name}
      error={errors.getError('name')}
      autoFocus
      maxLength={60}
      autoComplete="off"
      onChange={(event) => {
        errors.clear(['name'])
        onChange(event.currentTarget.value)
      }}
    />
  )
}

/** The name and the setting of a further report of an area. */
export function FurtherReportForm({ type, slug, item, onClose }: FurtherReportFormProps) {
  // A change by somebody else meanwhile is refused when saved, by the version that the form began with.
  const [start] = useState(item)
  const [form, setForm] = useState(start ? toForm(start) : EMPTY)
  const [name, setName] = useState(start?.name ?? '')
  const errors = useSettingErrors()
  const testing = useTestReport(slug, form)
  const isChanged =
    name.trim() !== (start?.name ?? '') || !(start ? isUnchanged(form, start) : form === EMPTY)
  const { dialog } = useLeaveGuard(isChanged, {
    title: 'Sair sem salvar?',
    description: 'O relatório ainda não foi salvo, e o que você digitou será perdido.',
    confirmLabel: 'Sair sem salvar',
    cancelLabel: 'Continuar editando',
  })
  const replacement = useReplacementTest(slug)
  const { submit, isBusy } = useSubmit({
    async send(isSure: boolean) {
      const input = toInput(form)
      if (!input || (!isSure && (await replacement.fails(input, start, () => void submit(true))))) return
      const body = { ...input, name }
      const params = { type: slug }
      if (!start) return callApi('POST /api/global-powerbi-settings/{type}/reports', { params, body })
      return callApi('PATCH /api/global-powerbi-settings/{type}/reports/{id}', {
        params: { ...params, id: start.id },
        ifMatch: start.updated_at,
        body,
      })
    },
    onDone(saved) {
      if (!saved) return
      const notice = { kind: 'success', title: `Relatório “${name.trim()}” salvo em ${type}` } as const
      announceUndoable(notice, saved)
      onClose()
    },
    onFailed(error) {
      const fields = toFieldErrors(error).filter(({ path }) => path !== 'type')
      if (fields.length > 0) errors.show(fields)
      else showToast(toFailureToast(reportSettingMessages.saveFailed(type), error))
    },
  })
  const isTesting = testing.isBusy || replacement.isTesting
  const change = (next: SettingForm, fields?: Parameters<typeof errors.clear>[0]) => {
    errors.clear(fields)
    setForm(next)
  }
  return (
    <div className="p-4">
      <form
        ref={errors.formElement}
        noValidate
        aria-label={start ? `Editar “${start.name}”` : 'Novo relatório'}
        onSubmit={(event) => {
          event.preventDefault()
          if (errors.check(form)) void submit(false)
        }}
        className="space-y-5"
      >
        <NameField name={name} errors={errors} onChange={setName} />
        <SettingFields
          form={form}
          isFurther
          isChanged={isChanged}
          getError={errors.getError}
          onChange={change}
          onChosen={(next, chosenName) => {
            change(next)
            if (name.trim() === '') setName(chosenName.slice(0, 60))
            testing.test(next)
          }}
        />
        <div className="flex flex-col gap-3 lg:flex-row lg:items-center">
          <div aria-live="polite" className="min-w-0 flex-1">
            {isTesting && <p className="text-muted text-sm">Testando o relatório…</p>}
            {!isTesting && testing.result && <TestedLine result={testing.result} />}
          </div>
          <div className="flex flex-col gap-2 sm:flex-row sm:justify-end">
            <Button variant="ghost" onClick={onClose}>
              Cancelar
            </Button>
            <Button
              variant="secondary"
              isBusy={testing.isBusy}
              onClick={() => errors.check(form) && testing.test()}
            >
              Testar relatório
            </Button>
            <Button type="submit" isBusy={isBusy}>
              {start ? 'Salvar relatório' : 'Adicionar'}
            </Button>
          </div>
        </div>
      </form>
      {start?.embed_mode === 'service_principal' && !isChanged && (
        <DataRefreshBar type={formatReportTitle(type, start.name)} slug={slug} report={start.id} />
      )}
      <FailedReplacementDialog title={formatReportTitle(type, start?.name)} test={replacement} />
      {dialog}
    </div>
  )
}
