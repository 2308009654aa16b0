import { lazy, Suspense } from 'react'
import { loadChunk } from '#web/http/load-chunk.ts'
import { owesPasswordChange, useSession } from '#web/session/session.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'
import { LoginForm } from './login-form.tsx'

const ForcedPasswordChange = lazy(() =>
  loadChunk(() => import('./forced-password-change.tsx')).then((module) => ({
    default: module.ForcedPasswordChange,
  })),
)

/** /login: the sign-in form, and over it the forced password change for as long as the session owes one. */
export function LoginScreen() {
  const session = useSession()
  return (
    <VisitorPage title="Entrar" description="Use seu e-mail corporativo para ver seus relatórios.">
      <LoginForm />
      {session && owesPasswordChange(session) && (
        <Suspense>
          <ForcedPasswordChange />
        </Suspense>
      )}
    </VisitorPage>
  )
}
