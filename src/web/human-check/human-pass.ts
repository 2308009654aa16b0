import type { RefCallback } from 'react'
import { signInMessages } from '#contract/accounts.ts'
import { ApiError, callPublic } from '#web/http/api.ts'
import { showToast } from '#web/ui/toast.tsx'

/** A pass lives two minutes; one older than this (ms) might die on its way. */
const FRESH_MS = 100_000

/** What both human-verification widgets can be asked for. */
export interface HumanWidget {
  /**
   * Gets an answer: waits for one under way, or starts where no person is needed.
   * @returns undefined when there is none, because it failed or waits for the person
   */
  solve: () => Promise<string | undefined>
  /** Forgets the answer and shows the widget untouched. */
  reset: () => void
}

export interface HumanWidgetProps {
  /** Receives the widget when it is ready, null when it goes. */
  ref: RefCallback<HumanWidget>
  onAnswer: (answer: string) => void
  /** The widget could not do its work; the message says so in plain Portuguese. */
  onFailure: (message: string) => void
}

/** How the human check stands when a form is sent. 'failed' has been told to the person already. */
type HumanCheckResult =
  | {
      kind: 'passed'
      /** Or the answer itself, where passes are refused to this place for the moment. */
      pass: string | undefined
    }
  | { kind: 'unsolved' }
  | { kind: 'failed' }

export interface PassKeeper {
  /** Forgets the pass and shows the widget untouched, as after a failed sign-in. */
  reset: () => void
  /** A pass for the request about to be sent; waits for one under way, renews one that is too old. */
  freshPass: () => Promise<HumanCheckResult>
  receiveAnswer: (answer: string) => Promise<HumanCheckResult>
}

/** Trades answers of a widget for passes, each answer once, and keeps the latest pass. */
export function createPassKeeper(
  getWidget: () => HumanWidget | null,
  now: () => number = () => Date.now(),
): PassKeeper {
  let latest: { answer: string; at: number; result: Promise<HumanCheckResult> } | undefined

  const reset = () => {
    latest = undefined
    getWidget()?.reset()
  }
  const receiveAnswer = (answer: string): Promise<HumanCheckResult> => {
    if (latest?.answer === answer) return latest.result
    const result = tradeForPass(answer).then((outcome) => {
      if (latest?.answer === answer && outcome.kind !== 'passed') reset()
      return outcome
    })
    latest = { answer, at: now(), result }
    return result
  }
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
    const { success, pass } = await callPublic('POST /api/functions/verify-recaptcha', {
      body: { token: answer },
    })
    if (success) return { kind: 'passed', pass }
    showToast({ kind: 'error', title: signInMessages.humanCheckFailed })
  } catch (error) {
    // Others at this place failed too often. What the form goes to judges the answer itself, of a known browser apart.
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

/** A pass where nothing is sent without one; false when there is none, and the person has been told. */
export async function requirePass(check: PassKeeper | null): Promise<string | undefined | false> {
  const result = await check?.freshPass()
  if (result?.kind === 'passed') return result.pass
  if (result?.kind !== 'failed') showToast({ kind: 'error', title: signInMessages.humanCheckRequired })
  return false
}
