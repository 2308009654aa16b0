import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
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

const TITLE_ID = 'fila-titulo'

/** The people who wait for approval, shown above the cards of /admin: verified first, then newest. */
export function ApprovalQueue() {
  const [shown, setShown] = useState(FIRST_WAITING)
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
        <section
          id="fila"
          aria-labelledby={TITLE_ID}
          className="rounded-xl border border-line bg-surface shadow-xs"
        >
          <h2 id={TITLE_ID} className="px-4 pt-4 pb-2 font-semibold text-lg sm:px-6 sm:pt-5">
            Aguardando aprovação
          </h2>
          <ul className="divide-y divide-line border-line border-t">
            {people.map((person, index) => (
              <Waiting key={person.user_id} person={person} onApprove={() => data && approve(index, data)} />
            ))}
          </ul>
          {data && (data.hasMore || data.people.length > shown) && (
            <div className="border-line border-t px-4 py-3 text-sm sm:px-6">
              <button
                type="button"
                onClick={() => setShown(shown + MORE_WAITING)}
                className={textLinkClasses}
              >
                Mostrar mais
              </button>
            </div>
          )}
        </section>
      )}
      {dialogs}
    </>
  )
}

const getQueueId = ({ user_id }: ManagedProfile) => `fila-${user_id}`

function Waiting({ person, onApprove }: { person: ManagedProfile; onApprove: () => void }) {
  const { email, full_name, email_verified_at, created_at, request } = person
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
          <p className="truncate text-muted text-xs" title={request.note}>
            “{request.note}”
          </p>
        )}
      </div>
      <time
        dateTime={created_at}
        title={formatInstant(created_at)}
        className="hidden text-muted tabular-nums lg:block"
      >
        {formatDay(created_at)}
      </time>
      <Button
        variant="secondary"
        data-control="approval"
        aria-describedby={getQueueId(person)}
        onClick={onApprove}
        className="col-start-2 row-start-1 lg:col-start-auto lg:row-start-auto"
      >
        Aprovar
      </Button>
    </li>
  )
}
