import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { Factor } from '#contract/factors.ts'
import { ApiError, sendRequest } from '#web/http/send-request.ts'
import { textLinkClasses } from '#web/ui/button.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import { FormAlert, type FormFailure } from '#web/ui/form-alert.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { toFormFailure } from '#web/ui/use-form.ts'
import { useSubmit } from '#web/ui/use-submit.ts'
import { getDeviceToken } from './device-token.ts'
import { listUsableFactors, proveFactor } from './second-step.ts'
import {
  broadcastAuthEvent,
  getSession,
  onAuthStateChange,
  type StoredSession,
  storeSession,
} from './session-store.ts'

let asking: Promise<string | undefined> | undefined
/** The access token of the last answer. */
let proven: string | undefined

/**
 * Asks for the password in a dialog over everything else, once for all requests that wait for it.
 * @param refused the session of the refused request
 * @returns the new access token; undefined if the person cancels or the session ends
 */
export async function reauthenticate(refused: StoredSession): Promise<string | undefined> {
  const current = getSession()
  if (current?.user.id !== refused.user.id) return undefined
  // Refused after another request of the same moment was answered.
  if (current.access_token === proven && refused.access_token !== proven) return proven
  asking ??= askForPassword().finally(() => {
    asking = undefined
  })
  return asking
}

async function askForPassword(): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  // A root of its own: the request may come from any screen, or from none.
  const place = document.body.appendChild(document.createElement('div'))
  const root = createRoot(place)
  const unsubscribe = onAuthStateChange((event) => {
    if (event === 'SIGNED_IN' || event === 'SIGNED_OUT') resolve(undefined)
  })
  // Back leaves the screen that asked.
  const onBack = () => resolve(undefined)
  window.addEventListener('popstate', onBack)
  root.render(
    <StrictMode>
      <PasswordDialog purpose={describeOpenDialog()} onEnd={resolve} />
    </StrictMode>,
  )
  try {
    return await promise
  } finally {
    unsubscribe()
    window.removeEventListener('popstate', onBack)
    root.unmount()
    place.remove()
  }
}

/** Returns title and description of the dialog that asked for it: what is done, and to whom. */
function describeOpenDialog(): string {
  const dialog = [...document.querySelectorAll('[role="dialog"]')].at(-1)
  const parts = ['aria-labelledby', 'aria-describedby'].map(
    (name) => document.getElementById(dialog?.getAttribute(name) ?? '')?.textContent,
  )
  return parts.filter(Boolean).join(' · ')
}

function listWays(): (Factor | undefined)[] {
  const session = getSession()
  const factors = session ? listUsableFactors(session) : []
  return [undefined, ...factors.filter(({ factor_type }) => factor_type !== 'recovery_code')]
}

interface PasswordDialogProps {
  /** What the person was about to do; may be empty. */
  purpose: string
  onEnd: (accessToken?: string) => void
}

function PasswordDialog({ purpose, onEnd }: PasswordDialogProps) {
  const [email] = useState(() => getSession()?.user.email ?? '')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<FormFailure>()
  // Undefined is the password; each factor of one's own does as well.
  const [ways] = useState(listWays)
  const [factor, setFactor] = useState<Factor>()
  const isPasskey = factor?.factor_type === 'webauthn'
  const choose = (way: Factor | undefined) => {
    setFactor(way)
    setPassword('')
    setError(undefined)
    setFailure(undefined)
  }
  const { submit, isBusy } = useSubmit({
    async send() {
      const body = factor
        ? await proveFactor(factor, password)
        : { password, device_token: getDeviceToken(email) }
      const { access_token, expires_in } = await sendRequest(
        'POST /api/auth/reauthenticate',
        { body },
        getSession()?.access_token,
      )
      const current = getSession()
      if (current?.user.email !== email) return onEnd()
      storeSession({ ...current, access_token, expires_in })
      broadcastAuthEvent('TOKEN_REFRESHED')
      proven = access_token
      onEnd(access_token)
    },
    onFailed(cause) {
      const isWrong =
        cause instanceof ApiError && ['invalid-credentials', 'factor-refused'].includes(cause.problem.code)
      if (isWrong && !isPasskey) setError(cause.message)
      else setFailure(isPasskey && cause instanceof Error ? { title: cause.message } : toFormFailure(cause))
    },
  })
  const confirm = () => {
    setFailure(undefined)
    if (password || isPasskey) void submit()
    else setError(factor ? 'Digite o código' : 'Digite sua senha')
  }
  return (
    <FormDialog
      title="Confirme que é você"
      description={
        <>
          {purpose && <span className="mb-2 block break-words font-medium text-ink">{purpose}</span>}
          Para proteger as contas, o portal pede de novo que você prove quem é antes de continuar. O que você
          preencheu continua aqui.
        </>
      }
      confirmLabel="Confirmar"
      isBusy={isBusy}
      hasChanges={password !== ''}
      onSubmit={confirm}
      onCancel={() => onEnd()}
    >
      {/* For password managers. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      {isPasskey ? (
        <p className="text-sm">O navegador vai pedir a impressão digital, o rosto ou o PIN do aparelho.</p>
      ) : (
        <TextField
          // Another field: what was typed as a password is no code.
          key={factor?.id}
          label={factor ? 'Código de 6 números' : 'Sua senha'}
          type={factor ? 'text' : 'password'}
          inputMode={factor && 'numeric'}
          autoComplete={factor ? 'one-time-code' : 'current-password'}
          value={password}
          error={error}
          hint={factor ? factor.friendly_name : email}
          onChange={({ target }) => {
            setError(undefined)
            setPassword(target.value)
          }}
        />
      )}
      <FormAlert failure={failure} />
      {ways.length > 1 && (
        <ul aria-label="Outras formas" className="space-y-1 text-sm">
          {ways.map((way) =>
            way === factor ? null : (
              <li key={way?.id ?? 'password'}>
                <button type="button" className={`py-1 ${textLinkClasses}`} onClick={() => choose(way)}>
                  {way ? `Usar ${way.friendly_name}` : 'Usar a senha'}
                </button>
              </li>
            ),
          )}
        </ul>
      )}
    </FormDialog>
  )
}
