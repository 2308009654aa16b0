import type { ReportFault } from '#contract/health.ts'
import { formatReportTitle } from '#contract/messages.ts'
import { Alert, KindIcon } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import { formatRecent } from '#web/ui/format-instant.ts'
import { showToast } from '#web/ui/toast.tsx'
import { getSeverity, type TestedReport, type useReplacementTest } from './save-setting.ts'

/** The result of a test, with the details for a ticket. */
export function TestedLine({ result }: { result: TestedReport }) {
  return (
    <>
      <p className="flex gap-2 text-sm">
        <KindIcon kind={getSeverity(result)} className="mt-0.5" />
        <span className="min-w-0">{result.message}</span>
      </p>
      {result.ticket && <Ticket text={result.ticket} />}
    </>
  )
}

/** Names the reports that gave nobody a token last, since when and why. */
export function ReportFaults({ faults }: { faults: readonly ReportFault[] }) {
  return faults.map(({ area, label, name, since, says }) => (
    <Alert
      key={`${area} ${name}`}
      kind="warning"
      title={`${formatReportTitle(label, name)} com problema desde ${formatRecent(since)}`}
    >
      {says}
    </Alert>
  ))
}

interface FailedReplacementProps {
  /** Names the report. */
  title: string
  test: ReturnType<typeof useReplacementTest>
}

/** Asks before a report that opens is replaced by one that does not. */
export function FailedReplacementDialog({ title, test: { failure, clear } }: FailedReplacementProps) {
  return (
    <FormDialog
      isOpen={failure !== undefined}
      title={`O novo relatório de ${title} não abre`}
      description="Salvo assim, ele deixa de abrir para todas as pessoas que o veem."
      confirmLabel="Salvar mesmo assim"
      cancelLabel="Voltar"
      onSubmit={() => {
        clear()
        failure?.insist()
      }}
      onCancel={clear}
    >
      {failure && <TestedLine result={failure.result} />}
    </FormDialog>
  )
}

/** The service's own code, request id and words, for a ticket with Microsoft. */
function Ticket({ text }: { text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(`Power BI: ${text}`)
      showToast({ kind: 'success', title: 'Copiado para o chamado' })
    } catch {
      showToast({ kind: 'warning', title: 'Não foi possível copiar. Selecione o texto e copie.' })
    }
  }
  return (
    <p className="mt-1 ml-6 flex flex-wrap items-center gap-x-2 text-muted text-xs">
      <span className="min-w-0 select-all whitespace-pre-line">{text}</span>
      <Button variant="ghost" onClick={() => void copy()}>
        Copiar para o chamado
      </Button>
    </p>
  )
}
