import { useInfiniteQuery } from '@tanstack/react-query'
import type { ManagedProfile } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { isGone } from '#web/http/send-request.ts'
import { EntryActions } from '#web/session/entry-actions.tsx'
import { useSession } from '#web/session/session.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { Entries } from '#web/ui/recent-entries.tsx'
import { Person, PersonGone } from './dialog-notices.tsx'

/** The audit entries of a person, newest first, page by page. */
function useHistory(userId: string) {
  return useInfiniteQuery({
    queryKey: ['profile-history', userId],
    queryFn: ({ pageParam: cursor, signal }) =>
      callApi('GET /api/profiles/{userId}/history', { params: { userId }, query: { cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // Refetched on every opening.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: ({ state }) => !isGone(state.error),
  })
}

/** 'Histórico' in a dialog. */
export function HistoryDialog({ person, onClose }: { person: ManagedProfile; onClose: () => void }) {
  const history = useHistory(person.user_id)
  return (
    <Dialog
      isOpen
      width="wide"
      title="Histórico"
      description={<Person person={person} />}
      onClose={onClose}
      actions={
        <>
          <OlderButton history={history} />
          <Button onClick={onClose}>Fechar</Button>
        </>
      }
    >
      <HistoryEntries history={history} />
    </Dialog>
  )
}

/** 'Histórico' within a screen. */
export function History({ userId }: { userId: string }) {
  const history = useHistory(userId)
  return (
    <>
      <HistoryEntries history={history} isNarrow />
      <OlderButton history={history} />
    </>
  )
}

interface HistoryProps {
  history: ReturnType<typeof useHistory>
  isNarrow?: boolean
}

function OlderButton({ history: { hasNextPage, isFetching, fetchNextPage } }: HistoryProps) {
  if (!hasNextPage) return null
  return (
    <Button variant="secondary" isBusy={isFetching} onClick={() => void fetchNextPage()}>
      Mostrar mais antigas
    </Button>
  )
}

function HistoryEntries({ history, isNarrow = false }: HistoryProps) {
  const { data, error, isLoading, isFetching, fetchNextPage, refetch } = history
  const reader = useSession()?.user.email
  const entries = data?.pages.flatMap(({ items }) => items)
  return (
    <div className="space-y-4 text-sm">
      {isLoading && <Skeleton className="h-40" />}
      {entries?.length === 0 && <p className="py-6 text-center text-muted">Nenhuma alteração registrada</p>}
      {entries && entries.length > 0 && (
        <Entries {...{ entries, reader, isNarrow }} actions={(entry) => <EntryActions entry={entry} />} />
      )}
      {isGone(error) && <PersonGone />}
      {error && !isGone(error) && (
        <FailedLoad
          title="Erro ao carregar o histórico"
          onRetry={() => void (data ? fetchNextPage() : refetch())}
          isRetrying={isFetching}
        >
          {error.message}
        </FailedLoad>
      )}
    </div>
  )
}
