import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { AmrEntry, Factor } from '#contract/factors.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { ApiError, sendRequest } from '#web/http/send-request.ts'
import { textLinkClasses } from '#web/ui/button.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import { FormAlert, type FormFailure } from '#web/ui/form-alert.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { toFormFailure } from '#web/ui/use-form.ts'
import { useSubmit } from '#web/ui/use-submit.ts'
import { getDeviceToken } from './device-token.ts'
import { drawMark } from './microsoft-mark.ts'
import { listUsableFactors, proveFactor } from './second-step.ts'
import { adoptRenewal, getSession, onAuthStateChange, type StoredSession } from './session-store.ts'

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
  try {
    const purpose = describeOpenDialog()
    const ways = await listWays()
    root.render(
      <StrictMode>
        <ProofDialog purpose={purpose} ways={ways} onEnd={resolve} />
      </StrictMode>,
    )
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

type Way = Factor | 'password' | 'microsoft'

const getLabel = (way: Way) =>
  way === 'password' ? (
    'Usar a senha'
  ) : way === 'microsoft' ? (
    'Usar a conta Microsoft'
  ) : (
    <>
      Usar <bdi>{way.friendly_name}</bdi>
    </>
  )

/** Lists the ways of this person; the first is offered. */
async function listWays(): Promise<Way[]> {
  const session = getSession()
  const factors = session ? listUsableFactors(session) : []
  const usable = factors.filter(({ factor_type }) => factor_type !== 'recovery_code')
  if (portalSettings.signIn === 'password') return ['password', ...usable]
  const own = await sendRequest('GET /api/auth/microsoft', {}, session?.access_token).catch(() => undefined)
  // Before a required second step is set up, only the server knows.
  const hasPassword = own?.has_password ?? portalSettings.signIn !== 'microsoft'
  const isLinked = own?.email !== null
  return [
    ...(hasPassword || !isLinked ? (['password'] as const) : []),
    ...(isLinked ? (['microsoft'] as const) : []),
    ...usable,
  ]
}

/** When the person of an access token last proved who they are, in seconds. */
function readProofTime(accessToken: string | undefined): number {
  try {
    const payload = accessToken?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    const { amr = [] } = JSON.parse(atob(payload)) as { amr?: AmrEntry[] }
    return Math.max(0, ...amr.map(({ timestamp }) => timestamp))
  } catch {
    return 0
  }
}

/** Opens Microsoft in another window, so that the form stays. @throws Error if the browser refuses */
async function openMicrosoft(): Promise<void> {
  // At once: a browser opens no window later than the press.
  const opened = window.open('', '_blank')
  if (!opened)
    throw new Error(
      'O navegador bloqueou a janela da Microsoft. Permita janelas deste endereço e tente de novo.',
    )
  try {
    const query = { mark_hash: await drawMark() }
    const token = getSession()?.access_token
    const { location } = await sendRequest('GET /api/auth/microsoft/renewal', { query }, token)
    opened.location.assign(location)
  } catch (error) {
    opened.close()
    throw error
  }
}

interface ProofDialogProps {
  /** What the person was about to do; may be empty. */
  purpose: string
  ways: Way[]
  onEnd: (accessToken?: string) => void
}

function ProofDialog({ purpose, ways, onEnd }: ProofDialogProps) {
  const [email] = useState(() => getSession()?.user.email ?? '')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<FormFailure>()
  const [way, setWay] = useState(ways[0] ?? 'password')
  const [isAway, setIsAway] = useState(false)
  const factor = typeof way === 'string' ? undefined : way
  const isTyped = way === 'password' || factor?.factor_type === 'totp'
  const choose = (chosen: Way) => {
    setWay(chosen)
    setPassword('')
    setError(undefined)
    setFailure(undefined)
  }
  const end = (accessToken: string) => {
    proven = accessToken
    onEnd(accessToken)
  }
  useEffect(() => {
    if (!isAway) return
    // The other window stores the new token; an ordinary refresh proves nothing.
    const before = readProofTime(getSession()?.access_token)
    return onAuthStateChange(() => {
      const token = getSession()?.access_token
      if (token && readProofTime(token) > before) end(token)
    })
  })
  const { submit, isBusy } = useSubmit({
    async send() {
      if (way === 'microsoft') {
        setIsAway(true)
        return openMicrosoft()
      }
      const body = factor
        ? await proveFactor(factor, password)
        : { password, device_token: getDeviceToken(email) }
      const renewed = await sendRequest('POST /api/auth/reauthenticate', { body }, getSession()?.access_token)
      if (getSession()?.user.email !== email) return onEnd()
      adoptRenewal(renewed)
      end(renewed.access_token)
    },
    onFailed(cause) {
      setIsAway(false)
      const isWrong =
        cause instanceof ApiError && ['invalid-credentials', 'factor-refused'].includes(cause.problem.code)
      if (isWrong && isTyped) setError(cause.message)
      else setFailure(!isTyped && cause instanceof Error ? { title: cause.message } : toFormFailure(cause))
    },
  })
  const confirm = () => {
    setFailure(undefined)
    if (password || !isTyped) void submit()
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
      confirmLabel={way === 'microsoft' ? 'Confirmar com Microsoft' : 'Confirmar'}
      isBusy={isBusy}
      hasChanges={password !== ''}
      onSubmit={confirm}
      onCancel={() => onEnd()}
    >
      {/* For password managers. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      {isTyped ? (
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
      ) : (
        <p role="status" className="text-sm">
          {factor
            ? 'O navegador vai pedir a impressão digital, o rosto ou o PIN do aparelho.'
            : isAway
              ? 'Entre na Microsoft na janela que se abriu. Depois disso, esta continua sozinha.'
              : 'A Microsoft abre em outra janela e pede que você entre de novo.'}
        </p>
      )}
      <FormAlert failure={failure} />
      {ways.length > 1 && (
        <ul aria-label="Outras formas" className="space-y-1 text-sm">
          {ways.map((other) =>
            other === way ? null : (
              <li key={typeof other === 'string' ? other : other.id}>
                <button type="button" className={`py-1 ${textLinkClasses}`} onClick={() => choose(other)}>
                  {getLabel(other)}
                </button>
              </li>
            ),
          )}
        </ul>
      )}
    </FormDialog>
  )
}
