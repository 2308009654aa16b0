import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { callbackMessages } from '#contract/accounts.ts'
import { adoptSession, getSession } from '#web/session/session.ts'
import { Spinner } from '#web/ui/loading.tsx'
import { MessagePage } from '#web/ui/message-page.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { failureNotice } from '#web/ui/use-form.ts'
import { readTokenHash, takeLinkHash, verifyEmailLink } from './mail-link.ts'

/** Where the link of the verification mail leads: it is posted, never used up by the page's own address. */
export function AuthCallbackScreen() {
  const navigate = useNavigate()
  const isStarted = useRef(false)
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    void finishVerification(readTokenHash(takeLinkHash(), 'signup')).then((to) =>
      navigate({ to, replace: true }),
    )
  }, [navigate])
  return (
    <MessagePage title={callbackMessages.checking}>
      <Spinner className="size-6" />
    </MessagePage>
  )
}

/** @returns the screen to go to */
async function finishVerification(tokenHash: string | undefined): Promise<'/power-bi' | '/login'> {
  try {
    const session = tokenHash === undefined ? undefined : await verifyEmailLink('signup', tokenHash)
    if (session) {
      adoptSession(session)
      showToast({
        kind: 'success',
        title: callbackMessages.verified,
        description: callbackMessages.verifiedDetail,
      })
      return '/power-bi'
    }
    // Opened without a link, or again with a session open.
    if (tokenHash === undefined && getSession()) return '/power-bi'
    showToast({
      kind: 'error',
      title: callbackMessages.failed,
      description: callbackMessages.failedDetail,
    })
  } catch (error) {
    showToast(failureNotice('Erro', error))
  }
  return '/login'
}
