import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { signInMessages } from '#contract/account-forms.ts'
import type { Factor } from '#contract/factors.ts'
import { sessionMessages } from '#contract/messages.ts'
import { callApi, NetworkError, onReauthenticationNeeded } from '#web/http/api.ts'
import { listUsableFactors, showCode, showPasskey, showRecoveryCode } from '#web/session/second-step.ts'
import { getOwedStep, getSession, signOut, useSession } from '#web/session/session.ts'
import { refreshSession } from '#web/session/session-refresh.ts'
import { markUnseenCodes } from '#web/session/session-store.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { FormAlert, type FormFailure } from '#web/ui/form-alert.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { CodeField, toStepFailure } from './code-field.tsx'
import { FactorSetup } from './factor-setup.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

// A sign-in that Microsoft answered by itself sets nothing up before it is confirmed.
onReauthenticationNeeded(async (refused) => {
  const { reauthenticate } = await import('#web/session/reauthenticate.tsx').catch((cause: unknown) => {
    throw new NetworkError(cause)
  })
  return reauthenticate(refused)
})

/** The second step of a sign-in: showing a factor, or setting one up where it is required. */
export function SecondStep() {
  const session = useSession()
  const router = useRouter()
  const isSettingUp = session && getOwedStep(session) === 'set-up'
  const isUnfinished = useUnfinishedSetup(isSettingUp === true)
  const finish = async () => {
    showToast({ kind: 'success', title: signInMessages.succeeded })
    await router.invalidate()
  }
  if (!session) return null
  return (
    <div className="space-y-5">
      {isSettingUp && isUnfinished ? (
        <UnseenCodes onDone={() => void finish()} />
      ) : isSettingUp ? (
        // Takes its room until it is known to be the right part.
        <div inert={isUnfinished === undefined} className={isUnfinished === undefined ? 'invisible' : ''}>
          <FactorSetup onDone={() => void finish()} />
        </div>
      ) : (
        <ShowFactor factors={listUsableFactors(session)} onDone={() => void finish()} />
      )}
      <LeaveButton />
    </div>
  )
}

/** Whether a set-up was left before its recovery codes were kept; undefined until the server tells. */
function useUnfinishedSetup(isSettingUp: boolean): boolean | undefined {
  const [isUnfinished, setIsUnfinished] = useState<boolean>()
  useEffect(() => {
    if (!isSettingUp) return
    const isVerified = ({ status }: Factor) => status === 'verified'
    // Unreachable: the set-up itself says so, and changes nothing.
    callApi('GET /api/auth/user').then(
      ({ factors }) => setIsUnfinished(factors.some(isVerified)),
      () => setIsUnfinished(false),
    )
  }, [isSettingUp])
  return isUnfinished
}

/** The factor works already: other codes replace those that nobody has kept. */
function UnseenCodes({ onDone }: { onDone: () => void }) {
  const [codes, setCodes] = useState<string[]>()
  const [failure, setFailure] = useState<FormFailure>()
  const create = useSubmit({
    send: () => callApi('POST /api/auth/factors/recovery-codes/regenerate'),
    onDone: (created) => setCodes(created.codes),
    onFailed: (error) => setFailure(toStepFailure(error)),
  })
  const leave = useSubmit({
    async send() {
      // Before the event of the refresh, on which other tabs look at it.
      markUnseenCodes()
      const session = getSession()
      // Stored before the set-up, it does not know yet what it opens.
      if (session?.user.app_metadata.second_factor) await refreshSession(session.access_token)
    },
    onDone,
    onFailed: (error) => showToast(toFailureToast('Não foi possível continuar', error)),
  })
  if (codes) return <RecoveryCodes codes={codes} onDone={() => void leave.submit()} />
  return (
    <div className="space-y-4 text-sm">
      <p>
        Sua segunda etapa já está ativa, mas a página foi fechada antes de você guardar os códigos de
        recuperação. Crie outros agora: os anteriores deixam de valer.
      </p>
      <FormAlert failure={failure} />
      <Button size="large" className="w-full" isBusy={create.isBusy} onClick={() => void create.submit()}>
        Criar códigos de recuperação
      </Button>
    </div>
  )
}

