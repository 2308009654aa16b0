import { useMemo, useState } from 'react'
import type { SupportMessage } from '#contract/support.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import type { InboxFilter } from './inbox-filter.ts'
import { InboxEmpty, InboxFailed, InboxLoading, InboxStatus, MoreFailed } from './inbox-notice.tsx'
import { type Inbox, rowsOf } from './inbox-pages.ts'
import { plainText } from './message-links.ts'
import { MessageList } from './message-list.tsx'
import { inboxKey, useInbox } from './use-inbox.ts'
import { useMessageActions, usePendingActions } from './use-message-actions.ts'

interface InboxCardsProps {
  userId: string
  filter: InboxFilter
  /** Shows everything again. */
  onClear: () => void
}

/** The messages that pass the filter, or what stands in for them. */
export function InboxCards({ userId, filter, onClear }: InboxCardsProps) {
  const { inbox, failure, isFetching, retry, ...rest } = useInbox(userId, filter)
  if (!inbox)
    return failure ? (
      <InboxFailed detail={failure.message} onRetry={retry} isRetrying={isFetching} />
    ) : (
      <InboxLoading />
    )
  return <LoadedInbox {...{ userId, filter, onClear, inbox, ...rest }} />
}

type LoadedInboxProps = InboxCardsProps & { inbox: Inbox } & Pick<
    ReturnType<typeof useInbox>,
    'isPlaceholderData' | 'lookAt' | 'loadMore' | 'failedAt'
  >

function LoadedInbox({ userId, filter, onClear, inbox, ...props }: LoadedInboxProps) {
  const { isPlaceholderData, lookAt, loadMore, failedAt } = props
  const [doomed, setDoomed] = useState<SupportMessage>()
  const { markRead, remove } = useMessageActions(inboxKey(userId, filter), filter.isUnreadOnly)
  const rows = usePendingActions(
    useMemo(() => rowsOf(inbox), [inbox]),
    filter.isUnreadOnly,
  )
  const focusNear = ({ id }: SupportMessage) => focusCard(rows.findIndex(({ message }) => message.id === id))
  const confirm = (message: SupportMessage) => {
    setDoomed(undefined)
    remove(message)
    focusNear(message)
  }
  return (
    <>
      <InboxStatus total={inbox.total} />
      {rows.length === 0 && inbox.total === 0 && <InboxEmpty filter={filter} onClear={onClear} />}
      <div className={isPlaceholderData ? 'opacity-60' : ''}>
        <MessageList
          key={JSON.stringify(filter)}
          rows={rows}
          total={inbox.total}
          onLook={lookAt}
          onNearEnd={() => void loadMore()}
          onMarkRead={(message) => {
            markRead(message)
            focusNear(message)
          }}
          onDelete={setDoomed}
        />
      </div>
      {failedAt && <MoreFailed onRetry={() => void loadMore()} isRetrying={false} />}
      <DeleteMessageDialog message={doomed} onCancel={() => setDoomed(undefined)} onConfirm={confirm} />
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
export function DeleteMessageDialog({ message, onCancel, onConfirm }: DeleteMessageDialogProps) {
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
const MOST_LOOKS = 20

/** Puts the focus on a card, or on the last one: what had it is gone. */
export function focusCard(index: number, looks = 1): void {
  setTimeout(() => {
    // On a busy machine it takes longer to close.
    if (looks < MOST_LOOKS && document.querySelector('[role="dialog"]')) return focusCard(index, looks + 1)
    const isLost = !document.activeElement || document.activeElement === document.body
    const cards = document.querySelectorAll<HTMLElement>('#conteudo li > article')
    const card = document.querySelector<HTMLElement>(`#conteudo li[data-index="${index}"] > article`)
    if (isLost) (card ?? [...cards].at(-1))?.focus({ preventScroll: true })
  }, AFTER_DIALOG_MS)
}
