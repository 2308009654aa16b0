import { useState } from 'react'
import { validateShareUrl } from '#contract/report-setting-rules.ts'
import {
  completeUrl,
  extractUrl,
  type FrameIssue as Flaw,
  findFrameIssue,
  findPageName,
  isDisplayName,
  isFabricLink,
  isPublishedToWeb,
  listReplaced,
} from '#contract/share-url.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { describeMissing, describeUnused, fillReport, findReportInForm } from './report-link.ts'
import type { SettingFieldsProps } from './setting-fields.tsx'
import { MODE_FIELDS } from './setting-form.ts'

/** The field of mode 'URL Direta (SSO)', with warnings about its link. */
export function LinkFields(props: SettingFieldsProps) {
  return (
    <>
      <ShareUrlField {...props} />
      <FrameIssue {...props} />
      <LinkNotes {...props} />
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
        : 'O link foi limpo: sem quebras de linha, e com “&” onde estava “&amp;”.',
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
  personal:
    'Ele leva a um relatório de “Meu espaço de trabalho”, que só a própria pessoa abre. Mova o relatório para um espaço de trabalho e use o link de lá.',
  'no-report': `Ele não leva a um relatório. Abra o relatório no Power BI e use ${EMBED_MENU} para obter o link de inserção.`,
  app: `Ele abre um aplicativo, não um relatório. Abra nele o relatório e use ${EMBED_MENU} para obter o link de inserção.`,
  dashboard: `Ele leva a um painel, e o portal mostra relatórios. Abra o relatório de onde o painel veio e use ${EMBED_MENU}.`,
  scorecard: `Ele leva a um scorecard, e o portal mostra relatórios. Ponha o scorecard em um relatório e use nele ${EMBED_MENU}.`,
  exploration: `Ele leva a uma exploração, e o portal mostra relatórios. Salve-a como relatório e use nele ${EMBED_MENU}.`,
  data: `Ele leva a dados (OneLake, modelo semântico), e o portal mostra relatórios. Abra um relatório desses dados e use ${EMBED_MENU}.`,
  'report-id': `Falta nele o ID inteiro do relatório (reportId=…). No Power BI, use ${EMBED_MENU} e copie o link inteiro.`,
  'sign-in':
    'Falta nele autoAuth=true, sem o qual ninguém consegue entrar com a própria conta dentro do portal.',
}

/** Warns about a link that cannot be saved or framed, and offers a repaired one. */
function FrameIssue({ form, onChange }: SettingFieldsProps) {
  const report = findReportInForm(form, portalSettings.powerBiHosts)
  const completed = completeUrl(form.report_url, portalSettings.powerBiHosts)
  const link = completed ?? form.report_url
  const flaw = findFrameIssue(link)
  if (!flaw && !completed) return null
  const repaired = flaw ? flaw.repaired : completed
  // The error of a link that cannot be saved is enough, but Microsoft Fabric's is Power BI too.
  const isRefused = validateShareUrl(repaired ?? link, portalSettings.powerBiHosts) !== undefined
  if (isRefused && !isFabricLink(link)) return null
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
      <p>
        {flaw
          ? EXPLANATIONS[flaw.kind]
          : 'O link precisa começar com https://, sem aspas ou sinais em volta.'}
      </p>
      {report?.workspaceId && <p>{describeUnused(report)}</p>}
    </Alert>
  )
}

/** Says what of a link is not shown as it was pasted. */
function LinkNotes({ form }: SettingFieldsProps) {
  if (validateShareUrl(form.report_url, portalSettings.powerBiHosts) !== undefined) return null
  const replaced = listReplaced(form.report_url)
  return (
    <>
      {replaced.length > 0 && (
        <Alert kind="info">
          O portal guarda o link inteiro, mas troca ao mostrar o relatório: {replaced.join(', ')}. No lugar de
          filtros do link vale o das marcas de cada pessoa.
        </Alert>
      )}
      <PageNameNote name={findPageName(form.report_url)} />
    </>
  )
}

/** Warns about a page's name that looks like the one people see. */
function PageNameNote({ name = '' }: { name: string | undefined }) {
  if (!isDisplayName(name)) return null
  return (
    <Alert kind="warning" title={`“${name}” parece o nome da página que as pessoas veem.`}>
      O Power BI só abre a página pelo nome interno dela, que está no fim do endereço do relatório:
      ReportSection… ou 20 letras e números.
    </Alert>
  )
}

/** Offers to use a link that stands in the fields of Service Principal mode. */
export function LinkOffer({ form, onChange }: Pick<SettingFieldsProps, 'form' | 'onChange'>) {
  const { powerBiHosts: hosts } = portalSettings
  const texts = MODE_FIELDS.service_principal.map((field) => form[field])
  const report = findReportInForm(form, hosts)
  const link = texts.find((text) => validateShareUrl(text, hosts) === undefined || isFabricLink(text))
  const flaw = link && findFrameIssue(link)
  if (!report)
    return flaw ? (
      <Alert kind="warning" title="O link colado não leva a um relatório.">
        {EXPLANATIONS[flaw.kind]}
      </Alert>
    ) : (
      <PageNameNote name={form.page_name} />
    )
  const fill = report.workspaceId ? 'Preencher Workspace ID e Report ID' : 'Preencher Report ID'
  return (
    <Alert
      kind="info"
      title="O link colado é o de um relatório."
      actions={
        <Button variant="secondary" onClick={() => onChange(fillReport(form, report))}>
          {texts.some((text) => completeUrl(text, hosts)) ? 'Usar o link corrigido' : fill}
        </Button>
      }
    >
      {describeMissing(report)} {describeUnused(report)}
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
