import { type ComponentType, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { loadChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import {
  createHumanCheckClient,
  type HumanCheckClient,
  type HumanWidget,
  type HumanWidgetProps,
} from './human-check-client.ts'

const loadAltcha = () => import('./altcha-widget.tsx').then((module) => module.AltchaWidget)
const loadRecaptcha = () => import('./recaptcha-widget.tsx').then((module) => module.RecaptchaWidget)
// Two functions on purpose: with both imports in one expression Vite drops the first style sheet.
const loadWidget = (): Promise<ComponentType<HumanWidgetProps>> =>
  portalSettings.humanCheck.kind === 'altcha' ? loadAltcha() : loadRecaptcha()
/** Worded differently from the specified toasts, next to which they appear. */
const UNSOLVED = 'Falta confirmar que você é uma pessoa.'
const REFUSED = 'A verificação não foi aceita.'
const LOAD_FAILED = 'Não foi possível carregar a verificação. Confira sua conexão.'

/**
 * The human check of a form: ALTCHA solves by itself once the form is used, reCAPTCHA needs
 * a click. Its answer is exchanged for a pass at once; the form requests the pass on submit.
 */
export function HumanCheck({ ref }: { ref: Ref<HumanCheckClient> }) {
  const isAltcha = portalSettings.humanCheck.kind === 'altcha'
  const widget = useRef<HumanWidget>(null)
  const [client] = useState(() => createHumanCheckClient(() => widget.current))
  const { Widget, loading, failure, setFailure, retry } = useWidget()
  useEffect(() => {
    if (!failure) return
    const again = () => retry(widget.current)
    window.addEventListener('online', again)
    return () => window.removeEventListener('online', again)
  })
  useImperativeHandle(
    ref,
    () => ({
      ...client,
      async getPass() {
        // On slow connections the button is usable long before the widget has loaded.
        await loading.current
        const result = await client.getPass()
        if (result.kind === 'unsolved') setFailure((known) => known ?? UNSOLVED)
        return result
      },
    }),
    [client, loading, setFailure],
  )
  return (
    <div className="space-y-2">
      {/* Reserves the widget's height while it loads, so that nothing shifts. */}
      <div className={isAltcha ? 'min-h-12' : 'min-h-20'}>
        {Widget ? (
          <Widget
            ref={(instance) => {
              widget.current = instance
            }}
            onAnswer={(answer) => {
              setFailure(undefined)
              void client.receiveAnswer(answer).then(({ kind }) => kind === 'failed' && setFailure(REFUSED))
            }}
            onFailure={setFailure}
          />
        ) : (
          <Skeleton className={isAltcha ? 'h-12 rounded-lg' : 'h-[4.875rem] w-[19rem] max-w-full'} />
        )}
      </div>
      {failure && (
        <div role="status" className="flex flex-wrap items-center justify-between gap-2 text-danger text-sm">
          <span className="min-w-0 flex-1">{failure}</span>
          <Button variant="secondary" onClick={() => retry(widget.current)}>
            Tentar novamente
          </Button>
        </div>
      )}
    </div>
  )
}

function useWidget() {
  const [Widget, setWidget] = useState<ComponentType<HumanWidgetProps>>()
  const [failure, setFailure] = useState<string>()
  /** Resolves once the widget has loaded or failed to. */
  const loading = useRef<Promise<void>>(undefined)
  const load = () => {
    setFailure(undefined)
    // After the first paint.
    loading.current = new Promise((resolve) => setTimeout(resolve))
      .then(() => loadChunk(loadWidget))
      .then(
        (component) => flushSync(() => setWidget(() => component)),
        () => setFailure(LOAD_FAILED),
      )
  }
  useEffect(load, [])
  const retry = (instance: HumanWidget | null) => {
    if (!instance) return load()
    setFailure(undefined)
    void instance.solve()
  }
  return { Widget, loading, failure, setFailure, retry }
}
