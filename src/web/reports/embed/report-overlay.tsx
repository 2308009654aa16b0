import type { ReactNode } from 'react'
import type { Role } from '#contract/access.ts'
import { reportMessages } from '#contract/messages.ts'
import type { EmbedMode } from '#contract/reports.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient, ROLE_QUERY } from '#web/http/query-client.ts'
import { getSession } from '#web/session/session-store.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import type { EmbedFailure } from './embed-failure.ts'
import type { TokenState } from './embed-token-store.ts'

/** The token has expired and none is available; the report returns with the next one. */
export function ReportReconnecting({ onRetry }: { onRetry: () => Promise<unknown> }) {
  const { submit, isBusy } = useSubmit({ send: onRetry, onFailed: () => {} })
  return (
    <Overlay>
      <div className="flex flex-col items-center gap-4 text-center">
        <div role="status" className="space-y-1 text-sm">
          <p className="font-medium">Tentando reconectar…</p>
          <p className="text-muted">O relatório volta sozinho assim que o serviço responder.</p>
        </div>
        <Button variant="secondary" isBusy={isBusy} onClick={() => void submit()}>
          Tentar novamente
        </Button>
      </div>
    </Overlay>
  )
}

/** Replaces a report that waits for the network. */
export function ReportOffline() {
  return (
    <Overlay>
      <Alert kind="warning" title="Você está sem conexão" className="max-w-lg">
        O relatório abre sozinho quando ela voltar.
      </Alert>
    </Overlay>
  )
}

interface TokenFailedProps {
  title: string
  failure: Extract<TokenState, { kind: 'failed' }>
  onRetry: () => void
}

/** Replaces a report whose token could not be fetched. */
export function TokenFailed({ title, failure, onRetry }: TokenFailedProps) {
  const { detail, isPaused, isRetrying } = failure
  const quote = / \((?:código|pedido) [^)]+\)/.exec(detail)?.[0] ?? ''
  return (
    <Overlay>
      <FailedLoad
        kind="warning"
        title={isPaused ? reportMessages.capacityPaused : reportMessages.embedFailed}
        isRetrying={isRetrying}
        onRetry={onRetry}
        className="max-w-lg"
      >
        <p>{detail.replace(quote, '')}</p>
        <p className="pt-1">
          {isPaused
            ? 'O relatório volta sozinho: o portal confere a cada minuto.'
            : 'O portal tenta de novo sozinho, e o relatório abre assim que der. Se durar, avise o administrador do portal.'}
        </p>
        <p className="pt-1 text-muted text-xs">
          {reportMessages.tokenFailed(title)}
          {quote}
        </p>
      </FailedLoad>
    </Overlay>
  )
}

interface ReportFailedProps {
  report: FailedReport
  failure: EmbedFailure
  canReload?: boolean
  /** A link that opens the report outside the portal. */
  link?: ReactNode
}

/** Replaces a report that cannot be shown: what happened, and what to do about it. */
export function ReportFailed({ report, failure, canReload = false, link }: ReportFailedProps) {
  const actions = (
    <>
      {canReload && <Button onClick={() => location.reload()}>Recarregar</Button>}
      {link}
      <ReportProblemButton report={report} failure={failure} />
    </>
  )
  return (
    <Overlay>
      <Alert kind="error" title={failure.title} actions={actions} className="max-w-lg">
        <p>{failure.advice}</p>
        {failure.adminAdvice && isAdministrator() && <p className="pt-1">{failure.adminAdvice}</p>}
        {failure.code && <p className="pt-1 text-muted text-xs">Código: {failure.code}</p>}
      </Alert>
    </Overlay>
  )
}

/** Whether the reader is known to be an administrator. */
function isAdministrator(): boolean {
  return queryClient.getQueryData<{ role: Role }>([ROLE_QUERY, getSession()?.user.id])?.role === 'admin'
}

interface AreaLabelProps {
  area: string
  token: TokenState | undefined
  /** What marks it otherwise. */
  children?: ReactNode
}

/** The name of an area on its tab, or of a report; a dot marks a failed token of one that is not open. */
export function AreaLabel({ area, token, children }: AreaLabelProps) {
  return (
    <span className="relative">
      {area}
      {token?.kind === 'failed' ? <TabDot text={reportMessages.tokenFailed(area)} /> : children}
    </span>
  )
}

/** An amber dot beside the name on a tab. */
export function TabDot({ text }: { text: string }) {
  return (
    // Drawn by a border, which high contrast keeps.
    <span
      role="img"
      aria-label={text}
      title={text}
      className="absolute top-0 -right-2.5 rounded-full border-4 border-warning"
    />
  )
}

/** Explains why there is no report to show, where nothing has failed. */
export function ReportNotice({ children }: { children: ReactNode }) {
  return (
    <div className="p-4">
      <Alert kind="warning" className="mx-auto max-w-2xl">
        {children}
      </Alert>
    </div>
  )
}

function Overlay({ children }: { children: ReactNode }) {
  return (
    <div className="absolute inset-0 flex items-center justify-center overflow-auto bg-canvas p-4">
      {children}
    </div>
  )
}

/** Problems reported since the page was opened, so that a recurring one is not reported twice. */
const reported = new Set<string>()

/** Reports a failed report to the administrators, once. */
function ReportProblemButton({ report, failure }: Pick<ReportFailedProps, 'report' | 'failure'>) {
  const key = report.area + failure.title + failure.code
  const isReported = reported.has(key)
  const { submit, isBusy } = useSubmit({
    send: () => reportProblem(report, failure),
    onDone() {
      reported.add(key)
      showToast({ kind: 'success', title: 'Problema relatado aos administradores' })
    },
    onFailed: 'Erro ao relatar o problema',
  })
  return (
    <Button
      variant="secondary"
      isBusy={isBusy}
      aria-disabled={isReported}
      onClick={() => !isReported && void submit()}
    >
      {isReported ? 'Problema relatado' : 'Relatar problema'}
    </Button>
  )
}

interface FailedReport {
  area: string
  embedMode: EmbedMode
  reportId: string | null
}

/**
 * Files a support message about a failed report; the server adds user, marcas, estados and browser.
 * @throws ApiError, NetworkError
 */
export async function reportProblem(
  { area, embedMode, reportId }: FailedReport,
  seen: EmbedFailure,
): Promise<void> {
  const failure = [seen.title, seen.code].filter(Boolean).join(' · ').slice(0, 200)
  const requestId = seen.requestId?.slice(0, 100) ?? null
  const body = { type: area, embedMode, reportId: reportId || null, failure, requestId }
  await callApi('POST /api/support-messages/problem-reports', { body })
}
