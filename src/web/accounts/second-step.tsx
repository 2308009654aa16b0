import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { signInMessages } from '#contract/accounts.ts'
import type { Factor } from '#contract/factors.ts'
import { sessionMessages } from '#contract/messages.ts'
import { NetworkError, onReauthenticationNeeded } from '#web/http/api.ts'
import { listUsableFactors, showCode, showPasskey, showRecoveryCode } from '#web/session/second-step.ts'
import { signOut, useSession } from '#web/session/session.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { FormAlert, type FormFailure } from '#web/ui/form-alert.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { CodeField, toStepFailure } from './code-field.tsx'
import { FactorSetup } from './factor-setup.tsx'

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
  const isSettingUp = session?.user.app_metadata.second_factor === 'set-up'
  const finish = async () => {
    showToast({ kind: 'success', title: signInMessages.succeeded })
    await router.invalidate()
  }
  if (!session) return null
  return (
    <div className="space-y-5">
      {isSettingUp ? (
        <FactorSetup onDone={() => void finish()} />
      ) : (
        <ShowFactor factors={listUsableFactors(session)} onDone={() => void finish()} />
      )}
      <LeaveButton />
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
    <Button variant="ghost" isBusy={isBusy} onClick={() => void submit()} className="w-full">
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
  totp: ({ friendly_name }: Factor) => `Usar um código: ${friendly_name}`,
  webauthn: ({ friendly_name }: Factor) => `Usar a chave de acesso: ${friendly_name}`,
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
