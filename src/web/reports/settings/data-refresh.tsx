import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DataRefresh } from '#contract/report-settings.ts'
import { callApi } from '#web/http/api.ts'
import { KindIcon, type NoticeKind } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'

const POLL_MS = 5_000
const KINDS: Record<DataRefresh['status'], NoticeKind> = {
  running: 'info',
  completed: 'success',
  failed: 'error',
  unknown: 'info',
  'no-write-permission': 'error',
}

interface DataRefreshBarProps {
  /** Names the report. */
  type: string
  slug: string
  /** The id of a further report of the area. */
  report?: string
}

/** 'Atualizar agora': has Power BI refresh the data of the saved report, and follows it to its end. */
export function DataRefreshBar({ type, slug, report }: DataRefreshBarProps) {
  const [isAsking, setIsAsking] = useState(false)
  const [started, setStarted] = useState<DataRefresh>()
  const input = { params: { type: slug }, query: report === undefined ? {} : { report } }
  const { submit, isBusy } = useSubmit({
    send: () => callApi('POST /api/global-powerbi-settings/{type}/refresh', input),
    onDone: setStarted,
    onFailed: (error) => setStarted({ status: 'failed', message: (error as Error).message }),
  })
  // The service may list the new refresh seconds later, so the first poll waits too.
  const { data = started } = useQuery({
    queryKey: ['data-refresh', slug, report, started],
    queryFn: ({ signal }) => callApi('GET /api/global-powerbi-settings/{type}/refresh', { ...input, signal }),
    enabled: started?.status === 'running',
    initialData: started,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => state.data?.status === 'running' && POLL_MS,
    retry: false,
  })
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-line border-t pt-4">
      <p role="status" className="flex min-w-0 flex-1 basis-72 gap-2 text-muted text-sm">
        {data && <KindIcon kind={KINDS[data.status]} className="mt-0.5" />}
        <span className="min-w-0">
          {data?.message ?? 'O Power BI atualiza os dados nos horários agendados nele.'}
        </span>
      </p>
      <Button variant="secondary" isBusy={isBusy} onClick={() => setIsAsking(true)}>
        Atualizar agora
      </Button>
      <FormDialog
        isOpen={isAsking}
        title={`Atualizar os dados de ${type} agora?`}
        description="O Power BI lê a fonte de novo, o que pode levar vários minutos. Em capacidade compartilhada ele aceita só oito atualizações por dia, contando as agendadas."
        confirmLabel="Atualizar agora"
        onCancel={() => setIsAsking(false)}
        onSubmit={() => {
          setIsAsking(false)
          void submit()
        }}
      />
    </div>
  )
}
