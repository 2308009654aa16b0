import KeyRound from 'lucide-react/icons/key-round'
import Smartphone from 'lucide-react/icons/smartphone'
import { type ReactNode, useRef, useState } from 'react'
import type { FactorType } from '#contract/factors.ts'
import type { ReplyNamed } from '#contract/index.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { type Adopt, showCode, showPasskey } from '#web/session/second-step.ts'
import { getOwedStep, getSession, markUnseenCodes } from '#web/session/session-store.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { FormAlert, type FormFailure } from '#web/ui/form-alert.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { CodeField, toStepFailure } from './code-field.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Enrolled = ReplyNamed<'POST /api/auth/factors'>

/** Codes that were just created, and are shown this once. */
async function createFirstCodes(): Promise<string[] | undefined> {
  try {
    return (await callApi('POST /api/auth/factors/recovery-codes')).codes
  } catch (error) {
    // There are some already.
    if (error instanceof ApiError && error.problem.code === 'conflict') return undefined
    throw error
  }
}

interface FactorSetupProps {
  onDone: () => void
  /** From now on it shows codes that do not appear again. */
  onCodes?: () => void
}

/** Sets a factor up, in the second step of a sign-in or in 'Segurança', and shows the recovery codes. */
export function FactorSetup({ onDone, onCodes }: FactorSetupProps) {
  const [enrolled, setEnrolled] = useState<Enrolled>()
  const [failure, setFailure] = useState<FormFailure>()
  const [needsLink, setNeedsLink] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const adopt = useRef<Adopt>(undefined)
  const [type, setType] = useState<FactorType>()
  const { submit: enrol, isBusy } = useSubmit({
    send: (factor_type: FactorType) => {
      setFailure(undefined)
      setType(factor_type)
      return callApi('POST /api/auth/factors', { body: { factor_type } })
    },
    onDone(reply) {
      setNeedsLink(false)
      setEnrolled(reply)
    },
    onFailed(error) {
      const isLink = error instanceof ApiError && error.problem.code === 'factor-link-needed'
      setNeedsLink(isLink)
      if (!isLink) setFailure(toStepFailure(error))
    },
  })
  const leave = () => {
    markUnseenCodes()
    adopt.current?.()
    onDone()
  }
  const finish = async (raised: Adopt) => {
    adopt.current = raised
    const session = getSession()
    if (session && getOwedStep(session)) markUnseenCodes(session.user.id)
    void queryClient.invalidateQueries({ queryKey: ['own-factors'] })
    const created = await createFirstCodes().catch((error: unknown) => {
      const description = error instanceof Error ? error.message : ''
      showToast({ kind: 'error', title: 'Os códigos de recuperação não foram criados', description })
      return undefined
    })
    if (!created) return leave()
    setCodes(created)
    onCodes?.()
  }
  if (codes) return <RecoveryCodes codes={codes} onDone={leave} />
  if (needsLink)
    return (
      <LinkRequest
        isBusy={isBusy}
        onContinue={() => void enrol(type ?? 'totp')}
        onBack={() => setNeedsLink(false)}
      />
    )
  if (enrolled) return <Setup enrolled={enrolled} onBack={() => setEnrolled(undefined)} onDone={finish} />
  return (
    <div className="space-y-4">
      <Choice
        icon={<Smartphone aria-hidden="true" className="size-5" />}
        label="Aplicativo de códigos"
        isBusy={isBusy && type === 'totp'}
        onChoose={() => void enrol('totp')}
      >
        Google Authenticator, Microsoft Authenticator ou outro: mostra um código de 6 números no celular.
      </Choice>
      <Choice
        icon={<KeyRound aria-hidden="true" className="size-5" />}
        label="Chave de acesso"
        isBusy={isBusy && type === 'webauthn'}
        onChoose={() => void enrol('webauthn')}
      >
        A impressão digital, o rosto ou o PIN deste aparelho. Entra também sem a senha.
      </Choice>
      <FormAlert failure={failure} />
    </div>
  )
}

function Choice(props: {
  icon: ReactNode
  label: string
  isBusy: boolean
  onChoose: () => void
  children: string
}) {
  return (
    <button
      type="button"
      aria-busy={props.isBusy}
      onClick={props.onChoose}
      className="flex w-full items-start gap-3 rounded-lg border border-line-strong/50 bg-surface p-4 text-left hover:bg-subtle aria-busy:opacity-70"
    >
      <span className="mt-0.5 text-brand-ink">{props.icon}</span>
      <span className="min-w-0 text-sm">
        <span className="block font-medium">{props.label}</span>
        <span className="block text-muted">{props.children}</span>
      </span>
    </button>
  )
}

