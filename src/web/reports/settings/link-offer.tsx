import { portalSettings } from '#web/http/portal-settings.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { reportInForm, withReport } from './report-link.ts'
import type { SettingForm } from './setting-form.ts'

/** Where a link to a report stands in the form, offers to take its ids over instead of typing them. */
export function LinkOffer({ form, onAccept }: { form: SettingForm; onAccept: (form: SettingForm) => void }) {
  const report = reportInForm(form, portalSettings.powerBiHosts)
  if (!report) return null
  const isPrincipal = form.mode === 'service_principal'
  return (
    <Alert
      kind="info"
      title={
        isPrincipal
          ? 'O link colado contém os IDs do relatório.'
          : 'Este é o endereço da página do relatório, que não abre dentro do portal.'
      }
      actions={
        <Button variant="secondary" onClick={() => onAccept(withReport(form, report))}>
          {isPrincipal
            ? 'Preencher Workspace ID e Report ID'
            : 'Usar Service Principal com os IDs deste link'}
        </Button>
      }
    >
      {!isPrincipal &&
        'No Power BI, use Arquivo › Inserir relatório › Site ou portal para obter o link de inserção.'}
    </Alert>
  )
}
