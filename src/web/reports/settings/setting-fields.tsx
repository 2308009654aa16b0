import { useState } from 'react'
import { checkReportSetting, flawOfShareUrl } from '#contract/report-settings.ts'
import { flawOfFrame, isPublishedToWeb, reduceToUrl } from '#contract/share-url.ts'
import { loadChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { RadioGroup } from '#web/ui/choices.tsx'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { TextField } from '#web/ui/text-field.tsx'
import { type NamedReport, reportInForm, reportOfLink, withReport } from './report-link.ts'
import { type FormMode, inputOf, type SettingField, type SettingForm } from './setting-form.ts'

interface SettingFieldsProps {
  form: SettingForm
  /** Whether the form says something else than what is saved. */
  isChanged: boolean
  errorOf: (field: SettingField) => string | undefined
  /** @param fields those that have changed; all of them unless said */
  onChange: (form: SettingForm, fields?: readonly SettingField[]) => void
  /** The ids have been chosen from a list. */
  onChosen: (form: SettingForm) => void
}

export function SettingFields({ form, isChanged, errorOf, onChange, onChosen }: SettingFieldsProps) {
  const props = {
    form,
    errorOf,
    onChange: (field: SettingField, value: string) => onChange({ ...form, [field]: value }, [field]),
  }
  return (
    <>
      <RadioGroup
        label="Modo de autenticação"
        options={MODES}
        value={form.mode}
        onChange={(mode: FormMode) => onChange({ ...form, mode })}
        className="md:grid-cols-3"
      />
      {form.mode === 'secure_sso' && <ShareUrlField {...props} />}
      {form.mode === 'service_principal' && (
        <PrincipalFields {...props} onLink={onChange} onChosen={onChosen} />
      )}
      <LinkOffer form={form} onAccept={onChange} />
      {!isChanged && <RefusedUrlNote form={form} />}
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

function ShareUrlField({ form, errorOf, onChange }: FieldsProps) {
  const [isReduced, setIsReduced] = useState(false)
  const reduce = (text: string): boolean => {
    const url = reduceToUrl(text)
    if (url === text.trim()) return false
    onChange('report_url', url)
    setIsReduced(true)
    return true
  }
  return (
    <div className="space-y-3">
      <TextField
        name="report_url"
        label="URL do relatório"
        type="url"
        inputMode="url"
        placeholder="https://app.powerbi.com/reportEmbed?reportId=…"
        value={form.report_url}
        error={errorOf('report_url')}
        hint={
          <span role="status">
            {isReduced
              ? 'O código <iframe> colado foi reduzido ao seu endereço.'
              : 'Cole o link de inserção do Power BI; um código <iframe> é reduzido ao seu endereço.'}
          </span>
        }
        onChange={(event) => {
          setIsReduced(false)
          onChange('report_url', event.currentTarget.value)
        }}
        onPaste={(event) => {
          if (reduce(event.clipboardData.getData('text'))) event.preventDefault()
        }}
        onBlur={(event) => reduce(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <p className="text-muted text-sm">
        Neste modo os estados não filtram o relatório, e quem o vê pode retirar o filtro de marcas: cada
        pessoa vê o que a própria conta Microsoft permite.
      </p>
      {isPublishedToWeb(form.report_url) && (
        <Alert kind="warning" title="Este link é público">
          Links “Publicar na Web” (/view?r=) abrem sem senha para qualquer pessoa na internet, e o portal não
          consegue filtrar os dados por marca. Prefira o link de inserção seguro.
        </Alert>
      )}
    </div>
  )
}

const loadChooser = async () =>
  (await loadChunk(() => import('./choose-report-dialog.tsx'))).ChooseReportDialog

const FIELDS = [
  { name: 'workspace_id', label: 'Workspace ID' },
  { name: 'report_id', label: 'Report ID' },
  { name: 'dataset_id', label: 'Dataset ID (opcional)' },
] as const

type PrincipalFieldsProps = FieldsProps & Record<'onLink' | 'onChosen', (form: SettingForm) => void>

function PrincipalFields({ form, errorOf, onChange, onLink, onChosen }: PrincipalFieldsProps) {
  const { Dialog, open, close } = useLazyDialog(loadChooser)
  const [isFilled, setIsFilled] = useState(false)
  const fillFrom = (link: string): boolean => {
    const report = reportOfLink(link, portalSettings.powerBiHosts)
    if (report) onLink({ ...withReport(form, report), dataset_id: '' })
    setIsFilled(report !== undefined)
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
            error={errorOf(name)}
            onChange={(event) => {
              setIsFilled(false)
              onChange(name, event.currentTarget.value)
            }}
            onPaste={(event) => {
              if (fillFrom(event.clipboardData.getData('text'))) event.preventDefault()
            }}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            // An id has 36 characters; a whole link may be pasted to take the ids from.
            maxLength={2_000}
          />
        ))}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p role="status" className="min-w-0 flex-1 basis-72 text-muted text-sm">
          {isFilled
            ? 'Workspace ID e Report ID foram preenchidos pelo link colado; o Dataset ID pode ficar em branco.'
            : 'Os IDs estão no endereço do relatório no Power BI: cole o link inteiro em um dos campos, ou escolha o relatório em uma lista.'}
        </p>
        <Button variant="secondary" onClick={open}>
          Escolher no Power BI
        </Button>
      </div>
      {Dialog && (
        <Dialog
          onClose={close}
          onChoose={({ workspaceId, reportId, datasetId }) => {
            close()
            setIsFilled(false)
            const ids = { workspace_id: workspaceId, report_id: reportId, dataset_id: datasetId ?? '' }
            onChosen({ ...form, ...ids })
          }}
        />
      )}
    </div>
  )
}

interface FieldsProps {
  form: SettingForm
  errorOf: (field: SettingField) => string | undefined
  onChange: (field: SettingField, value: string) => void
}

/** Where a link to a report stands in the form, offers to take its ids over, or a link that a frame can show. */
function LinkOffer({ form, onAccept }: { form: SettingForm; onAccept: (form: SettingForm) => void }) {
  const report = reportInForm(form, portalSettings.powerBiHosts)
  if (form.mode === 'secure_sso') return <FrameFlaw form={form} report={report} onAccept={onAccept} />
  if (!report) return null
  return (
    <Alert
      kind="info"
      title="O link colado contém os IDs do relatório."
      actions={
        <Button variant="secondary" onClick={() => onAccept(withReport(form, report))}>
          Preencher Workspace ID e Report ID
        </Button>
      }
    />
  )
}

interface FrameFlawProps {
  form: SettingForm
  report: NamedReport | undefined
  onAccept: (form: SettingForm) => void
}

/** Warns of a link that the portal's frame will not show, and offers the one that it will. */
function FrameFlaw({ form, report, onAccept }: FrameFlawProps) {
  const flaw = flawOfFrame(form.report_url)
  if (!flaw || flawOfShareUrl(form.report_url, portalSettings.powerBiHosts) !== undefined) return null
  const { kind, repaired } = flaw
  return (
    <Alert
      kind="warning"
      title={
        report
          ? 'Este é o endereço da página do relatório, que não abre dentro do portal.'
          : 'Este link não abre dentro do portal.'
      }
      actions={
        <>
          {repaired && (
            <Button variant="secondary" onClick={() => onAccept({ ...form, report_url: repaired })}>
              Usar o link corrigido
            </Button>
          )}
          {report && (
            <Button variant="secondary" onClick={() => onAccept(withReport(form, report))}>
              Usar Service Principal com os IDs deste link
            </Button>
          )}
        </>
      }
    >
      {kind === 'sign-in'
        ? 'Falta nele autoAuth=true, sem o qual ninguém consegue entrar com a própria conta dentro do portal.'
        : 'No Power BI, use Arquivo › Inserir relatório › Site ou portal para obter o link de inserção.'}
    </Alert>
  )
}

/** Explains a saved URL that the form itself would refuse, before somebody wonders at the error. */
function RefusedUrlNote({ form }: { form: SettingForm }) {
  const input = inputOf(form)
  if (input?.embed_mode !== 'secure_sso') return null
  const [problem] = checkReportSetting(input, portalSettings.powerBiHosts)
  if (!problem) return null
  return (
    <Alert kind="info">
      {portalSettings.isDemo
        ? 'Este endereço é do Power BI simulado desta demonstração: ele continua funcionando, mas aqui só podem ser salvos endereços do próprio Power BI.'
        : `O endereço salvo não segue mais as regras: ${problem.message}.`}
    </Alert>
  )
}
