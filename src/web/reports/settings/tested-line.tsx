import { KindIcon, type NoticeKind } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toast.tsx'
import type { TestedReport } from './save-setting.ts'

const KINDS: Partial<Record<string, NoticeKind>> = {
  ok: 'success',
  'capacity-unknown': 'info',
  'refresh-failed': 'warning',
  'not-testable': 'info',
}

/** Returns the severity of a test outcome; an error if there is none. */
export function getSeverity({ outcome, isTemporary }: TestedReport): NoticeKind {
  return KINDS[outcome ?? ''] ?? (isTemporary ? 'warning' : 'error')
}

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
