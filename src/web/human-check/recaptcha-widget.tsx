import { useEffect, useImperativeHandle, useRef } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import type { HumanWidgetProps } from './human-check-client.ts'

const BLOCKED =
  'A verificação do Google não abriu. Um bloqueador de anúncios ou a rede pode estar impedindo: libere www.google.com para este site.'
const UNREACHABLE = 'A verificação do Google perdeu a conexão.'

export function RecaptchaWidget({ ref, onAnswer, onFailure }: HumanWidgetProps) {
  const place = useRef<HTMLDivElement>(null)
  const rendered = useRef<{ recaptcha: Recaptcha; id: number }>(undefined)
  const handlers = useRef({ onAnswer, onFailure })
  handlers.current = { onAnswer, onFailure }

  const render = useRef(async () => {
    const { humanCheck } = portalSettings
    if (rendered.current || !place.current || humanCheck.kind !== 'recaptcha') return
    try {
      const recaptcha = await loadRecaptcha()
      if (rendered.current || !place.current) return
      // Google rejects an element used before, as after StrictMode's simulated unmount.
      const target = place.current.appendChild(document.createElement('div'))
      const id = recaptcha.render(target, {
        sitekey: humanCheck.siteKey,
        theme: getTheme(),
        callback: (answer) => handlers.current.onAnswer(answer),
        'error-callback': () => handlers.current.onFailure(UNREACHABLE),
      })
      rendered.current = { recaptcha, id }
    } catch {
      handlers.current.onFailure(BLOCKED)
    }
  })
  useEffect(() => {
    void render.current()
  }, [])
  useImperativeHandle(
    ref,
    () => ({
      solve: async () => {
        if (!rendered.current) await render.current()
        return rendered.current?.recaptcha.getResponse(rendered.current.id) || undefined
      },
      reset: () => rendered.current?.recaptcha.reset(rendered.current.id),
    }),
    [],
  )
  return <div ref={place} className="min-h-[4.875rem]" />
}

function getTheme(): 'light' | 'dark' {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** The used part of Google's API: https://developers.google.com/recaptcha/docs/display */
interface Recaptcha {
  ready: (callback: () => void) => void
  render: (
    element: HTMLElement,
    options: {
      sitekey: string
      theme: 'light' | 'dark'
      callback: (answer: string) => void
      'error-callback': () => void
    },
  ) => number
  getResponse: (id: number) => string
  reset: (id: number) => void
}

const SCRIPT = 'https://www.google.com/recaptcha/api.js?render=explicit&hl=pt-BR'
/** Timeout (ms): a blocker may drop the script without an error. */
const TIMEOUT_MS = 15_000

let loading: Promise<Recaptcha> | undefined

/**
 * Loads Google's script once; a failed load can be retried.
 * @throws Error when it is blocked or times out
 */
function loadRecaptcha(): Promise<Recaptcha> {
  const script = document.createElement('script')
  loading ??= new Promise<Recaptcha>((resolve, reject) => {
    const fail = () => reject(new Error('reCAPTCHA did not load'))
    setTimeout(fail, TIMEOUT_MS)
    script.src = SCRIPT
    script.async = true
    script.onerror = fail
    script.onload = () => {
      const { grecaptcha } = globalThis as { grecaptcha?: Recaptcha }
      grecaptcha?.ready(() => resolve(grecaptcha))
    }
    document.head.append(script)
  }).catch((error: unknown) => {
    script.remove()
    loading = undefined
    throw error
  })
  return loading
}
