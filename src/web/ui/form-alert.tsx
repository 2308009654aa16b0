import { useEffect, useRef, useState } from 'react'
import { Alert } from './alert.tsx'
import { useSecondsLeft, writeTimeLeft } from './use-seconds-left.ts'

/** Why a form could not be sent, or that it can be again. */
export interface FormFailure {
  title: string
  text?: string
  /** Milliseconds since the epoch: before then it cannot be sent again. */
  until?: number
  isOffline?: boolean
  /** What stood in the way is gone. */
  isOver?: boolean
}

/** What went wrong, beside what it is about: brought into sight also above a phone's keyboard. */
export function FormAlert({ failure }: { failure: FormFailure | undefined }) {
  const place = useRef<HTMLDivElement>(null)
  const secondsLeft = useSecondsLeft(failure?.until)
  useEffect(() => {
    if (failure) place.current?.scrollIntoView({ block: 'nearest' })
  }, [failure])
  if (!failure) return null
  const { until, title, text } = failure
  const isOver = failure.isOver || (until !== undefined && secondsLeft === 0)
  return (
    // The notices of a phone stand above it.
    <div ref={place} className="scroll-mt-40 scroll-mb-4">
      {isOver ? (
        <Alert kind="info">{until ? 'Você já pode tentar de novo.' : title}</Alert>
      ) : (
        <Alert kind="error" title={title}>
          {text}
          {until && <Wait until={until} secondsLeft={secondsLeft} />}
        </Alert>
      )}
    </div>
  )
}

/** Read out once, counted down for the eye: a screen reader would say every second. */
function Wait({ until, secondsLeft }: { until: number; secondsLeft: number }) {
  const [all] = useState(() => writeTimeLeft(until - Date.now()))
  return (
    <p className="tabular-nums">
      <span aria-hidden="true">Tente de novo em {writeTimeLeft(secondsLeft * 1_000)}.</span>
      <span className="sr-only">Tente de novo em {all}.</span>
    </p>
  )
}
