import { checkReportSetting } from '#contract/report-settings.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Alert } from '#web/ui/alert.tsx'
import { inputOf, type SettingForm } from './setting-form.ts'

/** Explains a saved address that the form itself would refuse, before somebody wonders at the error. */
export function RefusedAddressNote({ form }: { form: SettingForm }) {
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
