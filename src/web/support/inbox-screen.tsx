import { useNavigate, useSearch } from '@tanstack/react-router'
import { AdminGate } from '#web/app/admin-gate.tsx'
import { SignedInLayout } from '#web/app/signed-in-layout.tsx'
import { useSession } from '#web/session/session.ts'
import { InboxCards } from './inbox-cards.tsx'
import { type InboxFilter, readFilter, writeFilter } from './inbox-filter.ts'
import { InboxToolbar } from './inbox-toolbar.tsx'

/** /mensagens, 'Mensagens de Suporte': what the contact form brought, for administrators (SPEC section 2). */
export function InboxScreen() {
  const userId = useSession()?.user.id
  return (
    <AdminGate>
      <SignedInLayout>
        <div className="mx-auto w-full max-w-3xl space-y-5 px-4 py-8">
          <h1 className="font-semibold text-2xl tracking-tight">Mensagens de Suporte</h1>
          {userId !== undefined && <Inbox userId={userId} />}
        </div>
      </SignedInLayout>
    </AdminGate>
  )
}

function Inbox({ userId }: { userId: string }) {
  const filter = readFilter(useSearch({ strict: false }))
  const navigate = useNavigate()
  const setFilter = (next: InboxFilter) =>
    void navigate({ to: '.', search: writeFilter(next), replace: true })
  return (
    <>
      <InboxToolbar filter={filter} onChange={setFilter} />
      <InboxCards userId={userId} filter={filter} onClear={() => setFilter({ q: '', isUnreadOnly: false })} />
    </>
  )
}
