import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { notFoundMessage } from '#contract/messages.ts'
import { ChunkError, reloadIfOutdated } from '#web/http/load-chunk.ts'
import { Button, buttonClasses } from '#web/ui/button.tsx'
import { MessagePage } from '#web/ui/message-page.tsx'

/** Stands in for a screen that broke. Code that a deployment has replaced is fetched anew by itself. */
export function ErrorScreen({ error }: { error: unknown }) {
  useEffect(() => {
    console.error('A screen failed', error)
    if (error instanceof ChunkError) void reloadIfOutdated()
  }, [error])
  return (
    <MessagePage
      title="Algo deu errado"
      actions={<Button onClick={() => window.location.reload()}>Recarregar</Button>}
    >
      {error instanceof ChunkError
        ? 'Não foi possível carregar esta tela. Verifique sua internet e recarregue a página.'
        : 'Esta tela parou de funcionar. Recarregue a página; se o problema continuar, avise o administrador do portal.'}
    </MessagePage>
  )
}

export function NotFoundScreen() {
  const path = useLocation({ select: (location) => location.pathname })
  useEffect(() => {
    console.error('404: no screen at this path:', path)
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
