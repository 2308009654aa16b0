import Inbox from 'lucide-react/icons/inbox'
import { type ReactNode, useState } from 'react'
import { inboxMessages, type SupportMessage } from '#contract/support.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { closeToasts } from '#web/ui/toast.tsx'
import { useIsOnline } from '#web/ui/use-device.ts'
import type { InboxFilter } from './inbox-screen.tsx'
import { stripBidi } from './message-card.tsx'
import { MessageList } from './message-list.tsx'
import { useDeleteMessage, useInbox, useMarkAllRead } from './message-queries.ts'

interface InboxCardsProps {
  userId: string
  filter: InboxFilter
  onClear: () => void
}

export function InboxCards({ userId, filter, onClear }: InboxCardsProps) {
  const inbox = useInbox(userId, filter)
  const { messages, total, failure } = inbox
  const [toDelete, setToDelete] = useState<SupportMessage>()
  if (failure)
    return (
      <FailedLoad title={inboxMessages.loadFailed} onRetry={inbox.retry} isRetrying={inbox.isFetching}>
        {failure.message}
      </FailedLoad>
    )
  if (!messages) return <InboxLoading />
  return (
    <>
      <InboxStatus total={total}>
        {messages.some(({ is_read, is_suspect }) => !is_read && !is_suspect) && <MarkAllRead q={filter.q} />}
      </InboxStatus>
      {filter.shown === 'suspect' && (
        <p className="text-muted text-sm">
          Aqui fica o que chegou com um campo oculto preenchido: por um robô ou pelo preenchimento automático
          do navegador. Não conta como não lida e é excluído 30 dias depois do envio.
        </p>
      )}
      {messages.length === 0 && <InboxEmpty filter={filter} onClear={onClear} />}
      <div className={inbox.isPlaceholderData ? 'opacity-60' : ''}>
        <MessageList
          key={JSON.stringify(filter)}
          messages={messages}
          total={total}
          loadMore={inbox.loadMore}
          onRead={focusCard}
          onDelete={(message) => {
            closeToasts()
            setToDelete(message)
          }}
        />
      </div>
      {inbox.isFetchNextPageError && (
        <FailedLoad
          kind="warning"
          className="mt-3"
          onRetry={() => void inbox.fetchNextPage()}
          isRetrying={inbox.isFetchingNextPage}
        >
          Não foi possível carregar as mensagens mais antigas.
        </FailedLoad>
      )}
      <DeleteMessageDialog
        message={toDelete}
        onClose={() => {
          setToDelete(undefined)
          focusCard(messages.findIndex(({ id }) => id === toDelete?.id))
        }}
      />
    </>
  )
}

/** Confirms the irreversible deletion of a message. */
function DeleteMessageDialog({
  message,
  onClose,
}: {
  message: SupportMessage | undefined
  onClose: () => void
}) {
  const { submit, isBusy } = useDeleteMessage(onClose)
  return (
    <ConfirmDialog
      isOpen={message !== undefined}
      title="Excluir mensagem"
      description={
        <>
          A mensagem de <bdi className="font-medium text-ink">{stripBidi(message?.name ?? '')}</bdi> será
          excluída para todos os administradores. Esta ação não pode ser desfeita.
        </>
      }
      confirmLabel="Excluir"
      isBusy={isBusy}
      onConfirm={() => message && void submit(message)}
      onCancel={onClose}
    />
  )
}

/** Wait (ms) for a closing dialog, which first tries to restore the focus itself. */
const FOCUS_DELAY_MS = 150
/** After this many attempts, an open dialog must be another one. */
const MAX_TRIES = 20

/** Focuses a card, or the last one, after the focused element was removed. */
function focusCard(index: number, tries = 1): void {
  setTimeout(() => {
    // On a slow machine the dialog takes longer to close.
    if (tries < MAX_TRIES && document.querySelector('[role="dialog"]')) return focusCard(index, tries + 1)
    const isLost = !document.activeElement || document.activeElement === document.body
    const cards = document.querySelectorAll<HTMLElement>('#conteudo li > article')
    const card = document.querySelector<HTMLElement>(`#conteudo li[data-index="${index}"] > article`)
    if (isLost) (card ?? [...cards].at(-1))?.focus({ preventScroll: true })
  }, FOCUS_DELAY_MS)
}

function InboxLoading() {
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

function InboxStatus({ total, children }: { total: number; children: ReactNode }) {
  const isOnline = useIsOnline()
  return (
    <div className="flex min-h-5 flex-wrap items-center justify-between gap-x-4 text-sm">
      <div role="status" className="flex flex-wrap gap-x-4 text-muted tabular-nums">
        <p>{formatCount(total)}</p>
        {!isOnline && <p>Sem conexão; a lista se atualiza quando ela voltar.</p>}
      </div>
      {children}
    </div>
  )
}

function MarkAllRead({ q }: { q: string }) {
  const { submit, isBusy } = useMarkAllRead()
  return (
    <button type="button" aria-disabled={isBusy} onClick={() => void submit(q)} className={textLinkClasses}>
      {q ? 'Marcar as encontradas como lidas' : 'Marcar todas como lidas'}
    </button>
  )
}

function formatCount(total: number): string {
  if (total === 0) return ''
  return total === 1 ? '1 mensagem' : `${total.toLocaleString('pt-BR')} mensagens`
}

function InboxEmpty({ filter, onClear }: { filter: InboxFilter; onClear: () => void }) {
  const isFiltered = filter.q !== '' || filter.shown !== 'all'
  const kind = filter.shown === 'suspect' ? 'suspeita' : 'não lida'
  const text = filter.q ? 'Nenhuma mensagem encontrada' : `Nenhuma mensagem ${kind}`
  return (
    <div className="rounded-xl border border-line-strong/50 border-dashed px-6 py-16 text-center">
      <Inbox aria-hidden="true" className="mx-auto size-8 text-muted" />
      <p className="mt-3 text-muted text-sm">{isFiltered ? text : inboxMessages.none}</p>
      {!isFiltered && (
        <p className="mt-1 text-muted text-xs">
          O que for enviado por ‘Entre em Contato’ aparece aqui na hora, e o número no alto avisa.
        </p>
      )}
      {isFiltered && (
        <Button variant="secondary" onClick={onClear} className="mt-4">
          Mostrar todas
        </Button>
      )}
    </div>
  )
}
