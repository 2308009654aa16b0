import { Link, Navigate, useSearch } from '@tanstack/react-router'
import { useSession } from '#web/session/session.ts'
import { textLinkClasses } from '#web/ui/button.tsx'
import { AccessRequest } from './access-request.tsx'

/** /pedir-acesso: where approved people ask for more areas, brands and states. */
export function MoreAccessScreen() {
  const userId = useSession()?.user.id
  const { area } = useSearch({ from: '/signed-in/pedir-acesso' })
  return (
    <div className="mx-auto w-full max-w-2xl space-y-4 px-4 py-8 sm:py-10">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h1 className="font-semibold text-2xl tracking-tight">Pedir acesso</h1>
        <Link to="/profile" className={`${textLinkClasses} text-sm`}>
          O que você já tem
        </Link>
      </div>
      {userId && (
        <AccessRequest
          key={userId}
          userId={userId}
          area={area}
          // Their form stands there.
          withoutAccess={<Navigate to="/power-bi" replace />}
        />
      )}
    </div>
  )
}
