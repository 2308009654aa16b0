import { useSession } from '#web/session/session.ts'
import { ChangePasswordCard } from './change-password-card.tsx'
import { OwnAccountCard } from './own-account-card.tsx'

/** /profile, 'Minha Conta' (SPEC section 2). */
export function ProfileScreen() {
  const user = useSession()?.user
  return (
    <div className="mx-auto w-full max-w-xl space-y-6 px-4 py-8 sm:py-10">
      <h1 className="font-semibold text-2xl tracking-tight">Minha Conta</h1>
      {user && <OwnAccountCard user={user} />}
      <ChangePasswordCard />
    </div>
  )
}
