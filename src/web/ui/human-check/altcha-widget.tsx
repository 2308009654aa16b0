import 'altcha/external'
import 'altcha/altcha.css'
import 'altcha/i18n/pt-br'
import './altcha-theme.css'
import type { AltchaWidgetElement } from 'altcha'
import Pbkdf2Worker from 'altcha/workers/pbkdf2?worker'
import { useEffect, useImperativeHandle, useRef } from 'react'
import { pathWith } from '#contract/route.ts'
import { signInRoutes } from '#contract/sign-in.ts'
import type { HumanWidgetProps } from './human-widget.ts'

// The external build brings no workers of its own; this one is a file of the portal, as its CSP asks.
$altcha.algorithms.set('PBKDF2/SHA-256', () => new Pbkdf2Worker())

const FAILURE = 'Não foi possível fazer a verificação agora.'
/** Longest wait (ms) for an answer when a form is sent: the server then says what is missing. */
const SOLVE_TIMEOUT_MS = 20_000
/** Read once, when the element is made. */
const attributes = {
  challenge: pathWith(signInRoutes.readChallenge),
  language: 'pt-br',
  type: 'checkbox',
  configuration: JSON.stringify({
    hideFooter: true,
    hideLogo: true,
    humanInteractionSignature: false,
    minDuration: 300,
  }),
}

/** The proof-of-work check. It starts by itself when its form gets the focus; nobody has to click. */
export function AltchaWidget({ ref, onAnswer, onExpire, onFailure }: HumanWidgetProps) {
  const element = useRef<AltchaWidgetElement>(null)
  const handlers = useRef({ onAnswer, onExpire, onFailure })
  handlers.current = { onAnswer, onExpire, onFailure }

  useImperativeHandle(
    ref,
    () => ({
      solve: () => solve(element.current),
      reset: () => element.current?.reset?.(),
    }),
    [],
  )
  useEffect(() => {
    const widget = element.current
    if (!widget) return
    const follow = (event: Event) => {
      const { state, payload } = (event as CustomEvent<{ state: string; payload?: string }>).detail
      if (state === 'verified' && payload) handlers.current.onAnswer(payload)
      else if (state === 'expired') handlers.current.onExpire()
      else if (state === 'error') {
        // Its own error bubble is in the way of the form; the message stands below instead.
        widget.reset()
        handlers.current.onFailure(FAILURE)
      }
    }
    widget.addEventListener('statechange', follow)
    const stopStarting = startWithForm(widget)
    return () => {
      widget.removeEventListener('statechange', follow)
      stopStarting()
    }
  }, [])

  return <altcha-widget ref={element} {...attributes} />
}

/** Starts solving when the form is used: focused, typed in, or focused already. */
function startWithForm(widget: AltchaWidgetElement): () => void {
  const form = widget.closest('form')
  const start = () => {
    const state = widget.getState?.()
    if (state === 'unverified' || state === 'expired') void widget.verify()
  }
  const startIfFocused = () => {
    if (form?.contains(document.activeElement)) start()
  }
  if (typeof widget.getState === 'function') queueMicrotask(startIfFocused)
  widget.addEventListener('load', startIfFocused)
  form?.addEventListener('focusin', start)
  form?.addEventListener('input', start)
  return () => {
    widget.removeEventListener('load', startIfFocused)
    form?.removeEventListener('focusin', start)
    form?.removeEventListener('input', start)
  }
}

function solve(widget: AltchaWidgetElement | null): Promise<string | undefined> {
  if (typeof widget?.verify !== 'function') return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(undefined), SOLVE_TIMEOUT_MS)
    const follow = (event: Event) => {
      const { state, payload } = (event as CustomEvent<{ state: string; payload?: string }>).detail
      if (state !== 'verifying') settle(state === 'verified' ? payload : undefined)
    }
    const settle = (answer: string | undefined) => {
      clearTimeout(timer)
      widget.removeEventListener('statechange', follow)
      resolve(answer)
    }
    widget.addEventListener('statechange', follow)
    if (widget.getState() !== 'verifying') void widget.verify()
  })
}
