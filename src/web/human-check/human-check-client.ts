import type { RefCallback } from 'react'
import { signInMessages } from '#contract/account-forms.ts'
import { ApiError, callPublic } from '#web/http/api.ts'
import { showToast } from '#web/ui/toast.tsx'

/** A pass lives two minutes; an older one (ms) may expire in transit. */
const MAX_PASS_AGE_MS = 100_000

/** The interface of both widgets, ALTCHA and reCAPTCHA. */
export interface HumanWidget {
  /**
   * Waits for an answer in progress, or starts solving where that needs no person.
   * @returns undefined when solving failed or waits for the person
   */
  solve: () => Promise<string | undefined>
  /** Clears the answer and resets the widget. */
  reset: () => void
}

export interface HumanWidgetProps {
  /** Receives the widget when it is ready, null when it unmounts. */
  ref: RefCallback<HumanWidget>
  onAnswer: (answer: string) => void
  /** Called when the widget fails, with a Portuguese message to show. */
  onFailure: (message: string) => void
}

/** The result of the check when a form is sent. 'failed' has already been shown as a toast. */
type HumanCheckResult =
  | {
      kind: 'passed'
      /** Or the answer itself, while the exchange is rate limited for this network. */
      pass: string | undefined
    }
  | { kind: 'unsolved' }
  | { kind: 'failed' }

export interface HumanCheckClient {
  /** Clears the pass and resets the widget, as after a failed sign-in. */
  reset: () => void
  /** Returns a pass for the next request; waits for one in progress, renews one that is too old. */
  getPass: () => Promise<HumanCheckResult>
  receiveAnswer: (answer: string) => Promise<HumanCheckResult>
}

/** Creates a client that exchanges each answer of a widget for a pass once and keeps the latest one. */
export function createHumanCheckClient(
  getWidget: () => HumanWidget | null,
  now: () => number = () => Date.now(),
): HumanCheckClient {
  let latest: { answer: string; at: number; result: Promise<HumanCheckResult> } | undefined

  const reset = () => {
    latest = undefined
    getWidget()?.reset()
  }
  const receiveAnswer = (answer: string): Promise<HumanCheckResult> => {
    if (latest?.answer === answer) return latest.result
    const result = exchangeForPass(answer).then((outcome) => {
      if (latest?.answer === answer && outcome.kind !== 'passed') reset()
      return outcome
    })
    latest = { answer, at: now(), result }
    return result
  }
  const getPass = async (): Promise<HumanCheckResult> => {
    if (latest && now() - latest.at < MAX_PASS_AGE_MS) return latest.result
    if (latest) reset()
    const answer = await getWidget()?.solve()
    return answer === undefined ? { kind: 'unsolved' } : receiveAnswer(answer)
  }
  return { reset, receiveAnswer, getPass }
}

async function exchangeForPass(answer: string): Promise<HumanCheckResult> {
  try {
    const { success, pass } = await callPublic('POST /api/functions/verify-recaptcha', {
      body: { token: answer },
    })
    if (success) return { kind: 'passed', pass }
    showToast({ kind: 'error', title: signInMessages.humanCheckFailed })
  } catch (error) {
    // Others used up this network's quota; the form's route verifies the answer, known browsers apart.
    if (error instanceof ApiError && error.status === 429) return { kind: 'passed', pass: answer }
    console.warn('The human check could not be verified', error)
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

/** Returns a pass; false without one, after a toast. */
export async function requirePass(check: HumanCheckClient | null): Promise<string | undefined | false> {
  const result = await check?.getPass()
  if (result?.kind === 'passed') return result.pass
  if (result?.kind !== 'failed') showToast({ kind: 'error', title: signInMessages.humanCheckRequired })
  return false
}
