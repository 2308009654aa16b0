import { useMemo, useRef } from 'react'
import { accountRoutes, signInMessages } from '#contract/accounts.ts'
import { callApi } from '#web/http/api.ts'
import { logWarning } from '#web/http/log.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { HumanWidget } from './human-widget.ts'

/** A pass lives two minutes; one older than this (ms) might die on its way. */
const FRESH_MS = 100_000

/** How the human check stands when a form is sent. 'failed' has been told to the person already. */
export type HumanCheckResult =
  | { kind: 'passed'; pass: string | undefined }
  | { kind: 'unsolved' }
  | { kind: 'failed' }

/** Trades answers of a widget for passes, each answer once, and keeps the latest pass. */
export function createPassKeeper(
  getWidget: () => HumanWidget | null,
  onPass: (pass: string | undefined) => void,
  now: () => number = () => Date.now(),
) {
  let latest: { answer: string; at: number; result: Promise<HumanCheckResult> } | undefined

  const reset = () => {
    latest = undefined
    getWidget()?.reset()
    onPass(undefined)
  }
  const receiveAnswer = (answer: string): Promise<HumanCheckResult> => {
    if (latest?.answer === answer) return latest.result
    const result = tradeForPass(answer).then((outcome) => {
      if (latest?.answer !== answer) return outcome
      if (outcome.kind === 'passed') onPass(outcome.pass)
      else reset()
      return outcome
    })
    latest = { answer, at: now(), result }
    return result
  }
  /** A pass that is good for the request about to be sent; gets a new one when the last one is too old. */
  const freshPass = async (): Promise<HumanCheckResult> => {
    if (latest && now() - latest.at < FRESH_MS) return latest.result
    if (latest) reset()
    const answer = await getWidget()?.solve()
    return answer === undefined ? { kind: 'unsolved' } : receiveAnswer(answer)
  }
  return { reset, receiveAnswer, freshPass }
}

async function tradeForPass(answer: string): Promise<HumanCheckResult> {
  try {
    const { success, pass } = await callApi(accountRoutes.verifyRecaptcha, { body: { token: answer } })
    if (success) return { kind: 'passed', pass }
    showToast({ kind: 'error', title: signInMessages.humanCheckFailed })
  } catch (error) {
    logWarning('The human check could not be verified', error)
    const description = error instanceof Error ? error.message : ''
    const isRepetition = description === signInMessages.humanCheckFailed
    showToast({
      kind: 'error',
      title: signInMessages.humanCheckFailed,
      ...(!isRepetition && description && { description }),
    })
  }
  return { kind: 'failed' }
}

/** A pass keeper that lives as long as its component and always calls the latest onPass. */
export function useHumanPass(onPass: (pass: string | undefined) => void) {
  const widget = useRef<HumanWidget>(null)
  const latestOnPass = useRef(onPass)
  latestOnPass.current = onPass
  const keeper = useMemo(
    () =>
      createPassKeeper(
        () => widget.current,
        (pass) => latestOnPass.current(pass),
      ),
    [],
  )
  return { keeper, widget }
}
