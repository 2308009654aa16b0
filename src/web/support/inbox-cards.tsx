import { useState } from 'react'
import type { SupportMessage } from '#contract/support.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import type { InboxFilter } from './inbox-filter.ts'
import { InboxEmpty, InboxFailed, InboxLoading, InboxStatus, MoreFailed } from './inbox-notice.tsx'
import { plainText } from './message-links.ts'
import { MessageList } from './message-list.tsx'
import { useInbox, useMessageActions, useWithPending } from './message-queries.ts'

interface InboxCardsProps {
  userId: string
  filter: InboxFilter
  /** Shows everything again. */
  onClear: () => void
}

/** The messages that pass the filter, or what stands in for them. */
export function InboxCards({ userId, filter, onClear }: InboxCardsProps) {
  const inbox = useInbox(userId, filter)
  const { failure, retry, isFetching } = inbox
  if (inbox.messages) return <LoadedInbox {...{ filter, onClear, inbox, messages: inbox.messages }} />
  if (!failure) return <InboxLoading />
  return <InboxFailed detail={failure.message} onRetry={() => void retry()} isRetrying={isFetching} />
}

type LoadedInboxProps = Omit<InboxCardsProps, 'userId'> & {
  inbox: ReturnType<typeof useInbox>
  messages: SupportMessage[]
}

function LoadedInbox({ filter, onClear, inbox, messages: loaded }: LoadedInboxProps) {
  const { total, isPlaceholderData, loadMore, isFetchNextPageError, fetchNextPage, isFetchingNextPage } =
    inbox
  const [doomed, setDoomed] = useState<SupportMessage>()
  const { markRead, remove } = useMessageActions()
  const messages = useWithPending(loaded, filter.isUnreadOnly)
  const focusNear = (message: SupportMessage) => focusCard(messages.findIndex(({ id }) => id === message.id))
  return (
    <>
      <InboxStatus total={total} />
      {messages.length === 0 && total === 0 && <InboxEmpty filter={filter} onClear={onClear} />}
      <div className={isPlaceholderData ? 'opacity-60' : ''}>
        <MessageList
          key={JSON.stringify(filter)}
          messages={messages}
          total={total}
          loadMore={loadMore}
          onMarkRead={(message) => {
            markRead(message)
            focusNear(message)
          }}
          onDelete={setDoomed}
        />
      </div>
      {isFetchNextPageError && (
        <MoreFailed onRetry={() => void fetchNextPage()} isRetrying={isFetchingNextPage} />
      )}
      <DeleteMessageDialog
        message={doomed}
        onCancel={() => setDoomed(undefined)}
        onConfirm={(message) => {
          setDoomed(undefined)
          remove(message)
          focusNear(message)
        }}
      />
    </>
  )
}

interface DeleteMessageDialogProps {
  /** The message that is about to be deleted; undefined while there is none. */
  message: SupportMessage | undefined
  onCancel: () => void
  onConfirm: (message: SupportMessage) => void
}

/** Asks once more: nothing brings a deleted message back. */
function DeleteMessageDialog({ message, onCancel, onConfirm }: DeleteMessageDialogProps) {
  return (
    <Dialog
      isOpen={message !== undefined}
      title="Excluir mensagem"
      description={
        <>
          A mensagem de <bdi className="font-medium text-ink">{plainText(message?.name ?? '')}</bdi> será
          excluída para todos os administradores. Esta ação não pode ser desfeita.
        </>
      }
      onClose={onCancel}
      actions={
        <>
          <Button variant="secondary" onClick={onCancel}>
            Cancelar
          </Button>
          <Button variant="danger" onClick={() => message && onConfirm(message)}>
            Excluir
          </Button>
        </>
      }
    />
  )
}

/** A dialog that closes looks for its own place for the focus first, and finds none. */
const AFTER_DIALOG_MS = 150
/** A dialog that still stands after so many looks is another one. */
const MAX_LOOKS = 20

/** Puts the focus on a card, or on the last one: what had it is gone. */
function focusCard(index: number, looks = 1): void {
  setTimeout(() => {
    // On a busy machine it takes longer to close.
    if (looks < MAX_LOOKS && document.querySelector('[role="dialog"]')) return focusCard(index, looks + 1)
    const isLost = !document.activeElement || document.activeElement === document.body
    const cards = document.querySelectorAll<HTMLElement>('#conteudo li > article')
    const card = document.querySelector<HTMLElement>(`#conteudo li[data-index="${index}"] > article`)
    if (isLost) (card ?? [...cards].at(-1))?.focus({ preventScroll: true })
  }, AFTER_DIALOG_MS)
}
