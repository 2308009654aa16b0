import { useState } from 'react'
import { validateShareUrl } from '#contract/report-setting-rules.ts'
import {
  extractUrl,
  type FrameIssue as Flaw,
  findFrameIssue,
  isFabricLink,
  isPublishedToWeb,
} from '#contract/share-url.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { fillReport, findReportInForm } from './report-link.ts'
import type { SettingFieldsProps } from './setting-fields.tsx'

/** The field of mode 'URL Direta (SSO)', with warnings about its link. */
export function LinkFields(props: SettingFieldsProps) {
  return (
    <>
      <ShareUrlField {...props} />
      <FrameIssue {...props} />
      {!props.isChanged && <RefusedUrlNote url={props.form.report_url} />}
    </>
  )
}

function ShareUrlField({ form, getError, onChange }: SettingFieldsProps) {
  const [reduced, setReduced] = useState<string>()
  const change = (url: string) => onChange({ ...form, report_url: url }, ['report_url'])
  const reduce = (text: string): boolean => {
    const url = extractUrl(text)
    if (url === text.trim()) return false
    change(url)
    setReduced(
      text.trim().startsWith('<')
        ? 'O código <iframe> colado foi reduzido ao seu endereço.'
        : 'Os espaços e as quebras de linha dentro do link foram retirados.',
    )
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
        error={getError('report_url')}
        hint={
          <span role="status">
            {reduced ?? 'Cole o link de inserção do Power BI; um código <iframe> é reduzido ao seu endereço.'}
          </span>
        }
        onChange={(event) => {
          setReduced(undefined)
          change(event.currentTarget.value)
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

const EMBED_MENU = 'Arquivo › Inserir relatório › Site ou portal'
const EXPLANATIONS: Record<Flaw['kind'], string> = {
  page: `No Power BI, use ${EMBED_MENU} para obter o link de inserção.`,
  'no-report': `Ele não leva a um relatório. Abra o relatório no Power BI e use ${EMBED_MENU} para obter o link de inserção.`,
  'report-id': `Falta nele o ID inteiro do relatório (reportId=…). No Power BI, use ${EMBED_MENU} e copie o link inteiro.`,
  'sign-in':
    'Falta nele autoAuth=true, sem o qual ninguém consegue entrar com a própria conta dentro do portal.',
}

/** Warns about a link that cannot be framed, and offers a repaired one. */
function FrameIssue({ form, onChange }: SettingFieldsProps) {
  const report = findReportInForm(form, portalSettings.powerBiHosts)
  const flaw = findFrameIssue(form.report_url)
  if (!flaw) return null
  const { kind, repaired } = flaw
  // The error of a link that cannot be saved is enough, but Microsoft Fabric's is Power BI too.
  const isRefused = validateShareUrl(repaired ?? form.report_url, portalSettings.powerBiHosts) !== undefined
  if (isRefused && !isFabricLink(form.report_url)) return null
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
            <Button variant="secondary" onClick={() => onChange({ ...form, report_url: repaired })}>
              Usar o link corrigido
            </Button>
          )}
          {report?.workspaceId && (
            <Button variant="secondary" onClick={() => onChange(fillReport(form, report))}>
              Usar Service Principal com os IDs deste link
            </Button>
          )}
        </>
      }
    >
      {EXPLANATIONS[kind]}
    </Alert>
  )
}

/** Explains a saved URL that the form would refuse, before the user meets the error. */
function RefusedUrlNote({ url }: { url: string }) {
  const flaw = validateShareUrl(url, portalSettings.powerBiHosts)
  if (!flaw) return null
  return (
    <Alert kind="info">
      {portalSettings.isDemo
        ? 'Este endereço é do Power BI simulado desta demonstração: ele continua funcionando, mas aqui só podem ser salvos endereços do próprio Power BI.'
        : `O endereço salvo não segue mais as regras: ${flaw}.`}
    </Alert>
  )
}
