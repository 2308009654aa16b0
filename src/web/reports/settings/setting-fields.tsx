import { lazy, Suspense, useState } from 'react'
import { parseReportLink, type ReportLink } from '#contract/share-url.ts'
import { loadChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox, RadioGroup } from '#web/ui/choices.tsx'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { describeMissing, describeUnused, fillReport } from './report-link.ts'
import type { FormMode, SettingField, SettingForm } from './setting-form.ts'

const loadLinkFields = () => loadChunk(() => import('./link-fields.tsx'))
const LinkFields = lazy(() => loadLinkFields().then((module) => ({ default: module.LinkFields })))
const LinkOffer = lazy(() => loadLinkFields().then((module) => ({ default: module.LinkOffer })))

export interface SettingFieldsProps {
  form: SettingForm
  /** Whether the form differs from the saved setting. */
  isChanged: boolean
  getError: (field: SettingField) => string | undefined
  /** @param fields the changed ones; all by default */
  onChange: (form: SettingForm, fields?: readonly SettingField[]) => void
  /** Called when the ids were picked from a list, with the report's name in Power BI. */
  onChosen: (form: SettingForm, name: string) => void
  /** A further report of an area has no mode 'Nenhum'. */
  isFurther?: boolean
}

export function SettingFields(props: SettingFieldsProps) {
  const { form, isFurther = false, onChange } = props
  return (
    <>
      <RadioGroup
        label="Modo de autenticação"
        options={isFurther ? MODES.slice(1) : MODES}
        value={form.mode}
        onChange={(mode: FormMode) => onChange({ ...form, mode })}
        className={isFurther ? 'md:grid-cols-2' : 'md:grid-cols-3'}
      />
      {form.mode === 'secure_sso' && (
        // As tall as the field and its note.
        <Suspense fallback={<Skeleton className="h-36" />}>
          <LinkFields {...props} />
        </Suspense>
      )}
      {form.mode === 'service_principal' && (
        <>
          <PrincipalFields {...props} />
          <Suspense fallback={null}>
            <LinkOffer form={form} onChange={onChange} />
          </Suspense>
        </>
      )}
    </>
  )
}

const MODES = [
  { value: 'none', label: 'Nenhum', hint: 'A área não mostra relatório.' },
  {
    value: 'secure_sso',
    label: 'URL Direta (SSO)',
    hint: 'Um link; cada pessoa entra com a própria conta.',
  },
  {
    value: 'service_principal',
    label: 'Service Principal',
    hint: 'Exige credenciais configuradas no servidor.',
  },
] as const

const loadChooser = async () => (await import('./choose-report-dialog.tsx')).ChooseReportDialog

const FIELDS = [
  { name: 'workspace_id', label: 'Workspace ID' },
  { name: 'report_id', label: 'Report ID' },
  { name: 'dataset_id', label: 'Dataset ID (opcional)' },
  { name: 'page_name', label: 'Página (opcional)' },
  { name: 'bookmark_name', label: 'Indicador do relatório (opcional)' },
] as const

function PrincipalFields({ form, getError, onChange, onChosen }: SettingFieldsProps) {
  const { Dialog, open, close } = useLazyDialog(loadChooser)
  const [filled, setFilled] = useState<ReportLink>()
  const fillFromLink = (link: string): boolean => {
    const report = parseReportLink(link, portalSettings.powerBiHosts)
    if (report) onChange({ ...fillReport(form, report), dataset_id: '' })
    setFilled(report)
    return report !== undefined
  }
  return (
    <div className="space-y-2">
      <div className="grid items-start gap-4 lg:grid-cols-3">
        {FIELDS.map(({ name, label }) => (
          <TextField
            key={name}
            name={name}
            label={label}
            value={form[name]}
            error={getError(name)}
            onChange={(event) => {
              setFilled(undefined)
              onChange({ ...form, [name]: event.currentTarget.value }, [name])
            }}
            onPaste={(event) => {
              if (fillFromLink(event.clipboardData.getData('text'))) event.preventDefault()
            }}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            // An id has 36 characters, but a whole link may be pasted.
            maxLength={2_000}
          />
        ))}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p role="status" className="min-w-0 flex-1 basis-72 text-muted text-sm">
          {filled
            ? `${describeMissing(filled) ?? 'Os IDs foram preenchidos pelo link colado; o Dataset ID pode ficar em branco.'} ${describeUnused(filled) ?? ''}`
            : 'Os IDs estão no endereço do relatório no Power BI: cole o link inteiro em um dos campos, ou escolha o relatório em uma lista.'}
        </p>
        <Button variant="secondary" onClick={open}>
          Escolher no Power BI
        </Button>
      </div>
      <Checkbox
        label="As pessoas podem exportar este relatório em PDF e PowerPoint"
        checked={form.exports}
        onChange={({ target }) => onChange({ ...form, exports: target.checked })}
      />
      {Dialog && (
        <Dialog
          onClose={close}
          onChoose={({ workspaceId, reportId, datasetId, name }) => {
            close()
            setFilled(undefined)
            const ids = { workspace_id: workspaceId, report_id: reportId, dataset_id: datasetId ?? '' }
            const nowhere = reportId === form.report_id ? {} : { page_name: '', bookmark_name: '' }
            onChosen({ ...form, ...ids, ...nowhere }, name)
          }}
        />
      )}
    </div>
  )
}
