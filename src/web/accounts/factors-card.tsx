import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Factor, RECOVERY_CODES } from '#contract/factors.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { ConfirmDialog, Dialog } from '#web/ui/dialog.tsx'
import { formatRecent } from '#web/ui/format-instant.ts'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { SubmitDialog } from '#web/ui/submit-dialog.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { FactorSetup } from './factor-setup.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

async function fetchOwnFactors(signal: AbortSignal) {
  const user = await callApi('GET /api/auth/user', { signal })
  const codes = await callApi('GET /api/auth/factors/recovery-codes', { signal }).catch((error) => {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  })
  const factors = user.factors.filter(
    ({ factor_type, status }) => factor_type !== 'recovery_code' && status === 'verified',
  )
  return { factors, due: user.app_metadata.second_factor_due, left: codes?.remaining }
}

export const ownFactorsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['own-factors', userId],
    queryFn: ({ signal }) => fetchOwnFactors(signal),
    staleTime: 0,
  })

const TYPES = { totp: 'Aplicativo de códigos', webauthn: 'Chave de acesso', recovery_code: '' }
const refresh = () => queryClient.invalidateQueries({ queryKey: ['own-factors'] })

/** 'Verificação em duas etapas' of 'Segurança': factors, recovery codes, and setting up another. */
export function FactorsCard({ userId }: { userId: string }) {
  const own = useQuery(ownFactorsQuery(userId))
  const [open, setOpen] = useState<'add' | Factor>()
  const [hasCodes, setHasCodes] = useState(false)
  const close = () => {
    setOpen(undefined)
    setHasCodes(false)
  }
  const data = own.data
  const isSetUp = data !== undefined && data.factors.length > 0
  return (
    <Card className="space-y-4">
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 className="font-semibold text-lg">Verificação em duas etapas</h2>
        {data && (
          <Button variant={isSetUp ? 'secondary' : 'primary'} onClick={() => setOpen('add')}>
            {isSetUp ? 'Adicionar' : 'Configurar'}
          </Button>
        )}
      </div>
      {!data ? (
        <NotLoaded query={own} failed="Sua segunda etapa não pôde ser lida agora." skeleton="h-24" />
      ) : !isSetUp ? (
        <>
          {data.due && <DueNotice due={data.due} />}
          <p className="text-muted text-sm">
            Com ela, quem descobrir sua senha ainda não entra: além da senha, o portal pede um código do seu
            celular ou uma chave de acesso.
          </p>
        </>
      ) : (
        <>
          <ul aria-label="Segunda etapa" className="divide-y divide-line border-line border-t text-sm">
            {data.factors.map((factor) => (
              <FactorItem key={factor.id} factor={factor} onRemove={() => setOpen(factor)} />
            ))}
          </ul>
          <CodesLine left={data.left} />
        </>
      )}
      {open === 'add' && (
        <Dialog isOpen title="Configurar a segunda etapa" hasChanges onClose={hasCodes ? undefined : close}>
          <FactorSetup
            onCodes={() => setHasCodes(true)}
            onDone={() => {
              void refresh()
              showToast({ kind: 'success', title: 'Segunda etapa configurada' })
              close()
            }}
          />
        </Dialog>
      )}
      {open && open !== 'add' && (
        <SubmitDialog
          title={`Remover “${open.friendly_name}”?`}
          description={
            data?.factors.length === 1
              ? 'É a sua última: daqui em diante basta a senha para entrar, e os códigos de recuperação deixam de servir.'
              : 'Ela deixa de servir para entrar. As outras continuam.'
          }
          confirmLabel="Remover"
          send={() => callApi('DELETE /api/auth/factors/{factorId}', { params: { factorId: open.id } })}
          refresh={refresh}
          done="Segunda etapa removida"
          failed="Erro ao remover"
          onClose={close}
        />
      )}
    </Card>
  )
}

function DueNotice({ due }: { due: string }) {
  return (
    <Alert kind="warning" title={`Configure até ${formatRecent(due)}`}>
      O portal exige a segunda etapa na sua conta. Depois desse dia, ela vem antes de tudo na entrada.{' '}
      <Link to="/power-bi" className={textLinkClasses}>
        Agora não: ver os relatórios
      </Link>
    </Alert>
  )
}

function FactorItem({ factor, onRemove }: { factor: Factor; onRemove: () => void }) {
  const { friendly_name, factor_type, created_at, updated_at } = factor
  const kind = TYPES[factor_type]
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">{friendly_name}</p>
        <p className="text-muted">
          {friendly_name !== kind && `${kind} · `}Desde {formatRecent(created_at)} · Último uso:{' '}
          {formatRecent(updated_at)}
        </p>
      </div>
      <Button variant="secondary" aria-label={`Remover ${friendly_name}`} onClick={onRemove}>
        Remover
      </Button>
    </li>
  )
}

function CodesLine({ left }: { left: number | undefined }) {
  const [codes, setCodes] = useState<string[]>()
  const [isAsking, setIsAsking] = useState(false)
  const { submit, isBusy } = useSubmit({
    send: () => callApi('POST /api/auth/factors/recovery-codes/regenerate'),
    onDone({ codes: created }) {
      setCodes(created)
      setIsAsking(false)
      void refresh()
    },
    onFailed: 'Erro ao criar os códigos',
  })
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 text-sm">
      <p className={left ? 'text-muted' : 'text-danger'}>
        {left === undefined
          ? 'Você não tem códigos de recuperação: se perder o aparelho, só um administrador ajuda.'
          : `Códigos de recuperação: ${left === 1 ? 'resta 1' : `restam ${left}`} de ${RECOVERY_CODES}.`}
      </p>
      <Button
        variant="secondary"
        isBusy={isBusy}
        onClick={() => (left === undefined ? void submit() : setIsAsking(true))}
      >
        Criar novos códigos
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Criar novos códigos de recuperação?"
          description="Os códigos anteriores deixam de servir."
          confirmLabel="Criar novos códigos"
          isBusy={isBusy}
          onConfirm={() => void submit()}
          onCancel={() => setIsAsking(false)}
        />
      )}
      {codes && (
        <Dialog isOpen title="Novos códigos de recuperação">
          <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
        </Dialog>
      )}
    </div>
  )
}
