import { useMemo, useState } from 'react'
import type { SupportMessage } from '#contract/support.ts'
import { DeleteMessageDialog } from './delete-message-dialog.tsx'
import { focusCard } from './focus-card.ts'
import type { InboxFilter } from './inbox-filter.ts'
import { InboxEmpty, InboxFailed, InboxLoading, InboxStatus, MoreFailed } from './inbox-notice.tsx'
import { type Inbox, rowsOf } from './inbox-pages.ts'
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
