import CircleCheck from 'lucide-react/icons/circle-check'
import CircleDashed from 'lucide-react/icons/circle-dashed'
import { useEffect, useState } from 'react'
import { queryClient } from '#web/http/query-client.ts'
import { useStreamState } from '#web/live/live-changes.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatDate, formatTime } from '#web/ui/format-instant.ts'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { AccessRequest } from './access-request.tsx'
import { ownReportsQuery } from './own-reports.ts'
import { AskAdministrator } from './report-tabs.tsx'

export interface WithoutAccessProps {
  userId: string
  /** The last day of an expired access. */
  endedOn: string | null
  emailVerified: boolean
  /** @returns whether the person is approved now */
  checkApproval: () => Promise<boolean | undefined>
}

/** The next steps for a person without access. */
export function NextSteps({ endedOn, ...props }: WithoutAccessProps) {
  if (endedOn === null) return <WaitForApproval {...props} />
  const day = formatDate(endedOn)
  return (
    <AskAdministrator
      message={`Olá! Meu acesso ao portal terminou em ${day}. Podem prorrogá-lo? Preciso dele para `}
    />
  )
}

/**
 * The three steps to the first report with the current one marked, and the access request.
 * The reports screen replaces it after the approval.
 */
function WaitForApproval({ userId, emailVerified, checkApproval }: Omit<WithoutAccessProps, 'endedOn'>) {
  useEffect(
    () => () => {
      // Unmounted because of the approval, not because the person left the screen.
      const reports = queryClient.getQueryData(ownReportsQuery(userId).queryKey)
      if (reports?.approved) showToast({ kind: 'success', title: 'Sua conta foi aprovada' })
    },
    [userId],
  )
  const isLive = useStreamState()?.isLive !== false
  const [answer, setAnswer] = useState('')
  const { submit, isBusy } = useSubmit({
    send: checkApproval,
    onDone(isApproved) {
      const at = formatTime(new Date().toISOString())
      if (!isApproved) setAnswer(`Ainda aguardando aprovação. Verificado às ${at}.`)
    },
    onFailed: 'Não foi possível verificar agora',
  })
  return (
    <>
      <Card className="space-y-4">
        <ol aria-label="Passos até o acesso" className="grid gap-4 text-sm sm:grid-cols-3">
          <Step name="Conta criada" isDone />
          <Step name="E-mail confirmado" isDone={emailVerified} isNext={!emailVerified}>
            {emailVerified ? undefined : 'Abra o link que enviamos para o seu e-mail.'}
          </Step>
          <Step name="Aprovação" isNext={emailVerified}>
            Aguardando o administrador.
          </Step>
        </ol>
        <p className="text-sm">
          Avisaremos por e-mail quando a conta for aprovada
          {isLive ? ', e esta página se atualiza sozinha.' : '. Agora esta página não recebe avisos.'} Tem
          dúvidas? <AskAdministrator message="Olá! Criei minha conta no portal e aguardo a aprovação. " />
        </p>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button variant="secondary" isBusy={isBusy} onClick={() => void submit()}>
            Verificar agora
          </Button>
          <p role="status" className="text-muted text-sm tabular-nums">
            {answer}
          </p>
        </div>
      </Card>
      <AccessRequest userId={userId} />
    </>
  )
}

interface StepProps {
  name: string
  isDone?: boolean
  /** The current step. */
  isNext?: boolean
  children?: string | undefined
}

function Step({ name, isDone = false, isNext = false, children }: StepProps) {
  const Icon = isDone ? CircleCheck : CircleDashed
  return (
    <li aria-current={isNext ? 'step' : undefined} className="flex gap-2.5">
      <Icon
        aria-hidden="true"
        className={classNames('mt-0.5 size-4 shrink-0', isDone ? 'text-success' : 'text-warning')}
      />
      <div className="space-y-0.5">
        <p className={isNext ? 'font-semibold' : ''}>
          {name}
          <span className="sr-only">{isDone ? ': feito' : ': falta'}</span>
        </p>
        {children && <p className="text-muted">{children}</p>}
      </div>
    </li>
  )
}
