import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { notFoundMessage } from '#contract/messages.ts'
import { logError } from '#web/http/log.ts'
import { buttonClasses } from '#web/ui/button.tsx'
import { MessagePage } from '#web/ui/message-page.tsx'

/** What any unknown path shows; the path is logged (SPEC section 2). */
export function NotFoundScreen() {
  const path = useLocation({ select: (location) => location.pathname })
  useEffect(() => {
    logError('404: no screen at this path:', path)
  }, [path])
  return (
    <MessagePage
      title={notFoundMessage}
      actions={
        <a href="/" className={buttonClasses('primary')}>
          Voltar ao início
        </a>
      }
    >
      Não há nada neste endereço. Confira se ele foi digitado corretamente.
    </MessagePage>
  )
}