/** In a browser that the account does not know for long, the owner of the mailbox confirms first. */
function LinkRequest(props: { isBusy: boolean; onContinue: () => void; onBack: () => void }) {
  const [isSent, setIsSent] = useState(false)
  const [failure, setFailure] = useState<FormFailure>()
  const { submit, isBusy } = useSubmit({
    send: () => callApi('POST /api/auth/factors/link'),
    onDone: () => setIsSent(true),
    onFailed: (error) => setFailure(toStepFailure(error)),
  })
  return (
    <div className="space-y-4 text-sm">
      {isSent ? (
        <Alert kind="info" title="Enviamos um link para o seu e-mail">
          Abra-o neste mesmo navegador e volte aqui para continuar. Ele vale por 1 hora; confira também o
          spam.
        </Alert>
      ) : (
        <p>
          Você entrou há pouco neste navegador. Para que ninguém com a sua senha cadastre o próprio aparelho,
          confirme por e-mail que é você.
        </p>
      )}
      <FormAlert failure={failure} />
      <div className="flex flex-wrap gap-2">
        {isSent ? (
          <Button isBusy={props.isBusy} onClick={props.onContinue}>
            Já abri o link
          </Button>
        ) : (
          <Button isBusy={isBusy} onClick={() => void submit()}>
            Enviar link por e-mail
          </Button>
        )}
        <Button variant="secondary" onClick={props.onBack}>
          Voltar
        </Button>
      </div>
    </div>
  )
}

interface SetupProps {
  enrolled: Enrolled
  onBack: () => void
  onDone: (adopt: Adopt) => Promise<void>
}

/** Names what was just verified; it works without its name. */
async function nameFactor(passkeyId: string, name: string): Promise<void> {
  const friendly_name = name.trim()
  if (!friendly_name) return
  const wanted = { params: { passkeyId }, body: { friendly_name } }
  await callApi('PATCH /api/auth/passkeys/{passkeyId}', wanted).catch(() => {})
}

/** Verifies a code of the application, or creates the passkey, and names it. */
function Setup({ enrolled, onBack, onDone }: SetupProps) {
  const { id, totp } = enrolled
  const [code, setCode] = useState('')
  const [name, setName] = useState('')
  const [failure, setFailure] = useState<FormFailure>()
  const { submit, isBusy } = useSubmit({
    async send() {
      const adopt = await (totp ? showCode(id, code) : showPasskey(id))
      await nameFactor(id, name)
      return adopt
    },
    onDone,
    onFailed: (error) => setFailure(toStepFailure(error)),
  })
  return (
    <form
      noValidate
      aria-label={totp ? 'Aplicativo de códigos' : 'Chave de acesso'}
      className="space-y-4 text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        const isMissing = totp && !code.trim()
        setFailure(isMissing ? { title: 'Digite o código que o aplicativo mostra.' } : undefined)
        if (!isMissing) void submit()
      }}
    >
      {totp ? (
        <>
          <TotpSecret {...totp} />
          <CodeField value={code} onChange={setCode} />
        </>
      ) : (
        <p>O navegador vai pedir a impressão digital, o rosto ou o PIN do aparelho.</p>
      )}
      <TextField
        label="Nome (opcional)"
        hint="Para você reconhecer depois: Notebook, Celular…"
        maxLength={60}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <FormAlert failure={failure} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" isBusy={isBusy}>
          {totp ? 'Ativar' : 'Criar chave de acesso'}
        </Button>
        <Button variant="secondary" onClick={onBack}>
          Voltar
        </Button>
      </div>
    </form>
  )
}

function TotpSecret({ qr_code, secret, uri }: NonNullable<Enrolled['totp']>) {
  return (
    <>
      <p>
        <strong className="font-medium">1.</strong> No aplicativo de códigos do celular, leia esta imagem.
      </p>
      <div className="flex flex-wrap items-center gap-4">
        <img
          alt="Código QR para o aplicativo de códigos"
          width={176}
          height={176}
          src={`data:image/svg+xml;utf-8,${encodeURIComponent(qr_code)}`}
          className="rounded-lg border border-line bg-white p-1"
        />
        <div className="min-w-40 flex-1 space-y-1">
          <p className="text-muted">Não consegue ler? Digite esta chave no aplicativo:</p>
          <p className="break-words font-mono text-base tracking-wide">
            {secret.replaceAll(/(.{4})/g, '$1 ')}
          </p>
          <a href={uri} className={textLinkClasses}>
            Abrir no aplicativo deste aparelho
          </a>
        </div>
      </div>
      <p>
        <strong className="font-medium">2.</strong> Digite o código de 6 números que aparece nele.
      </p>
    </>
  )
}
