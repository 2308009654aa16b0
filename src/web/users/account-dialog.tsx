import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import KeyRound from 'lucide-react/icons/key-round'
import LockOpen from 'lucide-react/icons/lock-open'
import LogOut from 'lucide-react/icons/log-out'
import MailCheck from 'lucide-react/icons/mail-check'
import ShieldMinus from 'lucide-react/icons/shield-minus'
import ShieldOff from 'lucide-react/icons/shield-off'
import ShieldPlus from 'lucide-react/icons/shield-plus'
import { useState } from 'react'
import type { AccountState } from '#contract/own-sessions.ts'
import type { AccountAction } from '#contract/user-accounts.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { queryClient, USERS_QUERY } from '#web/http/query-client.ts'
import { isConflict, isGone } from '#web/http/send-request.ts'
import { useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { ConfirmDialog, Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { Person, PersonGone } from './dialog-notices.tsx'
import { personQuery, refreshUsers } from './user-queries.ts'

export type HelpAction = AccountAction | 'grant' | 'revoke'

interface Help {
  action: HelpAction
  label: string
  icon: LucideIcon
  effect: string
  done: string
  /** Whether it is asked first, because it cannot be undone or gives much. */
  asks?: boolean
}

export const HELP: readonly Help[] = [
  {
    action: 'send-reset',
    icon: KeyRound,
    label: 'Enviar link para nova senha',
    effect: 'A pessoa recebe por e-mail um link que vale uma hora. A senha atual vale até ele ser usado.',
    done: 'Link enviado por e-mail',
  },
  {
    action: 'resend-verification',
    icon: MailCheck,
    label: 'Reenviar confirmação do e-mail',
    effect: 'A pessoa recebe um novo link para confirmar que o endereço é dela.',
    done: 'Confirmação reenviada',
  },
  {
    action: 'unlock',
    icon: LockOpen,
    label: 'Desbloquear a entrada',
    effect: 'Zera as tentativas com senha errada: a pessoa já pode tentar de novo.',
    done: 'Entrada desbloqueada',
  },
  {
    action: 'end-sessions',
    icon: LogOut,
    label: 'Encerrar sessões',
    effect: 'Em todos os navegadores e aparelhos será preciso entrar de novo. A senha continua a mesma.',
    done: 'Sessões encerradas',
    asks: true,
  },
  {
    action: 'reset-factor',
    icon: ShieldOff,
    label: 'Retirar a segunda etapa',
    effect:
      'Para quem perdeu o aparelho: remove aplicativos de códigos, chaves de acesso e códigos de recuperação, e encerra as sessões. Antes, confirme de outro modo que é a pessoa.',
    done: 'Segunda etapa retirada',
    asks: true,
  },
  {
    action: 'grant',
    icon: ShieldPlus,
    label: 'Tornar administrador',
    effect: 'Passa a aprovar pessoas, mudar acessos, configurar relatórios e ver todos os dados de contas.',
    done: 'A pessoa agora administra o portal',
    asks: true,
  },
  {
    action: 'revoke',
    icon: ShieldMinus,
    label: 'Retirar a administração',
    effect: 'Deixa de administrar o portal na próxima ação. Os relatórios que vê continuam os mesmos.',
    done: 'A pessoa não administra mais o portal',
    asks: true,
  },
]

/** Reads sessions, second step and lock of an account. */
export function useAccountState(userId: string) {
  return useQuery({
    queryKey: [USERS_QUERY, 'sessions', userId],
    queryFn: ({ signal }) => callApi('GET /api/profiles/{userId}/sessions', { params: { userId }, signal }),
  })
}

/** @param state undefined while unknown: then it may fit */
export function isHelpOffered(
  { action }: Help,
  { role, email_verified_at }: ManagedProfile,
  state: AccountState | undefined,
): boolean {
  if (action === 'unlock') return state?.locked_until !== null
  if (action === 'end-sessions') return state?.sessions.length !== 0
  if (action === 'reset-factor') return state?.factors !== 0
  if (action === 'resend-verification') return email_verified_at === null
  if (action === 'grant') return role !== 'admin' && email_verified_at !== null
  return action !== 'revoke' || role === 'admin'
}

/** @param person as they were when it was asked */
function sendHelp(action: Help['action'], { user_id: userId, version }: ManagedProfile): Promise<unknown> {
  const params = { userId }
  if (action === 'grant' || action === 'revoke')
    return callApi('PUT /api/profiles/{userId}/role', {
      params,
      ifMatch: String(version),
      body: { role: action === 'grant' ? 'admin' : 'user' },
    })
  return callApi('POST /api/profiles/{userId}/account', { params, body: { action } })
}

interface AccountDialogProps {
  person: ManagedProfile
  /** Asks for this one alone; by default offers all. */
  wanted?: HelpAction | undefined
  onClose: () => void
}

/** 'Ajudar com a conta': what an administrator can do for a person's account. */
export function AccountDialog({ person: opened, wanted, onClose }: AccountDialogProps) {
  const person = useQuery(personQuery(opened.user_id)).data ?? opened
  const [asked, setAsked] = useState(HELP.find(({ action }) => action === wanted))
  // What the question was about: it does not follow the row.
  const [seen, setSeen] = useState(opened)
  const [goneError, setGoneError] = useState<unknown>()
  const [running, setRunning] = useState<Help>()
  const isOwn = useSession()?.user.id === person.user_id
  const state = useAccountState(person.user_id)
  const { submit, isBusy } = useSubmit({
    send: (help: Help) => {
      setRunning(help)
      return sendHelp(help.action, help === asked ? seen : person)
    },
    onDone(_, { done }) {
      showToast({ kind: 'success', title: done, description: person.email })
      onClose()
    },
    onFailed(error, { label }) {
      // Without a reply the question stays: once more is harmless.
      if (isGone(error) || isConflict(error) || (!wanted && error instanceof ApiError)) setAsked(undefined)
      if (isGone(error)) setGoneError(error)
      else showToast(toFailureToast(`Não foi feito: ${label}`, error))
    },
    onSettled() {
      void queryClient.invalidateQueries({ queryKey: ['profile-history', person.user_id] })
      void refreshUsers()
    },
  })
  if (asked)
    return (
      <ConfirmDialog
        title={`${asked.label}?`}
        description={<Person person={person} />}
        confirmLabel={asked.label}
        isBusy={isBusy}
        onConfirm={() => void submit(asked)}
        onCancel={wanted ? onClose : () => setAsked(undefined)}
      >
        <p className="text-sm">{asked.effect}</p>
      </ConfirmDialog>
    )
  return (
    <Dialog
      isOpen
      width="wide"
      title="Ajudar com a conta"
      description={<Person person={person} />}
      onClose={isBusy ? undefined : onClose}
      actions={<Button onClick={onClose}>Fechar</Button>}
    >
      {goneError ? (
        <PersonGone />
      ) : isOwn ? (
        <Alert kind="info" title="Esta é a sua própria conta">
          Sua senha e suas sessões estão em{' '}
          <Link to="/profile/seguranca" className={textLinkClasses}>
            Segurança
          </Link>
          . Seu papel só outro administrador pode mudar.
        </Alert>
      ) : state.isPending ? (
        <Skeleton className="h-64" />
      ) : (
        <ul className="divide-y divide-line border-line border-y text-sm">
          {HELP.filter((help) => isHelpOffered(help, person, state.data)).map((help) => (
            <li key={help.action} className="grid items-center gap-x-6 gap-y-2 py-3 sm:grid-cols-[1fr_15rem]">
              <p id={`help-${help.action}`} className="text-muted">
                {help.effect}
              </p>
              <Button
                variant="secondary"
                aria-describedby={`help-${help.action}`}
                isBusy={isBusy && running === help}
                onClick={() => {
                  if (!help.asks) return void submit(help)
                  setSeen(person)
                  setAsked(help)
                }}
              >
                {help.label}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {!isOwn && (
        <p className="mt-4 text-muted text-xs">
          A pessoa é avisada por e-mail, e tudo fica no Histórico.
          {!person.email_verified_at && ' Só quem confirmou o e-mail pode administrar o portal.'}
        </p>
      )}
    </Dialog>
  )
}
