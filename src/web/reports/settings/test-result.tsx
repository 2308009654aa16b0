import type { ReportTestOutcome } from '#contract/report-settings.ts'
import { KindIcon, type NoticeKind } from '#web/ui/kind-icon.tsx'

const KINDS: Partial<Record<ReportTestOutcome, NoticeKind>> = {
  ok: 'success',
  'not-testable': 'info',
  'rate-limited': 'warning',
  'service-down': 'warning',
}
interface TestResultProps {
  isBusy: boolean
  /** What the dry run found: one sentence with what is wrong and who mends it, or that all is well. */
  reply: { outcome: ReportTestOutcome; message: string } | undefined
  /** Why no answer came. */
  failure: string | undefined
}

/** The line under the fields that says how 'Testar relatório' went; read out when it changes. */
export function TestResult({ isBusy, reply, failure }: TestResultProps) {
  const kind = failure !== undefined ? 'error' : reply && (KINDS[reply.outcome] ?? 'error')
  return (
    <div aria-live="polite">
      {isBusy && <p className="text-muted text-sm">Testando o relatório…</p>}
      {!isBusy && kind && (
        <p className="flex gap-2 text-sm">
          <KindIcon kind={kind} className="mt-0.5" />
          <span className="min-w-0">
            {failure === undefined ? reply?.message : `Não foi possível testar o relatório. ${failure}`}
          </span>
        </p>
      )}
    </div>
  )
}
