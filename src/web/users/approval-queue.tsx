import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatDay, formatInstant } from '#web/ui/format-instant.ts'
import { formatRequest } from './access-request.tsx'
import { NO_SELECTION } from './selection.ts'
import { useDialogs } from './use-dialogs.tsx'
import { FIRST_WAITING, MORE_WAITING, type WaitingPeople, waitingQuery } from './user-queries.ts'

/** The people who wait for approval, shown above the cards of /admin: verified first, then newest. */
export function ApprovalQueue({ first = FIRST_WAITING, title = 'Aguardando aprovação' }) {
  const [shown, setShown] = useState(first)
  const { data } = useQuery(waitingQuery(shown))
  const { dialogs, open, close } = useDialogs(NO_SELECTION, data !== undefined, () => {}, getQueueId)
  const people = data?.people.slice(0, shown) ?? []
  /** Walks the queue in the order seen when the first dialog opened; newcomers are loaded at its end. */
  const approve = (index: number, seen: WaitingPeople) => {
    const profile = seen.people[index]
    if (!profile) return
    const isLast = index + 1 === seen.people.length
    const openNext = () => approve(index + 1, seen)
    open({
      kind: 'approve',
      profile,
      onNext: isLast ? (seen.hasMore ? () => loadNext(seen) : undefined) : openNext,
    })
  }
  const loadNext = ({ people: seenPeople }: WaitingPeople) => {
    close()
    const known = new Set(seenPeople.map(({ user_id }) => user_id))
    queryClient.fetchQuery({ ...waitingQuery(shown), staleTime: 0 }).then(
      (now) => approve(0, { ...now, people: now.people.filter(({ user_id }) => !known.has(user_id)) }),
      () => {},
    )
  }
  return (
    <>
      {people.length > 0 && (
        <Queue
          id="fila"
          title={title}
          onMore={
            data && (data.hasMore || data.people.length > shown)
              ? () => setShown(shown + MORE_WAITING)
              : undefined
          }
        >
          {people.map((person, index) => (
            <QueueRow key={person.user_id} person={person} at={person.created_at}>
              <Button
                variant="secondary"
                data-control="approval"
                aria-describedby={getQueueId(person)}
                onClick={() => data && approve(index, data)}
              >
                Aprovar
              </Button>
            </QueueRow>
          ))}
        </Queue>
      )}
      {dialogs}
    </>
  )
}

interface QueueProps {
  id: string
  title: string
  onMore: (() => void) | undefined
  children: ReactNode
}

export function Queue({ id, title, onMore, children }: QueueProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-titulo`}
      className="rounded-xl border border-line bg-surface shadow-xs"
    >
      <h2 id={`${id}-titulo`} className="px-4 pt-4 pb-2 font-semibold text-lg sm:px-6 sm:pt-5">
        {title}
      </h2>
      <ul className="divide-y divide-line border-line border-t">{children}</ul>
      {onMore && (
        <div className="border-line border-t px-4 py-3 text-sm sm:px-6">
          <button type="button" onClick={onMore} className={textLinkClasses}>
            Mostrar mais
          </button>
        </div>
      )}
    </section>
  )
}

export const getQueueId = ({ user_id }: ManagedProfile) => `fila-${user_id}`

/** A person with their request; the buttons are the children. */
export function QueueRow({
  person,
  at,
  children,
}: {
  person: ManagedProfile
  at: string
  children: ReactNode
}) {
  const { email, full_name, email_verified_at, approved, request } = person
  const catalogue = useCatalogue()
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 px-4 py-3 text-sm sm:px-6 lg:grid-cols-[minmax(0,18rem)_minmax(0,1fr)_auto_auto]">
      <div className="min-w-0">
        {full_name && (
          <p className={classNames('truncate font-medium', !email_verified_at && 'text-muted')}>
            {full_name}
          </p>
        )}
        <p
          id={getQueueId(person)}
          className={classNames('truncate', full_name ? 'text-muted text-xs' : 'font-medium')}
        >
          {email}
        </p>
      </div>
      <div className="col-span-2 row-start-2 min-w-0 lg:col-span-1 lg:row-start-auto">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {!email_verified_at && (
            <span className="rounded-full bg-warning-soft px-2 font-medium text-warning text-xs leading-6">
              E-mail não verificado
            </span>
          )}
          {request?.workplace && <span className="text-muted">{request.workplace}</span>}
          <span className={classNames(request ? '' : 'text-muted')}>{formatRequest(catalogue, person)}</span>
        </p>
        {request?.note && (
          // The reason decides on a request for more.
          <p
            className={classNames(
              'text-muted text-xs',
              approved ? 'whitespace-pre-line break-words' : 'truncate',
            )}
            title={request.note}
          >
            “<bdi>{request.note}</bdi>”
          </p>
        )}
      </div>
      <time dateTime={at} title={formatInstant(at)} className="hidden text-muted tabular-nums lg:block">
        {formatDay(at)}
      </time>
      <div
        className={classNames(
          'flex justify-end gap-2 lg:col-start-auto lg:row-start-auto',
          approved ? 'max-sm:col-span-2 sm:col-start-2 sm:row-start-1' : 'col-start-2 row-start-1',
        )}
      >
        {children}
      </div>
    </li>
  )
}
