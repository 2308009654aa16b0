import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { notFoundMessage } from '#contract/messages.ts'
import { ChunkError, reloadIfOutdated } from '#web/http/load-chunk.ts'
import { Button, buttonClasses } from '#web/ui/button.tsx'
import { MessagePage } from '#web/ui/visitor-page.tsx'

/** Replaces a screen that crashed. Reloads by itself when a deployment has replaced the code. */
export function ErrorScreen({ error }: { error: unknown }) {
  useEffect(() => {
    console.error('A screen failed', error)
    if (error instanceof ChunkError) void reloadIfOutdated()
  }, [error])
  return (
    <MessagePage
      title="Algo deu errado"
      actions={
        <Button size="large" onClick={() => window.location.reload()}>
          Recarregar
        </Button>
      }
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
        <a href="/" className={buttonClasses('primary', 'large')}>
          Voltar ao início
        </a>
      }
    >
      Não há nada neste endereço. Confira se ele foi digitado corretamente.
    </MessagePage>
  )
}
