import 'altcha/external'
import 'altcha/altcha.css'
import 'altcha/i18n/pt-br'
import './altcha-theme.css'
import type { AltchaWidgetElement } from 'altcha'
import Pbkdf2Worker from 'altcha/workers/pbkdf2?worker'
import { useEffect, useImperativeHandle, useRef } from 'react'
import type { HumanWidgetProps } from './human-pass.ts'

// The external build brings no workers of its own; this one is a file of the portal, as its CSP asks.
$altcha.algorithms.set('PBKDF2/SHA-256', () => new Pbkdf2Worker())

type StateChange = CustomEvent<{ state: string; payload?: string }>

const FAILURE = 'Não foi possível fazer a verificação agora.'
/** Longest wait (ms) for an answer when a form is sent: the server then says what is missing. */
const SOLVE_TIMEOUT_MS = 20_000
/** Read once, when the element is made. */
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

/** The proof-of-work check. It starts by itself when its form gets the focus; no click is needed. */
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
    const follow = (event: Event) => {
      const { state, payload } = (event as StateChange).detail
      if (state === 'verified' && payload) handlers.current.onAnswer(payload)
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

const running = new WeakMap<AltchaWidgetElement, Promise<string | undefined>>()

/** Solves a challenge, one at a time: a second start, or a reset in between, would break the first one off. */
function run(widget: AltchaWidgetElement): Promise<string | undefined> {
  const current = running.get(widget)
  if (current) return current
  const isStartedByClick = widget.getState() === 'verifying'
  const answer = isStartedByClick ? nextAnswer(widget) : widget.verify().then((result) => result?.payload)
  const done = answer.finally(() => running.delete(widget))
  running.set(widget, done)
  return done
}

/** What a click on the widget itself has set going. */
function nextAnswer(widget: AltchaWidgetElement): Promise<string | undefined> {
  return new Promise((resolve) => {
    const follow = (event: Event) => {
      const { state, payload } = (event as StateChange).detail
      if (state === 'verifying') return
      widget.removeEventListener('statechange', follow)
      resolve(state === 'verified' ? payload : undefined)
    }
    widget.addEventListener('statechange', follow)
  })
}

function solve(widget: AltchaWidgetElement | null): Promise<string | undefined> {
  if (!widget) return Promise.resolve(undefined)
  const isReady = typeof widget.verify === 'function'
  const ready = isReady || new Promise((resolve) => widget.addEventListener('load', resolve, { once: true }))
  const patience = new Promise<undefined>((resolve) => setTimeout(resolve, SOLVE_TIMEOUT_MS, undefined))
  return Promise.race([Promise.resolve(ready).then(() => run(widget)), patience])
}

function reset(widget: AltchaWidgetElement | null): void {
  const current = widget && running.get(widget)
  if (current) void current.then(() => widget.reset())
  else widget?.reset?.()
}

/** Starts solving when the form is used: focused, typed in, or focused already. */
function startWithForm(widget: AltchaWidgetElement): () => void {
  const form = widget.closest('form')
  const start = () => {
    const state = widget.getState?.()
    if (state === 'unverified' || state === 'expired') void run(widget)
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
