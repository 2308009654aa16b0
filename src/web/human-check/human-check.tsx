import { type ComponentType, type Ref, useEffect, useImperativeHandle, useState } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import type { HumanWidget, HumanWidgetProps } from './human-widget.ts'
import { type HumanCheckResult, useHumanPass } from './use-human-pass.ts'

export interface HumanCheckHandle {
  /** Forgets the pass and shows the widget untouched, as after a failed sign-in. */
  reset: () => void
  /** A pass for the request about to be sent; waits for one under way, renews one that is too old. */
  freshPass: () => Promise<HumanCheckResult>
}

interface HumanCheckProps {
  /** The current pass, to be sent as 'captcha'; undefined when there is none any more. */
  onPass: (pass: string | undefined) => void
  ref?: Ref<HumanCheckHandle>
}

const isAltcha = portalSettings.humanCheck.kind === 'altcha'
const loadAltcha = () => import('./altcha-widget.tsx').then((module) => module.AltchaWidget)
const loadRecaptcha = () => import('./recaptcha-widget.tsx').then((module) => module.RecaptchaWidget)
// Two functions on purpose: of two imports in one expression Vite forgets the style sheet of the first.
const loadWidget: () => Promise<ComponentType<HumanWidgetProps>> = isAltcha ? loadAltcha : loadRecaptcha
const LOAD_FAILED = 'Não foi possível carregar a verificação. Confira sua conexão.'

/**
 * The human verification of a form: ALTCHA works by itself once the form is used, reCAPTCHA asks for a
 * click. Its answer is traded for a pass at once (SPEC section 7, verify-recaptcha).
 */
export function HumanCheck({ onPass, ref }: HumanCheckProps) {
  const { keeper, widget } = useHumanPass(onPass)
  const { Widget, failure, setFailure, retry } = useWidget()
  useImperativeHandle(ref, () => ({ reset: keeper.reset, freshPass: keeper.freshPass }), [keeper])
  return (
    <div className="space-y-2">
      {/* The widget's own height is kept free while it loads, so that nothing jumps. */}
      <div className={isAltcha ? 'min-h-12' : 'min-h-20'}>
        {Widget ? (
          <Widget
            ref={(instance) => {
              widget.current = instance
            }}
            onAnswer={(answer) => {
              setFailure(undefined)
              void keeper.receiveAnswer(answer)
            }}
            onExpire={() => onPass(undefined)}
            onFailure={setFailure}
          />
        ) : (
          <Skeleton className={isAltcha ? 'h-12 rounded-lg' : 'h-[4.875rem] w-[19rem] max-w-full'} />
        )}
      </div>
      {failure && (
        <div role="alert" className="flex flex-wrap items-center justify-between gap-2 text-danger text-sm">
          <span className="min-w-0 flex-1">{failure}</span>
          <Button variant="secondary" onClick={() => retry(widget.current)}>
            Tentar novamente
          </Button>
        </div>
      )}
    </div>
  )
}

/** Loads the widget's own chunk after the form has been painted. */
function useWidget() {
  const [Widget, setWidget] = useState<ComponentType<HumanWidgetProps>>()
  const [failure, setFailure] = useState<string>()
  const load = () => {
    setFailure(undefined)
    loadWidget().then(
      (component) => setWidget(() => component),
      () => setFailure(LOAD_FAILED),
    )
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, after the first paint
  useEffect(() => {
    const timer = setTimeout(load)
    return () => clearTimeout(timer)
  }, [])
  const retry = (instance: HumanWidget | null) => {
    if (!instance) return load()
    setFailure(undefined)
    void instance.solve()
  }
  return { Widget, failure, setFailure, retry }
}