function LeaveButton() {
  const { submit, isBusy } = useSubmit({
    send: () => signOut(),
    onDone: () => showToast({ kind: 'success', title: sessionMessages.signedOut }),
    onFailed: () => showToast({ kind: 'error', title: sessionMessages.signOutFailed }),
  })
  return (
    <Button variant="ghost" isBusy={isBusy} onClick={() => void submit()} className="-ml-4">
      Entrar com outra conta
    </Button>
  )
}

const INTRODUCTIONS = {
  totp: 'Abra o aplicativo de códigos no seu celular e digite os 6 números que ele mostra para o portal.',
  webauthn: 'Use a impressão digital, o rosto ou o PIN do aparelho em que está a chave de acesso.',
  recovery_code: 'Digite um dos códigos de recuperação que você guardou. Cada um serve uma única vez.',
}
const CHOICES = {
  totp: ({ friendly_name }: Factor) => (
    <>
      Usar um código: <bdi>{friendly_name}</bdi>
    </>
  ),
  webauthn: ({ friendly_name }: Factor) => (
    <>
      Usar a chave de acesso: <bdi>{friendly_name}</bdi>
    </>
  ),
  recovery_code: () => 'Usar um código de recuperação',
}

function ShowFactor({ factors, onDone }: { factors: Factor[]; onDone: () => void }) {
  const [chosenId, setChosenId] = useState(factors[0]?.id)
  const [failure, setFailure] = useState<FormFailure>()
  const [code, setCode] = useState('')
  const factor = factors.find(({ id }) => id === chosenId)
  const { submit, isBusy } = useSubmit({
    send: ({ id, factor_type }: Factor) =>
      factor_type === 'totp'
        ? showCode(id, code)
        : factor_type === 'webauthn'
          ? showPasskey(id)
          : showRecoveryCode(code),
    onDone(adopt) {
      adopt()
      onDone()
    },
    onFailed(error) {
      setFailure(toStepFailure(error))
      setCode('')
    },
  })
  if (!factor) return null
  const type = factor.factor_type
  const choose = (id: string) => {
    setFailure(undefined)
    setCode('')
    setChosenId(id)
  }
  return (
    <form
      noValidate
      aria-label="Segunda etapa"
      className="space-y-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (type !== 'webauthn' && !code.trim()) return setFailure({ title: 'Digite o código.' })
        setFailure(undefined)
        void submit(factor)
      }}
    >
      <p className="text-sm">{INTRODUCTIONS[type]}</p>
      {type === 'totp' && <CodeField value={code} onChange={setCode} />}
      {type === 'recovery_code' && (
        <TextField
          label="Código de recuperação"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          value={code}
          onChange={({ target }) => setCode(target.value)}
        />
      )}
      <FormAlert failure={failure} />
      <Button type="submit" size="large" isBusy={isBusy} className="w-full">
        {type === 'webauthn' ? 'Usar chave de acesso' : 'Confirmar'}
      </Button>
      {factors.length > 1 && (
        <ul className="space-y-2 text-sm" aria-label="Outras formas">
          {factors.map((other) =>
            other === factor ? null : (
              <li key={other.id}>
                <button type="button" className={`py-1 ${textLinkClasses}`} onClick={() => choose(other.id)}>
                  {CHOICES[other.factor_type](other)}
                </button>
              </li>
            ),
          )}
        </ul>
      )}
      <p className="text-muted text-sm">
        Perdeu o aparelho
        {factors.some(({ factor_type }) => factor_type === 'recovery_code') && ' e os códigos'}? Peça a um
        administrador do portal que retire sua segunda etapa.
      </p>
    </form>
  )
}
