import { useEffect, useImperativeHandle, useRef } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import type { HumanWidgetProps } from './human-widget.ts'
import { loadRecaptcha, type Recaptcha } from './load-recaptcha.ts'

const BLOCKED =
  'A verificação do Google não abriu. Um bloqueador de anúncios ou a rede pode estar impedindo: libere www.google.com para este site.'
const UNREACHABLE = 'A verificação do Google perdeu a conexão.'

/** Google's checkbox, reCAPTCHA v2. */
export function RecaptchaWidget({ ref, onAnswer, onExpire, onFailure }: HumanWidgetProps) {
  const place = useRef<HTMLDivElement>(null)
  const rendered = useRef<{ recaptcha: Recaptcha; id: number }>(undefined)
  const handlers = useRef({ onAnswer, onExpire, onFailure })
  handlers.current = { onAnswer, onExpire, onFailure }

  const render = useRef(async () => {
    const { humanCheck } = portalSettings
    if (rendered.current || !place.current || humanCheck.kind !== 'recaptcha') return
    try {
      const recaptcha = await loadRecaptcha()
      if (rendered.current || !place.current) return
      // Google refuses an element that has held a widget before, as after StrictMode's trial unmount.
      const target = place.current.appendChild(document.createElement('div'))
      const id = recaptcha.render(target, {
        sitekey: humanCheck.siteKey,
        theme: wantedTheme(),
        callback: (answer) => handlers.current.onAnswer(answer),
        'expired-callback': () => handlers.current.onExpire(),
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

function wantedTheme(): 'light' | 'dark' {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
