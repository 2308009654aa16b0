import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '#web/http/api.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { queryClient } from '#web/http/query-client.ts'
import { drawMark } from '#web/session/microsoft-mark.ts'
import { keepReturnPath } from '#web/session/session-end.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { formatRecent } from '#web/ui/format-instant.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { SubmitDialog } from '#web/ui/submit-dialog.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'

const ownIdentityQuery = (userId: string) =>
  queryOptions({
    queryKey: ['own-identity', userId],
    queryFn: ({ signal }) => callApi('GET /api/auth/microsoft', { signal }),
    staleTime: 0,
  })

/** 'Conta Microsoft': links and unlinks it, after a recent password. */
export function MicrosoftCard({ userId }: { userId: string }) {
  const own = useQuery(ownIdentityQuery(userId))
  const [isUnlinking, setIsUnlinking] = useState(false)
  const linking = useSubmit({
    async send() {
      const { location } = await callApi('GET /api/auth/microsoft/link', {
        query: { mark_hash: await drawMark() },
      })
      keepReturnPath('/profile/seguranca')
      window.location.assign(location)
    },
    onFailed: 'Não foi possível ligar a conta',
  })
  const { email, linked_at, last_used_at, has_password } = own.data ?? {}
  const isKept = portalSettings.signIn === 'microsoft' || !has_password
  return (
    <Card className="space-y-4">
      <div className="flex min-h-10 flex-col items-start justify-between gap-x-6 gap-y-2 sm:flex-row sm:items-center">
        <h2 className="font-semibold text-lg">Conta Microsoft</h2>
        {!own.data && <Skeleton className="h-10 w-48" />}
        {own.data &&
          (email === null ? (
            <Button variant="secondary" isBusy={linking.isBusy} onClick={() => void linking.submit()}>
              Ligar conta Microsoft
            </Button>
          ) : (
            !isKept && (
              <Button variant="secondary" onClick={() => setIsUnlinking(true)}>
                Desligar
              </Button>
            )
          ))}
      </div>
      {!own.data ? (
        <NotLoaded query={own} failed="Sua conta Microsoft não pôde ser lida agora." skeleton="h-10 sm:h-5" />
      ) : email === null ? (
        <p className="text-muted text-sm">
          Ligada, ela abre o portal sem a senha daqui. Ela precisa ter o mesmo e-mail desta conta.
        </p>
      ) : (
        <div className="space-y-1 text-sm">
          <p className="break-words font-medium">{email}</p>
          <p className="text-muted">
            Ligada {formatRecent(linked_at ?? '')} · Último uso: {formatRecent(last_used_at ?? '')}
          </p>
          {isKept && portalSettings.signIn !== 'microsoft' && (
            <p className="text-muted">
              Para desligá-la, crie antes uma senha com “Esqueci minha senha” na tela de login.
            </p>
          )}
        </div>
      )}
      {isUnlinking && (
        <SubmitDialog
          title="Desligar a conta Microsoft?"
          description="Daqui em diante você entra só com a senha do portal. As sessões que a Microsoft abriu em outros navegadores terminam."
          confirmLabel="Desligar"
          send={() => callApi('DELETE /api/auth/microsoft')}
          refresh={() => queryClient.invalidateQueries(ownIdentityQuery(userId))}
          done="Conta Microsoft desligada"
          failed="Não foi possível desligar a conta"
          onClose={() => setIsUnlinking(false)}
        />
      )}
    </Card>
  )
}
