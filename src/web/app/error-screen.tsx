import { useEffect } from 'react'
import { ChunkError, reloadIfOutdated } from '#web/http/load-chunk.ts'
import { logError } from '#web/http/log.ts'
import { Button } from '#web/ui/button.tsx'
import { MessagePage } from '#web/ui/message-page.tsx'

/** Stands in for a screen that broke. Code that a deployment has replaced is fetched anew by itself. */
export function ErrorScreen({ error }: { error: unknown }) {
  useEffect(() => {
    logError('A screen failed', error)
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
