import 'altcha/external'
import 'altcha/altcha.css'
import 'altcha/i18n/pt-br'
import './altcha-theme.css'
import type { AltchaWidgetElement } from 'altcha'
import Pbkdf2Worker from 'altcha/workers/pbkdf2?worker'
import { useEffect, useImperativeHandle, useRef } from 'react'
import { withTimeout } from '#contract/timing.ts'
import type { HumanWidgetProps } from './human-check-client.ts'

// The external build has no workers; the CSP requires this one to be a file of the portal.
$altcha.algorithms.set('PBKDF2/SHA-256', () => new Pbkdf2Worker())

type StateChange = CustomEvent<{ state: string; payload?: string }>

const FAILURE = 'Não foi possível fazer a verificação agora.'
/** Timeout (ms) of a solution when a form is sent; the server then explains what is missing. */
const SOLVE_TIMEOUT_MS = 20_000
/** Read once, when the element is created. */
const attributes = {
  challenge: '/api/auth/challenge',
  language: 'pt-br',
  type: 'checkbox',
  configuration: JSON.stringify({
    hideFooter: true,
    hideLogo: true,
    humanInteractionSignature: false,
    minDuration: 300,
  }),
}

/** The proof-of-work check. Starts by itself when its form gets the focus, without a click. */
export function AltchaWidget({ ref, onAnswer, onFailure }: HumanWidgetProps) {
  const element = useRef<AltchaWidgetElement>(null)
  const handlers = useRef({ onAnswer, onFailure })
  handlers.current = { onAnswer, onFailure }

  useImperativeHandle(
    ref,
    () => ({
      solve: () => solve(element.current),
      reset: () => reset(element.current),
    }),
    [],
  )
  useEffect(() => {
    const widget = element.current
    if (!widget) return
    const onStateChange = (event: Event) => {
      const { state, payload } = (event as StateChange).detail
      if (state === 'verified' && payload) handlers.current.onAnswer(payload)
      else if (state === 'error') {
        // Its own error bubble would cover the form; the message is shown below instead.
        widget.reset()
        handlers.current.onFailure(FAILURE)
      }
    }
    widget.addEventListener('statechange', onStateChange)
    const stopListening = startWithForm(widget)
    return () => {
      widget.removeEventListener('statechange', onStateChange)
      stopListening()
    }
  }, [])

  return <altcha-widget ref={element} {...attributes} />
}

const running = new WeakMap<AltchaWidgetElement, Promise<string | undefined>>()

/** Solves one challenge at a time: a second start, or a reset meanwhile, would abort the first. */
function solveOnce(widget: AltchaWidgetElement): Promise<string | undefined> {
  const current = running.get(widget)
  if (current) return current
  const isStartedByClick = widget.getState() === 'verifying'
  const answer = isStartedByClick ? waitForAnswer(widget) : widget.verify().then((result) => result?.payload)
  const done = answer.finally(() => running.delete(widget))
  running.set(widget, done)
  return done
}

/** Waits for the result of a verification started by a click. */
function waitForAnswer(widget: AltchaWidgetElement): Promise<string | undefined> {
  return new Promise((resolve) => {
    const onStateChange = (event: Event) => {
      const { state, payload } = (event as StateChange).detail
      if (state === 'verifying') return
      widget.removeEventListener('statechange', onStateChange)
      resolve(state === 'verified' ? payload : undefined)
    }
    widget.addEventListener('statechange', onStateChange)
  })
}

function solve(widget: AltchaWidgetElement | null): Promise<string | undefined> {
  if (!widget) return Promise.resolve(undefined)
  const isReady = typeof widget.verify === 'function'
  const ready = isReady || new Promise((resolve) => widget.addEventListener('load', resolve, { once: true }))
  const solved = Promise.resolve(ready).then(() => solveOnce(widget))
  return withTimeout(solved, SOLVE_TIMEOUT_MS, () => undefined)
}

function reset(widget: AltchaWidgetElement | null): void {
  const current = widget && running.get(widget)
  if (current) void current.then(() => widget.reset())
  else widget?.reset?.()
}

/** Starts solving when the form is focused or typed in, or already has the focus. */
function startWithForm(widget: AltchaWidgetElement): () => void {
  const form = widget.closest('form')
  const start = () => {
    const state = widget.getState?.()
    if (state === 'unverified' || state === 'expired') void solveOnce(widget)
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
