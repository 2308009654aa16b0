import { describeExport, formatExportName } from '#contract/messages.ts'
import type { ReportExport } from '#contract/report-exports.ts'
import { withAccessToken } from '#web/http/api.ts'
import { saveFile } from '#web/http/save-file.ts'
import { fetchReply, readFailure } from '#web/http/send-request.ts'
import { closeToast, showToast } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'

/** A file of 250 MB over a slow line. */
const TIMEOUT_MS = 10 * 60_000

/** Fetches the file with the session's token, which no link could carry, and saves it. */
export async function downloadExport(item: ReportExport): Promise<void> {
  const { id } = item
  try {
    const file = await withAccessToken(async (accessToken) => {
      const input = { params: { id }, timeoutMs: TIMEOUT_MS }
      const response = await fetchReply('GET /api/report-exports/{id}/file', input, accessToken)
      if (!response.ok) throw await readFailure(response)
      return response.blob()
    })
    saveFile(formatExportName(item, item.finished_at ?? new Date().toISOString()), file)
  } catch (error) {
    showToast(toFailureToast(`Erro ao baixar ${describeExport(item)}`, error))
  }
}

let readyToasts: number[] = []

/** Closes the toasts that offer files: the dialog, which they would cover, lists the same files. */
export function closeReadyToasts(): void {
  for (const id of readyToasts) closeToast(id)
  readyToasts = []
}

/** Tells how an export ended, and offers its file. */
export function showOutcome(item: ReportExport): void {
  if (item.status === 'failed')
    showToast({
      kind: 'error',
      title: `Erro ao exportar ${describeExport(item)}`,
      ...(item.detail && { description: item.detail }),
    })
  else {
    const id = showToast({
      kind: 'success',
      title: `${describeExport(item)}: o arquivo está pronto`,
      description: 'Ele fica disponível por uma hora, também em “Exportar”.',
      lifetimeMs: Number.POSITIVE_INFINITY,
      action: { label: 'Baixar', run: () => void downloadExport(item) },
    })
    readyToasts.push(id)
  }
}
