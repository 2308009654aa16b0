import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { OpenSession, SignIn } from '#contract/own-sessions.ts'
import { callApi } from '#web/http/api.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { queryClient } from '#web/http/query-client.ts'
import { isGone } from '#web/http/send-request.ts'
import { useSession } from '#web/session/session.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { formatRecent } from '#web/ui/format-instant.ts'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { SubmitDialog } from '#web/ui/submit-dialog.tsx'
import { FactorsCard, ownFactorsQuery } from './factors-card.tsx'
import { MicrosoftCard } from './microsoft-card.tsx'
import { OwnDataCard } from './own-data-card.tsx'

const ownSessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['own-sessions', userId],
    queryFn: ({ signal }) => callApi('GET /api/sessions/me', { signal }),
    // Refetched on every opening.
    staleTime: 0,
  })

/** /profile/seguranca, 'Segurança': where the person is signed in, and their last sign-ins. */
export function SecurityScreen() {
  const userId = useSession()?.user.id
  return userId && <Security key={userId} userId={userId} />
}

function Security({ userId }: { userId: string }) {
  const own = useQuery(ownSessionsQuery(userId))
  const factors = useQuery(ownFactorsQuery(userId))
  const [ending, setEnding] = useState<OpenSession | 'others'>()
  const sessions = own.data?.sessions
  return (
    <div className="mx-auto w-full max-w-3xl space-y-6 px-4 py-8 sm:py-10">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h1 className="font-semibold text-2xl tracking-tight">Segurança</h1>
        <Link to="/profile" className={`text-sm ${textLinkClasses}`}>
          Minha conta
        </Link>
      </div>
      <Card className="space-y-4">
        <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <h2 className="font-semibold text-lg">Onde estou conectado</h2>
          {sessions && sessions.length > 1 && (
            <Button variant="secondary" onClick={() => setEnding('others')}>
              Encerrar todas as outras
            </Button>
          )}
        </div>
        {!own.data ? (
          <NotLoaded query={own} failed="Suas sessões não puderam ser lidas agora." skeleton="h-40" />
        ) : (
          <>
            <ul aria-label="Sessões abertas" className="divide-y divide-line border-line border-t">
              {own.data.sessions.map((session) => (
                <SessionItem key={session.id} session={session} onEnd={() => setEnding(session)} />
              ))}
            </ul>
            <p className="text-muted text-sm">
              Não reconhece um destes? Encerre-o e troque sua senha em{' '}
              <Link to="/profile" className={textLinkClasses}>
                Minha conta
              </Link>
              .
            </p>
          </>
        )}
      </Card>
      {own.data && portalSettings.signIn !== 'password' && <MicrosoftCard userId={userId} />}
      {own.data && <FactorsCard userId={userId} />}
      {/* Not before the lists above, which would move it. */}
      {own.data && !factors.isPending && <SignIns signIns={own.data.sign_ins} />}
      {own.data && !factors.isPending && <OwnDataCard />}
      {ending && <EndDialog userId={userId} ending={ending} onClose={() => setEnding(undefined)} />}
    </div>
  )
}

function SignIns({ signIns }: { signIns: readonly SignIn[] }) {
  return (
    <Card className="space-y-4">
      <h2 className="font-semibold text-lg">Últimas entradas e tentativas</h2>
      {signIns.length === 0 ? (
        <p className="text-muted text-sm">Nenhuma entrada registrada.</p>
      ) : (
        <ul aria-label="Entradas e tentativas" className="divide-y divide-line border-line border-t text-sm">
          {signIns.map((signIn) => (
            <SignInItem key={`${signIn.at} ${signIn.refusal}`} signIn={signIn} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function SessionItem({ session, onEnd }: { session: OpenSession; onEnd: () => void }) {
  const { device, current, opened_at, last_used_at, in_group_network } = session
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56 text-sm">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {device}
          {current && <Badge>este navegador</Badge>}
          <NetworkBadge isGroups={in_group_network} />
        </p>
        <p className="text-muted">
          Desde {formatRecent(opened_at)} · Último uso: {current ? 'agora' : formatRecent(last_used_at)}
        </p>
      </div>
      {!current && (
        <Button
          variant="secondary"
          aria-label={`Encerrar ${device}, desde ${formatRecent(opened_at)}`}
          onClick={onEnd}
        >
          Encerrar
        </Button>
      )}
    </li>
  )
}

const REFUSALS: Record<string, string> = {
  'invalid-credentials': 'Senha errada',
  'rate-limited': 'Recusada por excesso de tentativas',
  'wrong-code': 'Código da segunda etapa errado',
  'code-used': 'Código da segunda etapa repetido',
  'clock-off': 'Código de um aparelho com a hora errada',
  'recovery-code-wrong': 'Código de recuperação errado',
  'passkey-origin': 'Chave de acesso recusada: outro endereço',
  'passkey-replayed': 'Chave de acesso recusada: resposta repetida',
  'passkey-counter': 'Chave de acesso recusada: talvez uma cópia',
  'passkey-refused': 'Chave de acesso recusada',
}

function SignInItem({ signIn }: { signIn: SignIn }) {
  const { at, refusal, attempts, device, in_group_network } = signIn
  const what = refusal === null ? `Entrada: ${device}` : (REFUSALS[refusal] ?? 'Tentativa recusada')
  return (
    <li className="grid gap-x-4 gap-y-0.5 py-2.5 sm:grid-cols-[9.5rem_1fr]">
      <time dateTime={at} className="text-muted tabular-nums">
        {formatRecent(at)}
      </time>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className={refusal === null ? undefined : 'text-danger'}>
          {what}
          {attempts > 1 && ` (${attempts} vezes em uma hora)`}
        </span>
        <NetworkBadge isGroups={in_group_network} />
      </span>
    </li>
  )
}

function NetworkBadge({ isGroups }: { isGroups: boolean | null }) {
  return isGroups === null ? null : <Badge>{isGroups ? 'rede do grupo' : 'fora da rede do grupo'}</Badge>
}

function Badge({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-full border border-line px-2 py-0.5 font-normal text-muted text-xs">
      {children}
    </span>
  )
}

interface EndDialogProps {
  userId: string
  ending: OpenSession | 'others'
  onClose: () => void
}

function EndDialog({ userId, ending, onClose }: EndDialogProps) {
  const isAll = ending === 'others'
  const refresh = () => queryClient.invalidateQueries(ownSessionsQuery(userId))
  return (
    <SubmitDialog
      title={isAll ? 'Encerrar todas as outras sessões?' : 'Encerrar esta sessão?'}
      description={
        isAll
          ? 'Em todos os outros navegadores e aparelhos será preciso entrar de novo. Aqui você continua conectado.'
          : `${ending.device}, desde ${formatRecent(ending.opened_at)}: lá será preciso entrar de novo.`
      }
      confirmLabel={isAll ? 'Encerrar as outras' : 'Encerrar sessão'}
      send={() =>
        isAll
          ? callApi('POST /api/auth/logout', { query: { scope: 'others' } })
          : callApi('DELETE /api/sessions/me/{id}', { params: { id: ending.id } })
      }
      refresh={refresh}
      done={isAll ? 'Outras sessões encerradas' : 'Sessão encerrada'}
      failed="Erro ao encerrar"
      onFailed={(error) => isGone(error) && refresh().then(onClose)}
      onClose={onClose}
    />
  )
}
