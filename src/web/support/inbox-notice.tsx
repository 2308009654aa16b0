import Inbox from 'lucide-react/icons/inbox'
import { type ReactNode, useSyncExternalStore } from 'react'
import { inboxMessages } from '#contract/support.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import type { InboxFilter } from './inbox-filter.ts'

/** Stands in for the cards while they are on their way. */
export function InboxLoading() {
  return (
    <div className="space-y-3">
      <p role="status" className="sr-only">
        Carregando mensagens…
      </p>
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} className="h-48 rounded-xl" />
      ))}
    </div>
  )
}

/** How many messages there are, and that their list rests where that is so. */
export function InboxStatus({ total }: { total: number }) {
  const isOnline = useIsOnline()
  return (
    <div role="status" className="flex flex-wrap justify-between gap-x-4 text-muted text-sm tabular-nums">
      <p>{countText(total)}</p>
      {!isOnline && <p>Sem conexão; a lista se atualiza quando ela voltar.</p>}
    </div>
  )
}

function countText(total: number): string {
  if (total === 0) return ''
  return total === 1 ? '1 mensagem' : `${total.toLocaleString('pt-BR')} mensagens`
}

export function InboxFailed({ detail, onRetry, isRetrying }: RetryProps & { detail: string }) {
  return (
    <Alert kind="error" title={inboxMessages.loadFailed} actions={<Retry {...{ onRetry, isRetrying }} />}>
      {detail}
    </Alert>
  )
}

/** At the end of the cards, when the next ones could not be had. */
export function MoreFailed(props: RetryProps) {
  return (
    <Alert kind="warning" className="mt-3" actions={<Retry {...props} />}>
      Não foi possível carregar as mensagens mais antigas.
    </Alert>
  )
}

interface RetryProps {
  onRetry: () => void
  isRetrying: boolean
}

function Retry({ onRetry, isRetrying }: RetryProps) {
  return (
    <Button variant="secondary" onClick={onRetry} isBusy={isRetrying}>
      Tentar novamente
    </Button>
  )
}

interface InboxEmptyProps {
  filter: InboxFilter
  onClear: () => void
}

/** Says why there are no cards: none at all, none unread, or none that the search finds. */
export function InboxEmpty({ filter, onClear }: InboxEmptyProps) {
  if (!filter.q && !filter.isUnreadOnly) return <Empty>{inboxMessages.none}</Empty>
  const text = filter.q ? 'Nenhuma mensagem encontrada' : 'Nenhuma mensagem não lida'
  return (
    <Empty>
      <span className="block">{text}</span>
      <Button variant="secondary" onClick={onClear} className="mt-4">
        Mostrar todas
      </Button>
    </Empty>
  )
}

function Empty({ children }: { children: ReactNode }) {
  return (
    <div className="rounded-xl border border-line-strong/50 border-dashed px-6 py-16 text-center">
      <Inbox aria-hidden="true" className="mx-auto size-8 text-muted" />
      <div className="mt-3 text-muted text-sm">{children}</div>
    </div>
  )
}

/** Whether the browser has a network; true says nothing of the portal. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine)
}

function subscribe(callback: () => void): () => void {
  const ending = new AbortController()
  window.addEventListener('online', callback, { signal: ending.signal })
  window.addEventListener('offline', callback, { signal: ending.signal })
  return () => ending.abort()
}
